// What records say of themselves, and how they go (8.6).
import { afterEach, beforeEach, expect, test } from "vitest";
import { ARecord, CNAMERecord, DNSZone, SRVRecord } from "../src/kinds/index.ts";
import { zoneSpec } from "./zone-objects.ts";
import { namespace, type ZoneStage, zoneStage } from "./zone-stage.ts";

let it: ZoneStage;
beforeEach(async () => {
  it = await zoneStage();
  await it.cluster("dns", 1, 0);
}, 60_000);
afterEach(() => it.end(), 60_000);

const www = (more: object = {}) => it.make(ARecord, "www", { name: "www", ipv4Addresses: ["192.0.2.10"], ...more });

test("a record that nobody selects says so, and belongs to the zone that does", async () => {
  await www();
  await it.pass(2_000);
  expect(await it.says(ARecord, "www")).toBe(
    "False NotSelected Record not selected by any DNSZone recordsFrom selector",
  );
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.pass(10_000);
  expect(await it.says(ARecord, "www")).toBe("True ReconcileSucceeded A record added to zone example.com");
  const { status } = (await it.get(ARecord, "www")) ?? {};
  expect(status?.recordHash).toMatch(/^[0-9a-f]{64}$/);
  expect(status?.zoneRef).toEqual({
    apiVersion: "bindy.firestoned.io/v1beta1",
    kind: "DNSZone",
    name: "example-com",
    namespace,
    zoneName: "example.com",
  });
});

test("the time of the last publication moves with the content alone", async () => {
  await it.make(DNSZone, "example-com", zoneSpec);
  await www();
  await it.pass(10_000);
  const first = (await it.get(ARecord, "www"))?.status?.lastUpdated;
  await it.pass(700_000);
  expect((await it.get(ARecord, "www"))?.status?.lastUpdated).toBe(first);
  await it.edit(ARecord, "www", { spec: { ttl: 5 } });
  await it.pass(10_000);
  expect((await it.get(ARecord, "www"))?.status?.lastUpdated).not.toBe(first);
});

test("data that cannot be served are named, and the other records are served", async () => {
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.make(ARecord, "bad", { name: "bad", ipv4Addresses: ["999.1.1.1"] });
  await it.make(SRVRecord, "sip", {
    name: "_sip._tcp",
    priority: 1,
    weight: 2,
    port: 5060,
    target: "sip.example.net.",
  });
  await www();
  await it.pass(10_000);
  expect(await it.says(ARecord, "bad")).toBe(
    "False InvalidRecordData Invalid record data: ipv4Addresses[0]: is not an IPv4 address",
  );
  expect(await it.says(SRVRecord, "sip")).toContain("True ReconcileSucceeded SRV record added");
  expect(await it.answers("www.example.com.", "A")).toEqual({ "dns-primary-0": "3600 A 192.0.2.10" });
});

test("a record that was changed speaks for what it says now only once that is served", async () => {
  await it.make(DNSZone, "example-com", zoneSpec);
  await www();
  await it.pass(10_000);
  const { faults } = await it.bindcar("dns-primary-0");
  faults.add({ match: { method: "PUT" }, action: { type: "slow" }, delayMs: 10_000, times: 1 });
  await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.99"] } });
  const seen = async () => {
    const { metadata, status } = (await it.get(ARecord, "www")) ?? {};
    return { ready: await it.says(ARecord, "www"), isCurrent: status?.observedGeneration === metadata?.generation };
  };
  const ready = expect.stringContaining("True ReconcileSucceeded");
  await it.pass(3_000);
  expect(await seen()).toEqual({ ready, isCurrent: false });
  await it.pass(15_000);
  expect(await seen()).toEqual({ ready, isCurrent: true });
  expect(await it.answers("www.example.com.", "A")).toEqual({ "dns-primary-0": "3600 A 192.0.2.99" });
});

test("a deleted record goes after its data", async () => {
  await it.make(DNSZone, "example-com", zoneSpec);
  await www();
  await it.pass(10_000);
  await it.remove(ARecord, "www");
  await it.pass(15_000);
  expect(await it.answers("www.example.com.", "A")).toEqual({ "dns-primary-0": "NXDOMAIN" });
  expect(await it.get(ARecord, "www")).toBeUndefined();
});

test("L-56 a deleted record is held for five minutes where no primary can be reached, and no longer", async () => {
  await it.make(DNSZone, "example-com", zoneSpec);
  await www();
  await it.pass(10_000);
  (await it.bindcar("dns-primary-0")).stop();
  await it.remove(ARecord, "www");
  await it.pass(240_000);
  expect(await it.says(ARecord, "www")).toContain("False Progressing ARecord www is being deleted");
  await it.pass(70_000);
  expect(await it.get(ARecord, "www")).toBeUndefined();
});

test("a record that nobody selected goes at once", async () => {
  await www();
  await it.pass(2_000);
  await it.remove(ARecord, "www");
  await it.pass(2_000);
  expect(await it.get(ARecord, "www")).toBeUndefined();
});

test("a record that two zones select is the older one's, and the other's when that is gone", async () => {
  await it.make(DNSZone, "first", zoneSpec);
  await it.pass(2_000);
  await it.make(DNSZone, "second", {
    ...zoneSpec,
    zoneName: "example.net",
    nameServers: [{ hostname: "ns.example.org." }],
    soaRecord: { ...zoneSpec.soaRecord, primaryNs: "ns.example.org." },
  });
  await www();
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual({ "dns-primary-0": "3600 A 192.0.2.10" });
  expect(await it.answers("www.example.net.", "A")).toEqual({ "dns-primary-0": "NXDOMAIN" });
  await it.remove(DNSZone, "first");
  await it.pass(30_000);
  expect(await it.answers("www.example.net.", "A")).toEqual({ "dns-primary-0": "3600 A 192.0.2.10" });
  expect(await it.says(ARecord, "www")).toBe("True ReconcileSucceeded A record added to zone example.net");
});

test("a reference to a zone that is not there is said and cleared", async () => {
  await www({ name: "x" });
  await it.pass(2_000);
  const zoneRef = {
    apiVersion: "bindy.firestoned.io/v1beta1",
    kind: "DNSZone" as const,
    name: "gone",
    namespace,
    zoneName: "gone.example",
  };
  await it.client.status.patch(ARecord, { name: "www", namespace }, { merge: { status: { zoneRef } } });
  await it.pass(2_000);
  expect(await it.says(ARecord, "www")).toBe("False ZoneNotFound Referenced DNSZone dns/gone not found");
  expect((await it.get(ARecord, "www"))?.status?.zoneRef).toBeUndefined();
});

test("L-53 a record of another namespace is not selected", async () => {
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.make(CNAMERecord, "alias", { name: "alias", target: "x.example.net." }, { namespace: "t" });
  await it.pass(10_000);
  expect(await it.says(CNAMERecord, "alias", "Ready", "t")).toContain("False NotSelected");
});
