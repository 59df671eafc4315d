// 16.9 on simulated servers, with virtual time: what zones and records come to, and what each server answers.
import { afterEach, beforeEach, expect, test } from "vitest";
import { ARecord, Bind9Instance, CNAMERecord, DNSZone, MXRecord, NSRecord, TXTRecord } from "../src/kinds/index.ts";
import { soaRecord, zoneSpec } from "./zone-objects.ts";
import { namespace, type ZoneStage, zoneStage } from "./zone-stage.ts";

let it: ZoneStage;
beforeEach(async () => {
  it = await zoneStage();
}, 60_000);
afterEach(() => it.end(), 60_000);

const zone = (spec: object = {}, name = "example-com", metadata: object = {}) =>
  it.make(DNSZone, name, { ...zoneSpec, ...spec }, metadata);
const www = (address = "192.0.2.10", more: object = {}) =>
  it.make(ARecord, "www", { name: "www", ipv4Addresses: [address], ...more });
const all = (answer: string, ...instances: readonly string[]) =>
  Object.fromEntries(instances.map((name) => [name, answer]));
const three = ["dns-primary-0", "dns-primary-1", "dns-secondary-0"];

test("A-120 two primaries and a secondary give the same answers with the same serial", async () => {
  await it.cluster("dns", 2, 1);
  await zone();
  await www();
  await it.make(MXRecord, "mail", { name: "@", priority: 10, mailServer: "mail.example.net." });
  await it.make(TXTRecord, "text", { name: "@", text: ["v=spf1 -all"] });
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual(all("3600 A 192.0.2.10", ...three));
  expect(await it.answers("example.com.", "MX")).toEqual(all("3600 MX 10 mail.example.net.", ...three));
  const serials = await it.serials();
  expect(new Set(serials).size).toBe(1);
  expect(await it.says(DNSZone, "example-com")).toBe(
    "True ReconcileSucceeded Zone example.com configured on 2 primary and 1 secondary instance(s) (3 endpoint(s)), discovered 3 DNS record(s)",
  );
  expect(await it.says(DNSZone, "example-com", "Degraded")).toContain("False ReconcileSucceeded");
  expect(await it.says(DNSZone, "example-com", "Progressing")).toContain("False ReconcileComplete");
  expect(await it.says(ARecord, "www")).toBe("True ReconcileSucceeded A record added to zone example.com");
  const { status } = (await it.get(DNSZone, "example-com")) ?? {};
  expect(status).toMatchObject({ recordsCount: 3, bind9InstancesCount: 3, serial: serials[0] });
  expect(status?.bind9Instances?.map(({ status: is }) => is)).toEqual(["Configured", "Configured", "Configured"]);
  const record = await it.get(ARecord, "www");
  expect(record?.status).toMatchObject({ zone: "example.com.", addresses: "192.0.2.10", publishedName: "www" });
  expect((await it.get(MXRecord, "mail"))?.status).not.toHaveProperty("addresses");
  const instance = await it.get(Bind9Instance, "dns-primary-0");
  expect(instance?.status).toMatchObject({
    zonesCount: 1,
    zones: [{ namespace, name: "example-com", zoneName: "example.com" }],
  });
  expect(it.complaints).toEqual([]);
});

test("A-122 a changed address and TTL replace the old one, with one step of the serial on both primaries", async () => {
  await it.cluster("dns", 2, 1);
  await zone();
  await www();
  await it.pass(10_000);
  const [before = 0] = await it.serials();
  await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.2"], ttl: 60 } });
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual(all("60 A 192.0.2.2", ...three));
  expect(await it.serials()).toEqual([before + 1, before + 1, before + 1]);
  expect((await it.get(ARecord, "www"))?.status).toMatchObject({ addresses: "192.0.2.2" });
});

test("A-123 two MX records of one name stay, and nothing is sent while nothing changes", async () => {
  await it.cluster("dns", 2, 0);
  await zone();
  await it.make(MXRecord, "a", { name: "@", priority: 10, mailServer: "a.example.net." });
  await it.make(MXRecord, "b", { name: "@", priority: 20, mailServer: "b.example.net." });
  await it.pass(60_000);
  expect(await it.answers("example.com.", "MX")).toEqual(
    all("3600 MX 10 a.example.net. | 20 b.example.net.", "dns-primary-0", "dns-primary-1"),
  );
  it.asked();
  it.writes();
  await it.pass(9 * 300_000);
  const asked = it.asked().filter((line) => line.includes("/zones"));
  expect(asked.filter((line) => !line.startsWith("GET"))).toEqual([]);
  expect(it.writes()).toEqual([]);
});

test("an unchanged pass asks each pod for the status and the content of a zone, and nothing else", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await it.pass(60_000);
  it.asked();
  await it.edit(DNSZone, "example-com", {
    metadata: { annotations: { "bindy.firestoned.io/reconcile-trigger": "now" } },
  });
  await it.pass(2_500);
  const asked = it.asked().filter((line) => !line.includes("/server/status"));
  expect(asked).toContain("GET /zones/example.com/rrsets");
  expect(new Set(asked)).toEqual(new Set(["GET /zones/example.com/status", "GET /zones/example.com/rrsets"]));
});

test("A-124 of an address and an alias the older is served, and the younger says with whom it conflicts", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await www();
  await it.pass(5_000);
  await it.make(CNAMERecord, "alias", { name: "www", target: "other.example.net." });
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual(all("3600 A 192.0.2.10", "dns-primary-0"));
  expect(await it.says(CNAMERecord, "alias")).toBe(
    "False RecordConflict CNAME record www.example.com. conflicts with ARecord dns/www",
  );
  await it.remove(ARecord, "www");
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual(all("3600 CNAME other.example.net.", "dns-primary-0"));
  expect(await it.says(CNAMERecord, "alias")).toContain("True ReconcileSucceeded");
});

test("A-125 a renamed record goes and comes in one step", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await www();
  await it.pass(10_000);
  const [before = 0] = await it.serials();
  await it.edit(ARecord, "www", { spec: { name: "web" } });
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual(all("NXDOMAIN", "dns-primary-0"));
  expect(await it.answers("web.example.com.", "A")).toEqual(all("3600 A 192.0.2.10", "dns-primary-0"));
  expect(await it.serials()).toEqual([before + 1]);
  expect((await it.get(ARecord, "www"))?.status?.publishedName).toBe("web");
});

test("A-126 a record that no zone selects any more leaves the servers first, then its zone", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await www();
  await it.pass(10_000);
  await it.edit(ARecord, "www", { metadata: { labels: { zone: "other" } } });
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual(all("NXDOMAIN", "dns-primary-0"));
  const record = await it.get(ARecord, "www");
  expect(record?.status?.zoneRef).toBeUndefined();
  expect(await it.says(ARecord, "www")).toBe(
    "False NotSelected Record not selected by any DNSZone recordsFrom selector",
  );
});

test("A-127 a server in the zone without an address is turned away, and the zone stays whole", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await www();
  await it.make(NSRecord, "ns9", { name: "@", nameserver: "ns9.example.com." });
  await it.pass(10_000);
  expect(await it.says(NSRecord, "ns9")).toBe(
    "False InvalidRecordData Invalid record data: nameserver: ns9.example.com. is in the zone and has no address",
  );
  expect(await it.answers("www.example.com.", "A")).toEqual(all("3600 A 192.0.2.10", "dns-primary-0"));
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
});

test("A-128 texts are served as they were written, long ones in parts", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await it.make(TXTRecord, "dkim", { name: "dkim", text: ['v=DKIM1; k=rsa; p="x"', "y".repeat(600)] });
  await it.pass(10_000);
  const parts = ["y".repeat(255), "y".repeat(255), "y".repeat(90)].map((part) => `"${part}"`).join(" ");
  expect(await it.answers("dkim.example.com.", "TXT")).toEqual(
    all(`3600 TXT "v=DKIM1; k=rsa; p=\\"x\\"" ${parts}`, "dns-primary-0"),
  );
});

test("A-129 A-130 the SOA and the TTL follow the spec, and the serial never goes back", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await it.pass(10_000);
  const [before = 0] = await it.serials();
  await it.edit(DNSZone, "example-com", { spec: { ttl: 120, soaRecord: { ...soaRecord, refresh: 99, serial: 7 } } });
  await it.pass(10_000);
  const soa = `120 SOA ns1.example.com. admin.example.com. ${before + 1} 99 600 604800 86400`;
  expect(await it.answers("example.com.", "SOA")).toEqual(all(soa, "dns-primary-0"));
  await it.edit(DNSZone, "example-com", { spec: { soaRecord: { ...soaRecord, refresh: 99, serial: before + 50 } } });
  await it.pass(10_000);
  expect(await it.serials()).toEqual([before + 50]);
});

test("A-131 a deleted zone goes from every pod, and then its object", async () => {
  await it.cluster("dns", 1, 1);
  await zone();
  await www();
  await it.pass(10_000);
  await it.remove(DNSZone, "example-com");
  await it.pass(10_000);
  expect(await it.answers("www.example.com.", "A")).toEqual(all("REFUSED", "dns-primary-0", "dns-secondary-0"));
  expect(await it.get(DNSZone, "example-com")).toBeUndefined();
  expect(await it.says(ARecord, "www")).toContain("False NotSelected");
  expect((await it.get(Bind9Instance, "dns-primary-0"))?.status?.zones ?? []).toEqual([]);
});

test("A-131 L-56 a pod that cannot be reached holds a zone for five minutes, and then an event says so", async () => {
  await it.cluster("dns", 1, 1);
  await zone();
  await it.pass(10_000);
  (await it.bindcar("dns-secondary-0")).stop();
  await it.remove(DNSZone, "example-com");
  await it.pass(240_000);
  expect(await it.says(DNSZone, "example-com")).toContain("False Progressing DNSZone example-com is being deleted");
  await it.pass(90_000);
  expect(await it.get(DNSZone, "example-com")).toBeUndefined();
  expect(await it.events("DNSZone")).toContain("Warning ZoneCleanupSkipped");
});

test("A-132 of two zones with one name the older is published, and the other follows when it is gone", async () => {
  await it.cluster("dns", 1, 0);
  await it.cluster("dns", 1, 0, "t");
  await zone();
  await it.pass(2_000);
  await it.make(DNSZone, "again", { ...zoneSpec, zoneName: "EXAMPLE.com" }, { namespace: "t" });
  await it.pass(10_000);
  expect(await it.says(DNSZone, "again", "Ready", "t")).toBe(
    "False DuplicateZone Zone 'example.com' is already claimed by: dns/example-com",
  );
  await it.remove(DNSZone, "example-com");
  await it.pass(30_000);
  expect(await it.says(DNSZone, "again", "Ready", "t")).toContain("True ReconcileSucceeded");
});

test("A-133 an instance elsewhere is used once it allows the zone's namespace", async () => {
  await it.cluster("dns", 1, 0, "platform");
  await it.edit(Bind9Instance, "dns-primary-0", { metadata: { labels: { shared: "yes" } } }, "platform");
  const bind9InstancesFrom = [{ selector: { matchLabels: { shared: "yes" } } }];
  await zone({ clusterRef: null, bind9InstancesFrom }, "example-com", { namespace: "t" });
  await it.pass(10_000);
  expect(await it.says(DNSZone, "example-com", "Ready", "t")).toBe(
    "False NoTargets 1 instance(s) match the zone and do not allow its namespace",
  );
  const annotations = { "bindy.firestoned.io/allow-zone-namespaces": "x, t" };
  await it.edit(Bind9Instance, "dns-primary-0", { metadata: { annotations } }, "platform");
  await it.pass(10_000);
  expect(await it.says(DNSZone, "example-com", "Ready", "t")).toContain("True ReconcileSucceeded");
});

test("A-135 a wildcard is published", async () => {
  await it.cluster("dns", 1, 0);
  await zone();
  await it.make(ARecord, "any", { name: "*", ipv4Addresses: ["192.0.2.77"] });
  await it.pass(10_000);
  expect(await it.answers("*.example.com.", "A")).toEqual(all("3600 A 192.0.2.77", "dns-primary-0"));
});

test("8.5 selectors choose by expressions: instances and records that have a label, have it not, or have one of some values", async () => {
  const tier = (name: string) => ({ merge: { metadata: { labels: { tier: name } } } });
  await it.cluster("dns", 3, 0);
  for (const [i, name] of ["front", "back"].entries())
    await it.client.patch(Bind9Instance, { namespace, name: `dns-primary-${i}` }, tier(name));
  const selected = (...matchExpressions: readonly object[]) => [{ selector: { matchExpressions } }];
  const { clusterRef: _, ...rest } = zoneSpec;
  await it.make(DNSZone, "example-com", {
    ...rest,
    bind9InstancesFrom: selected({ key: "tier", operator: "In", values: ["front", "middle"] }),
    recordsFrom: selected({ key: "tier", operator: "Exists" }, { key: "tier", operator: "NotIn", values: ["old"] }),
  });
  const record = (name: string, labels: object) =>
    it.make(ARecord, name, { name, ipv4Addresses: ["192.0.2.10"] }, { labels });
  await record("new", { tier: "new" });
  await record("old", { tier: "old" });
  await record("none", {});
  await it.pass(10_000);
  expect(await it.answers("new.example.com.", "A")).toEqual({
    "dns-primary-0": "3600 A 192.0.2.10",
    "dns-primary-1": "REFUSED",
    "dns-primary-2": "REFUSED",
  });
  for (const name of ["old", "none"]) {
    expect((await it.answers(`${name}.example.com.`, "A"))["dns-primary-0"]).toBe("NXDOMAIN");
    expect(await it.says(ARecord, name)).toContain("False NotSelected");
  }
  const spec = { bind9InstancesFrom: selected({ key: "tier", operator: "DoesNotExist" }) };
  await it.edit(DNSZone, "example-com", { spec });
  await it.pass(20_000);
  expect(await it.answers("new.example.com.", "A")).toEqual({
    "dns-primary-0": "REFUSED",
    "dns-primary-1": "REFUSED",
    "dns-primary-2": "3600 A 192.0.2.10",
  });
});
