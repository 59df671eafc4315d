// Zones when something goes wrong: pods that lose everything, move or do not answer, operators that die, secondaries that lag.
import { Pod, Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { ARecord, Bind9Cluster, Bind9Instance, DNSZone } from "../src/kinds/index.ts";
import { zonesLoadedGate } from "../src/names.ts";
import { soaRecord, zoneSpec } from "./zone-objects.ts";
import { namespace, type ZoneStage, type ZoneStageOptions, zoneStage } from "./zone-stage.ts";

let it: ZoneStage;
afterEach(() => it.end(), 60_000);

async function begin(primary: number, secondary: number, options: ZoneStageOptions = {}): Promise<void> {
  it = await zoneStage(options);
  await it.cluster("dns", primary, secondary);
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.make(ARecord, "www", { name: "www", ipv4Addresses: ["192.0.2.10"] });
  await it.pass(40_000);
}

/** Its servers sign with keys of a Secret. */
async function giveKeys(): Promise<void> {
  await it.client.create(Secret, { metadata: { name: "bindy-keys", namespace } });
  const signing = { enabled: true, keysFrom: { secretRef: { name: "bindy-keys" } } };
  await it.edit(Bind9Cluster, "dns", { spec: { global: { dnssec: { signing } } } });
  await it.pass(60_000);
}

const gateOf = ({ status }: Pod): string | undefined =>
  status?.conditions?.find(({ type }) => type === zonesLoadedGate)?.status;
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;

test("A-121 L-40 a pod that begins anew is in service only with every record: a known name is never unknown", async () => {
  await begin(2, 0, { gate: true });
  expect((await it.pods()).map(gateOf)).toEqual(["True", "True"]);
  const [old] = await it.pods("dns-primary-0");
  await it.client.delete(Pod, { namespace, name: old?.metadata?.name ?? "" }, { propagation: "Background" });
  const seen = new Set<string>();
  for (let i = 0; i < 300; i += 1) {
    await it.pass(100);
    for (const pod of await it.pods("dns-primary-0")) {
      const answer = (await it.answers("www.example.com.", "A"))["dns-primary-0"] ?? "";
      seen.add(answer);
      if (isReady(pod)) expect(answer).toBe("3600 A 192.0.2.10");
    }
  }
  expect(seen).not.toContain("NXDOMAIN");
  const [next] = await it.pods("dns-primary-0");
  expect(next?.metadata?.uid).not.toBe(old?.metadata?.uid);
  expect(next === undefined ? false : isReady(next)).toBe(true);
}, 60_000);

test("D-22 pods of instances without zones are in service at once", async () => {
  it = await zoneStage({ gate: true });
  await it.cluster("dns", 1, 0);
  expect((await it.pods()).map(gateOf)).toEqual(["True"]);
});

test("D-22 a zone that no server would load keeps no pod out of service", async () => {
  it = await zoneStage({ gate: true });
  await it.make(DNSZone, "broken", { ...zoneSpec, nameServers: [{ hostname: "ns1.example.com." }] });
  await it.cluster("dns", 1, 0);
  expect(await it.says(DNSZone, "broken")).toBe(
    "False ConfigurationInvalid Invalid configuration: spec.soaRecord.primaryNs: ns1.example.com. is in the zone and has no address",
  );
  expect((await it.pods()).map(gateOf)).toEqual(["True"]);
});

test("A-121 a primary that lost its storage gets everything back at once, with the serial of the others", async () => {
  await begin(2, 1);
  const before = await it.serials();
  (await it.bindcar("dns-primary-1")).nameserver.reset();
  expect((await it.answers("www.example.com.", "A"))["dns-primary-1"]).toBe("REFUSED");
  for (let i = 0; i < 900 && (await it.answers("www.example.com.", "A"))["dns-primary-1"] === "REFUSED"; i += 1)
    await it.pass(100);
  expect((await it.answers("www.example.com.", "A"))["dns-primary-1"]).toBe("3600 A 192.0.2.10");
  await it.pass(5_000);
  expect(await it.serials()).toEqual(before);
});

test("A-134 L-41 L-42 pods that get other addresses are let in, and found, by the others", async () => {
  await begin(1, 1);
  for (const instance of ["dns-secondary-0", "dns-primary-0"]) {
    const [pod] = await it.pods(instance);
    await it.client.delete(Pod, { namespace, name: pod?.metadata?.name ?? "" }, { propagation: "Background" });
    await it.pass(60_000);
    const [next] = await it.pods(instance);
    expect(next?.status?.podIP).not.toBe(pod?.status?.podIP);
  }
  await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.99"] } });
  await it.pass(20_000);
  expect(await it.answers("www.example.com.", "A")).toEqual({
    "dns-primary-0": "3600 A 192.0.2.99",
    "dns-secondary-0": "3600 A 192.0.2.99",
  });
  const [secondary] = await it.pods("dns-secondary-0");
  const definition = await (await it.bindcar("dns-primary-0")).nameserver.definition("example.com");
  expect(definition).toMatchObject({
    allowTransfer: [secondary?.status?.podIP],
    alsoNotify: [`${secondary?.status?.podIP}:5353`],
  });
});

test("who leads again believes nothing that it knew of servers: what they were told meanwhile is put right", async () => {
  await begin(1, 1, { replicas: { as: "lease", namespace: "platform" } });
  const { nameserver } = await it.bindcar("dns-primary-0");
  const right = await nameserver.definition("example.com");
  expect(right.alsoNotify).toHaveLength(1);
  // As another leader does, that does not know of the secondary.
  await nameserver.modify("example.com", { alsoNotify: [], allowTransfer: [] });
  await it.apart(60_000);
  await it.pass(60_000);
  expect(await nameserver.definition("example.com")).toEqual(right);
});

test("L-40 who leads again opens no gate by what it knew of a pod", async () => {
  await begin(1, 0, { gate: true, replicas: { as: "lease", namespace: "platform" } });
  const { nameserver, faults } = await it.bindcar("dns-primary-0");
  const [pod] = await it.pods("dns-primary-0");
  const { name = "" } = pod?.metadata ?? {};
  await it.apart(60_000, async () => {
    nameserver.reset();
    faults.add({ match: { path: "/zones" }, action: { type: "status", code: 500 } });
    const conditions = (pod?.status?.conditions ?? []).filter(({ type }) => type !== zonesLoadedGate);
    await it.client.status.patch(Pod, { namespace, name }, { merge: { status: { conditions } } });
  });
  await it.pass(20_000);
  expect((await it.pods()).map(gateOf)).toEqual([undefined]);
  faults.clear();
  await it.pass(60_000);
  expect((await it.pods()).map(gateOf)).toEqual(["True"]);
  expect(await it.answers("www.example.com.", "A")).toEqual({ "dns-primary-0": "3600 A 192.0.2.10" });
});

test("A-83 a zone that one pod does not have shows on the pod, and is made again", async () => {
  await begin(2, 0);
  const bindcar = await it.bindcar("dns-primary-1");
  bindcar.faults.add({ match: { path: "/zones/" }, action: { type: "status", code: 404 } });
  await it.pass(75_000);
  expect(await it.says(Bind9Instance, "dns-primary-1", "Pod-0")).toMatch(
    /^False ZoneNotFound Pod \S+ is missing zone example.com in BIND9 \(404\)$/,
  );
  expect(await it.says(DNSZone, "example-com")).toBe(
    "False PartialReconciliation Zone example.com configured on 1/2 primary and 0/0 secondary instance(s) - 1 instance(s) pending",
  );
  expect(await it.says(DNSZone, "example-com", "Degraded")).toContain("True PartialReconciliation");
  bindcar.faults.clear();
  bindcar.nameserver.reset();
  await it.pass(45_000);
  expect(await it.says(Bind9Instance, "dns-primary-1", "Pod-0")).toContain("True Ready");
  expect((await it.answers("www.example.com.", "A"))["dns-primary-1"]).toBe("3600 A 192.0.2.10");
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
});

test("A-103 a Bindcar that has stopped is said to be unreachable, and its server answers all the same", async () => {
  await begin(1, 0);
  (await it.bindcar("dns-primary-0")).stop();
  await it.pass(75_000);
  expect(await it.says(Bind9Instance, "dns-primary-0", "Pod-0")).toMatch(
    /^False BindcarUnreachable Pod \S+ cannot connect to Bindcar API$/,
  );
  expect(await it.answers("www.example.com.", "A")).toEqual({ "dns-primary-0": "3600 A 192.0.2.10" });
});

test("A-146 a Bindcar that is asked too much is asked no more often than it lets, and nothing is said of its pod", async () => {
  await begin(1, 0);
  const bindcar = await it.bindcar("dns-primary-0");
  const before = bindcar.requests.length;
  bindcar.faults.add({ action: { type: "status", code: 429, headers: { "retry-after": "5" } } });
  await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.50"] } });
  it.writes();
  await it.pass(290_000);
  expect(it.writes().filter((line) => /\/bind9(instances|clusters)\//.test(line))).toEqual([]);
  expect(await it.says(Bind9Instance, "dns-primary-0", "Pod-0")).toContain("True Ready");
  const asked = bindcar.requests.slice(before).filter(({ path }) => path.includes("/zones/"));
  expect(asked.length).toBeGreaterThan(5);
  expect(asked.length).toBeLessThanOrEqual(290 / 5);
  bindcar.faults.clear();
  await it.pass(45_000);
  expect(await it.answers("www.example.com.", "A")).toEqual({ "dns-primary-0": "3600 A 192.0.2.50" });
});

test("a primary that was away is brought up to date, and the others need no other serial", async () => {
  await begin(2, 0);
  const bindcar = await it.bindcar("dns-primary-1");
  bindcar.stop();
  await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.50"] } });
  await it.pass(60_000);
  expect(await it.says(ARecord, "www")).toContain("True ReconcileSucceeded");
  const [serial] = await it.serials();
  bindcar.start();
  await it.pass(60_000);
  expect(await it.serials()).toEqual([serial, serial]);
  expect((await it.answers("www.example.com.", "A"))["dns-primary-1"]).toBe("3600 A 192.0.2.50");
});

test("what a primary has that cannot be asked is unknown: of the zone, of its records and of its keys", async () => {
  await begin(1, 1);
  await giveKeys();
  const bindcar = await it.bindcar("dns-primary-0");
  const key = { name: "example.com.", type: "DNSKEY", ttl: 3600, value: "257 3 13 AAAA" };
  await bindcar.nameserver.update("example.com", [{ do: "add", ...key }]);
  await it.pass(310_000);
  const { status: before } = (await it.get(DNSZone, "example-com")) ?? {};
  bindcar.stop();
  // As soon as two probes have failed.
  await it.pass(80_000);
  const said =
    "Unknown BindcarUnreachable Zone example.com is on 1/2 instance(s), 1 could not be asked: Cannot connect to Bindcar API";
  expect(await it.says(DNSZone, "example-com")).toBe(said);
  expect(await it.says(DNSZone, "example-com", "Degraded")).toBe(said);
  expect(await it.says(DNSZone, "example-com", "Progressing")).toBe("False ReconcileComplete The pass is over");
  expect(await it.says(ARecord, "www")).toBe(
    "Unknown BindcarUnreachable Unknown whether zone example.com has the record, no primary could be asked: Cannot connect to Bindcar API",
  );
  const { status: after } = (await it.get(DNSZone, "example-com")) ?? {};
  expect(after?.bind9Instances).toMatchObject([
    {
      name: "dns-primary-0",
      status: "Unknown",
      reason: "BindcarUnreachable",
      message: "Cannot connect to Bindcar API",
    },
    { name: "dns-secondary-0", status: "Configured" },
  ]);
  expect(after?.bind9Instances?.[1]?.reason).toBeUndefined();
  expect([after?.serial, after?.dnssec]).toEqual([before?.serial, before?.dnssec]);
  expect(before?.dnssec?.signed).toBe(true);
  expect((await it.get(Bind9Instance, "dns-primary-0"))?.status?.zonesCount).toBe(1);
  bindcar.start();
  await it.pass(45_000);
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
  expect(await it.says(ARecord, "www")).toContain("True ReconcileSucceeded");
});

test("a server that does not let itself be read is unknown, one that refuses what it is sent has failed", async () => {
  await begin(1, 0);
  const { faults } = await it.bindcar("dns-primary-0");
  const unread = faults.add({ match: { path: "/zones/" }, action: { type: "status", code: 403 } });
  await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.50"] } });
  await it.pass(20_000);
  expect(await it.says(DNSZone, "example-com")).toBe(
    "Unknown BindcarAuthFailed Zone example.com is on 0/1 instance(s), 1 could not be asked: Bindcar authentication failed",
  );
  expect(await it.says(ARecord, "www")).toContain("Unknown BindcarAuthFailed");
  faults.clear(unread);
  faults.add({ match: { method: "PUT", path: "/rrsets$" }, action: { type: "status", code: 403 } });
  await it.pass(40_000);
  expect(await it.says(DNSZone, "example-com")).toBe(
    "False PrimaryFailed No primary has the zone as it should be: Bindcar authentication failed",
  );
  expect(await it.says(ARecord, "www")).toBe(
    "False ReconcileFailed Failed to add record to zone: Bindcar authentication failed",
  );
  expect((await it.get(DNSZone, "example-com"))?.status?.bind9Instances).toMatchObject([
    { status: "Failed", reason: "BindcarAuthFailed" },
  ]);
});

test("one server that is known to lack the zone outweighs others that are unknown", async () => {
  await begin(2, 0);
  (await it.bindcar("dns-primary-0")).stop();
  const { faults } = await it.bindcar("dns-primary-1");
  faults.add({ match: { method: "PUT", path: "/rrsets$" }, action: { type: "status", code: 400 } });
  await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.50"] } });
  await it.pass(60_000);
  expect(await it.says(DNSZone, "example-com")).toBe(
    "False PartialReconciliation Zone example.com configured on 0/2 primary and 0/0 secondary instance(s) - 2 instance(s) pending, 1 of them could not be asked",
  );
});

test("an instance counts the zones that its pods were found to have, and none without a pod", async () => {
  it = await zoneStage({ ready: 30_000 });
  await it.cluster("dns", 1, 0);
  const zones = async () => (await it.get(Bind9Instance, "dns-primary-0"))?.status?.zonesCount;
  const { faults } = await it.bindcar("dns-primary-0");
  const refused = faults.add("http-403");
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.pass(60_000);
  expect((await it.get(DNSZone, "example-com"))?.status?.bind9InstancesCount).toBe(1);
  expect(await zones()).toBe(0);
  faults.clear(refused);
  await it.pass(60_000);
  expect(await zones()).toBe(1);
  await it.edit(Bind9Instance, "dns-primary-0", { spec: { replicas: 0 } });
  await it.pass(20_000);
  expect(await zones()).toBe(0);
  await it.edit(Bind9Instance, "dns-primary-0", { spec: { replicas: 1 } });
  await it.pass(120_000);
  expect(await zones()).toBe(1);
});

test("what an earlier pass found is not repeated where no server is asked any more", async () => {
  await begin(1, 0);
  await it.edit(DNSZone, "example-com", { spec: { clusterRef: "gone" } });
  await it.pass(20_000);
  expect(await it.says(DNSZone, "example-com")).toContain("False NoTargets");
  expect(await it.says(DNSZone, "example-com", "Degraded")).toBe("Unknown NoTargets No server is asked for the zone");
});

test("a secondary that stays behind says so on its pod after two minutes, and no longer when it has caught up", async () => {
  await begin(1, 1);
  const bindcar = await it.bindcar("dns-secondary-0");
  bindcar.nameserver.pin("example.com", 5);
  await it.pass(100_000);
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
  await it.pass(330_000);
  expect(await it.says(Bind9Instance, "dns-secondary-0", "Pod-0")).toMatch(
    /^False ZoneTransferFailed Pod dns-secondary-0-\S+ has not transferred zone example.com \(serial 5, expected \d+\)$/,
  );
  expect(await it.says(DNSZone, "example-com")).toBe(
    "False ReconcileDegraded Zone example.com reconciliation completed with degraded state - see Degraded condition for details",
  );
  expect(await it.says(DNSZone, "example-com", "Degraded")).toContain("True SecondaryFailed");
  // 7.8: whoever begins anew takes nothing back.
  it.writes();
  await it.restart("crash");
  await it.pass(60_000);
  expect(it.writes()).toEqual([]);
  bindcar.nameserver.pin("example.com", undefined);
  await it.pass(40_000);
  expect(await it.events("DNSZone")).toContain("Normal ZoneTransferComplete");
  expect(await it.says(Bind9Instance, "dns-secondary-0", "Pod-0")).toContain("True Ready");
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
});

test.each([
  ["a primary that does not tell it any more", "dns-primary-0", { alsoNotify: [], allowTransfer: [] }],
  ["that it asks another primary", "dns-secondary-0", { primaries: [] }],
] as const)(
  "a secondary that gets nothing new is looked at again, whoever changed that: %s",
  async (_what, on, order) => {
    await begin(1, 1);
    // Another leader, that was shown the past.
    await (await it.bindcar(on)).nameserver.modify("example.com", order);
    await it.edit(ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.11"] } });
    await it.pass(30_000);
    expect(await it.answers("www.example.com.", "A")).toEqual({
      "dns-primary-0": "3600 A 192.0.2.11",
      "dns-secondary-0": "3600 A 192.0.2.11",
    });
  },
);

test("a pod says nothing of a zone that is gone", async () => {
  await begin(1, 1);
  (await it.bindcar("dns-secondary-0")).nameserver.pin("example.com", 5);
  await it.pass(430_000);
  expect(await it.says(Bind9Instance, "dns-secondary-0", "Pod-0")).toContain("False ZoneTransferFailed");
  await it.remove(DNSZone, "example-com");
  await it.pass(40_000);
  expect(await it.says(Bind9Instance, "dns-secondary-0", "Pod-0")).toContain("True Ready");
});

test.each(["stop", "crash"] as const)(
  "an operator that ends by a %s is followed by one that changes nothing",
  async (how) => {
    await begin(2, 1);
    const before = await it.serials();
    it.asked();
    it.writes();
    await it.restart(how);
    await it.pass(60_000);
    expect(await it.serials()).toEqual(before);
    expect(it.asked().filter((line) => !line.startsWith("GET"))).toEqual([]);
    expect(it.writes().filter((line) => !line.includes("/leases"))).toEqual([]);
  },
);

test("3.4 a zone whose policy changes is made again, once, and its secondaries follow", async () => {
  await begin(1, 1);
  await it.edit(DNSZone, "example-com", { spec: { dnssecPolicy: "none" } });
  await giveKeys();
  const made = () => it.asked().filter((line) => line === "POST /zones").length;
  const [before = 0] = await it.serials();
  for (const dnssecPolicy of ["default", "none"]) {
    made();
    await it.edit(DNSZone, "example-com", { spec: { dnssecPolicy } });
    await it.pass(20_000);
    expect(made()).toBe(1);
    expect(new Set(Object.values(await it.answers("www.example.com.", "A")))).toEqual(new Set(["3600 A 192.0.2.10"]));
  }
  await it.pass(310_000);
  expect(made()).toBe(0);
  expect(new Set(await it.serials())).toEqual(new Set([before + 2]));
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
});

test("a zone with dnssecPolicy on primaries without shared keys is refused, and its pods and other zones stay as they are", async () => {
  await begin(2, 0);
  it.asked();
  await it.edit(DNSZone, "example-com", { spec: { dnssecPolicy: "default" } });
  await it.pass(20_000);
  expect(await it.says(DNSZone, "example-com")).toBe(
    "False ConfigurationInvalid Invalid configuration: spec.dnssecPolicy: signs the zone, but the keys would be lost with the pod: enable dnssec.signing with keysFrom.secretRef on its servers, or set it to none",
  );
  expect(it.asked().filter((line) => !line.startsWith("GET"))).toEqual([]);
  await giveKeys();
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
});

test("a zone that primaries were seen to sign with different keys is not ready", async () => {
  await begin(2, 0);
  await giveKeys();
  await it.pass(20_000);
  for (const [instance, key] of [
    ["dns-primary-0", "AAAA"],
    ["dns-primary-1", "BBBB"],
  ] as const) {
    const { nameserver } = await it.bindcar(instance);
    const record = { name: "example.com.", type: "DNSKEY", ttl: 3600, value: `257 3 13 ${key}` };
    await nameserver.update("example.com", [{ do: "add", ...record }]);
  }
  await it.pass(310_000);
  expect(await it.says(DNSZone, "example-com")).toBe(
    "False ReconcileDegraded Primaries sign zone example.com with different keys: put its keys into the Secret of keysFrom.secretRef",
  );
  expect(await it.says(DNSZone, "example-com", "Degraded")).toContain("True PrimaryFailed");
});

test("L-45 instances that are added get the zone, and those that leave lose it", async () => {
  await begin(1, 0);
  await it.edit(Bind9Cluster, "dns", { spec: { primary: { replicas: 2 } } });
  await it.pass(40_000);
  expect((await it.answers("www.example.com.", "A"))["dns-primary-1"]).toBe("3600 A 192.0.2.10");
  await it.edit(DNSZone, "example-com", {
    spec: { clusterRef: null, bind9InstancesFrom: [{ selector: { matchLabels: { one: "yes" } } }] },
  });
  await it.edit(Bind9Instance, "dns-primary-0", { metadata: { labels: { one: "yes" } } });
  await it.pass(20_000);
  expect(await it.answers("www.example.com.", "A")).toEqual({
    "dns-primary-0": "3600 A 192.0.2.10",
    "dns-primary-1": "REFUSED",
  });
  expect((await it.get(Bind9Instance, "dns-primary-1"))?.status?.zonesCount).toBe(0);
  expect((await it.get(DNSZone, "example-com"))?.status?.bind9Instances).toMatchObject([
    { name: "dns-primary-0", status: "Configured" },
  ]);
});

test("a large change is brought over in transactions of 500, and all primaries end with one serial", async () => {
  await begin(2, 0);
  for (let i = 0; i < 6; i += 1) {
    const many = Array.from({ length: 100 }, (_, n) => `192.0.${i}.${n + 1}`);
    await it.make(ARecord, `h${i}`, { name: `h${i}`, ipv4Addresses: many });
  }
  await it.pass(20_000);
  const [one, two] = await it.serials();
  expect(one).toBe(two);
  expect((await it.answers("h5.example.com.", "A"))["dns-primary-1"]).toContain("192.0.5.100");
});

test("a zone that is only mirrored from elsewhere publishes no records", async () => {
  it = await zoneStage();
  await it.cluster("dns", 0, 1);
  await it.edit(Bind9Instance, "dns-secondary-0", { spec: { primaryServers: ["198.51.100.1:53"] } });
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.make(ARecord, "www", { name: "www", ipv4Addresses: ["192.0.2.10"] });
  await it.pass(10_000);
  expect(await it.says(ARecord, "www")).toBe("False NoPrimaryInstances DNSZone has no primary instances configured");
  await it.pass(200_000);
  expect(await it.says(Bind9Instance, "dns-secondary-0", "Pod-0")).toContain("False UpstreamUnreachable");
});

test("a zone without any primary says so, and so do its records", async () => {
  it = await zoneStage();
  await it.cluster("dns", 0, 1);
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.make(ARecord, "www", { name: "www", ipv4Addresses: ["192.0.2.10"] });
  await it.pass(10_000);
  expect(await it.says(DNSZone, "example-com")).toContain("False PrimaryFailed");
  expect(await it.says(ARecord, "www")).toContain("False NoPrimaryInstances");
});

test("a zone for nobody says so, and so do its records", async () => {
  it = await zoneStage();
  await it.make(DNSZone, "example-com", { ...zoneSpec, soaRecord });
  await it.make(ARecord, "www", { name: "www", ipv4Addresses: ["192.0.2.10"] });
  await it.pass(10_000);
  expect(await it.says(DNSZone, "example-com")).toBe("False NoTargets No instance matches the zone");
  expect(await it.says(ARecord, "www")).toBe(
    "False ZoneNotConfigured DNSZone has no instances: No instance matches the zone",
  );
});

test("6.1 a zone and its records say as their reason that Bindcar cannot do what it is asked, until it can", async () => {
  await begin(1, 0);
  const { faults } = await it.bindcar("dns-primary-0");
  faults.add("http-501");
  await it.pass(400_000);
  const said = "Operation not supported by Bindcar (501)";
  expect(await it.says(DNSZone, "example-com")).toMatch(/^Unknown BindcarNotImplemented /);
  for (const type of ["Ready", "Degraded"]) expect(await it.says(DNSZone, "example-com", type)).toContain(said);
  expect(await it.says(DNSZone, "example-com", "Degraded")).toMatch(/^Unknown BindcarNotImplemented /);
  expect(await it.says(ARecord, "www")).toMatch(/^Unknown BindcarNotImplemented /);
  expect(await it.says(ARecord, "www")).toContain(said);
  faults.clear();
  await it.pass(60_000);
  expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
  expect(await it.says(ARecord, "www")).toContain("True ReconcileSucceeded");
}, 60_000);
