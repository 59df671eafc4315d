// Zones where the pods have upstream's Bindcar, which can neither list nor change RRsets: they are changed in place at the DNS
// port, whatever becomes of a message, and made again only where there is none.
import { Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import type { Edit } from "../src/bindcar-server/nameserver.ts";
import { ARecord, CNAMERecord, DNSZone } from "../src/kinds/index.ts";
import { soaRecord, zoneSpec } from "./zone-objects.ts";
import { namespace, type ZoneStage, type ZoneStageOptions, zoneStage } from "./zone-stage.ts";

let it: ZoneStage;
afterEach(() => it.end(), 60_000);

const www = { name: "www", ipv4Addresses: ["192.0.2.10"] };

async function begin(primary: number, secondary: number, options: ZoneStageOptions): Promise<void> {
  it = await zoneStage(options);
  await it.cluster("dns", primary, secondary);
  await it.make(DNSZone, "example-com", zoneSpec);
  await it.make(ARecord, "www", www);
  await it.pass(40_000);
  it.asked();
}

/** What makes or takes away a zone. */
const remaking = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith("DELETE") || line === "POST /zones");
const updates = (lines: readonly string[]) => lines.filter((line) => line.startsWith("UPDATE"));
const primary = async () => (await it.bindcar("dns-primary-0")).nameserver;
const answer = async (name: string, type = "A") =>
  (await it.answers(`${name}.example.com.`, type))["dns-primary-0"] ?? "";
const edited = (...ipv4Addresses: readonly string[]) => it.edit(ARecord, "www", { spec: { ipv4Addresses } });
const serial = async () => (await it.serials())[0] ?? 0;

/** What somebody does at the DNS port. */
const byHand = async (...edits: readonly Edit[]) => (await primary()).update("example.com", edits);

describe.each(["0.7.2", "0.9.0"] as const)("upstream's Bindcar %s", (upstream) => {
  test("a changed record is one update of the zone as it is, and so is another TTL", async () => {
    await begin(2, 0, { upstream });
    const before = await serial();
    for (const [i, spec] of [{ ipv4Addresses: ["192.0.2.11", "192.0.2.12"] }, { ttl: 60 }].entries()) {
      await it.edit(ARecord, "www", { spec });
      await it.pass(10_000);
      const asked = it.asked();
      expect([remaking(asked), updates(asked).length]).toEqual([[], 2]);
      expect(await it.serials()).toEqual([before + 1 + i, before + 1 + i]);
    }
    expect(await it.answers("www.example.com.", "A")).toEqual({
      "dns-primary-0": "60 A 192.0.2.11 | 192.0.2.12",
      "dns-primary-1": "60 A 192.0.2.11 | 192.0.2.12",
    });
    expect(await it.says(ARecord, "www")).toContain("True ReconcileSucceeded");
    await it.pass(900_000);
    expect(it.asked().filter((line) => !/^(GET|QUERY|CHECK) /.test(line))).toEqual([]);
  });

  test.each(["stop", "crash"] as const)("an operator that begins after a %s makes nothing again", async (how) => {
    await begin(1, 0, { upstream });
    const before = await serial();
    await it.restart(how);
    await it.pass(60_000);
    expect(remaking(it.asked())).toEqual([]);
    expect(await serial()).toBe(before);
    expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
  });

  test("what changed while nobody looked is put right: records, TTLs, names, servers and the SOA", async () => {
    await begin(1, 0, { upstream });
    const servers = [{ hostname: "ns1.example.com.", ipv4Address: "192.0.2.1" }];
    const two = [...servers, { hostname: "ns2.example.com.", ipv4Address: "192.0.2.2" }];
    await it.edit(DNSZone, "example-com", { spec: { nameServers: two } });
    await it.make(ARecord, "gone", { name: "gone", ipv4Addresses: ["192.0.2.20"] });
    await it.make(ARecord, "old", { name: "old", ipv4Addresses: ["192.0.2.21"] });
    await it.make(ARecord, "alias", { name: "alias", ipv4Addresses: ["192.0.2.22"] });
    await it.pass(20_000);
    expect(await answer("ns2")).toBe("3600 A 192.0.2.2");
    it.asked();
    await it.apart(0, async () => {
      await it.edit(ARecord, "www", { spec: { ttl: 60 } });
      await it.edit(ARecord, "old", { spec: { name: "new" } });
      await it.remove(ARecord, "gone");
      await it.remove(ARecord, "alias");
      const spec = { nameServers: servers, soaRecord: { ...soaRecord, refresh: 99 } };
      await it.edit(DNSZone, "example-com", { spec });
      await it.make(CNAMERecord, "alias-again", { name: "alias", target: "www.example.com." });
    });
    await it.restart("crash");
    await it.pass(60_000);
    expect(remaking(it.asked())).toEqual([]);
    const names = ["www", "old", "new", "gone", "ns2"];
    expect(await Promise.all(names.map((name) => answer(name)))).toEqual([
      "60 A 192.0.2.10",
      "NXDOMAIN",
      "3600 A 192.0.2.21",
      "NXDOMAIN",
      "NXDOMAIN",
    ]);
    expect(await answer("alias", "CNAME")).toBe("3600 CNAME www.example.com.");
    const all = await it.answers("example.com.", "NS");
    expect(all["dns-primary-0"]).toBe("3600 NS ns1.example.com.");
    expect((await it.answers("example.com.", "SOA"))["dns-primary-0"]).toContain(" 99 600 604800 86400");
    expect(await it.get(ARecord, "gone")).toBeUndefined();
  });

  test("an answer that is lost after the update is looked for on the server, and nothing is changed twice", async () => {
    await begin(1, 0, { upstream });
    const before = await serial();
    const { faults } = await it.bindcar("dns-primary-0");
    faults.add({ match: { method: "UPDATE" }, action: { type: "truncate" }, times: 1 });
    await edited("192.0.2.11");
    await it.pass(1_500);
    // Once to change it, and once because nobody knows the TTLs of what was not heard of.
    expect(updates(it.asked())).toHaveLength(2);
    expect([await answer("www"), await serial()]).toEqual(["3600 A 192.0.2.11", before + 1]);
    expect(await it.says(ARecord, "www")).toContain("True ReconcileSucceeded");
    expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
  });

  test("a server that ends before it has done it, and comes back without anything, gets it all", async () => {
    await begin(2, 0, { upstream });
    const { faults, nameserver } = await it.bindcar("dns-primary-0");
    const id = faults.add({ match: { method: "UPDATE" }, action: { type: "reset" } });
    await edited("192.0.2.11");
    await it.pass(5_000);
    expect(await answer("www")).toBe("3600 A 192.0.2.10");
    // Of the other nobody knows.
    expect(await it.says(DNSZone, "example-com")).toMatch(
      /^Unknown .* named does not answer updates of zone example.com \(reset\)/,
    );
    nameserver.reset();
    faults.clear(id);
    await it.pass(60_000);
    expect(await answer("www")).toBe("3600 A 192.0.2.11");
    const [one, two] = await it.serials();
    expect(one).toBe(two);
    expect(remaking(it.asked())).toEqual(["POST /zones"]);
  });

  test("a zone that somebody else changes in between is looked at again, and is as it has to be in the end", async () => {
    await begin(1, 0, { upstream });
    const before = await serial();
    const { faults } = await it.bindcar("dns-primary-0");
    faults.add({ match: { method: "UPDATE" }, action: { type: "slow" }, delayMs: 1_000, times: 1 });
    await edited("192.0.2.11");
    await it.pass(500);
    await byHand({ do: "delete", name: "www.example.com.", type: "A" });
    expect([await answer("www"), await serial()]).toEqual(["NXDOMAIN", before + 1]);
    await it.pass(5_000);
    expect([await answer("www"), await serial()]).toEqual(["3600 A 192.0.2.11", before + 2]);
    expect(await it.says(ARecord, "www")).toContain("True ReconcileSucceeded");
    // Data and TTLs that somebody wrote over are put right with the next look.
    await byHand(
      { do: "delete", name: "ns1.example.com.", type: "A" },
      { do: "add", name: "ns1.example.com.", type: "A", ttl: 5, value: "192.0.2.1" },
      { do: "add", name: "www.example.com.", type: "A", ttl: 3600, value: "192.0.2.66" },
    );
    await it.pass(400_000);
    expect([await answer("www"), await answer("ns1")]).toEqual(["3600 A 192.0.2.11", "3600 A 192.0.2.1"]);
    expect(remaking(it.asked())).toEqual([]);
  });

  test("a zone that takes no updates says so and stays as it is, until it takes them", async () => {
    await begin(1, 0, { upstream });
    await (await primary()).modify("example.com", { allowUpdate: [] });
    await edited("192.0.2.11");
    await it.pass(120_000);
    const why =
      "named refuses updates of zone example.com with key bindy-operator: allow it (allow-update and allow-query with the key) and thaw the zone, or delete the zone there by hand and it is made anew";
    expect(await it.says(DNSZone, "example-com")).toBe(
      `False PrimaryFailed No primary has the zone as it should be: ${why}`,
    );
    expect(await it.says(ARecord, "www")).toBe(`False ReconcileFailed Failed to add record to zone: ${why}`);
    expect(await answer("www")).toBe("3600 A 192.0.2.10");
    expect(remaking(it.asked())).toEqual([]);
    await (await primary()).modify("example.com", { allowUpdate: [{ key: "bindy-operator" }] });
    await it.pass(60_000);
    expect(await answer("www")).toBe("3600 A 192.0.2.11");
  });

  test("a server that has another key is said to have it", async () => {
    await begin(1, 0, { upstream });
    const { faults } = await it.bindcar("dns-primary-0");
    for (const method of ["QUERY", "CHECK", "UPDATE"])
      faults.add({ match: { method }, action: { type: "status", code: 9 } });
    await edited("192.0.2.11");
    await it.pass(60_000);
    expect(await it.says(DNSZone, "example-com")).toContain(
      "named does not take key bindy-operator of Secret dns/dns-primary-0-rndc-key for updates of zone example.com: restart the pod",
    );
    expect(remaking(it.asked())).toEqual([]);
  });

  test("a zone of more than one message is changed message by message, each with a serial", async () => {
    await begin(1, 0, { upstream });
    const before = await serial();
    const text = (i: number) => ["one", "two", "three", "four"].map((of) => `${of}-${i}-${"x".repeat(200)}`);
    const { TXTRecord } = await import("../src/kinds/index.ts");
    await it.apart(0, async () => {
      for (let i = 0; i < 100; i += 1) await it.make(TXTRecord, `t${i}`, { name: `t${i}`, text: text(i) });
    });
    await it.pass(60_000);
    expect(await answer("t99", "TXT")).toContain("four-99");
    const steps = updates(it.asked()).length;
    expect(steps).toBeGreaterThan(1);
    expect(await serial()).toBeGreaterThanOrEqual(before + 2);
    expect(await it.says(DNSZone, "example-com")).toContain("True ReconcileSucceeded");
  });
});

test.each(["0.7.2", "0.9.0"] as const)(
  "secondaries of upstream's Bindcar %s stay when the operator begins, and find a primary that has moved",
  async (upstream) => {
    await begin(1, 1, { upstream });
    await it.restart("crash");
    await it.pass(30_000);
    await edited("192.0.2.11");
    await it.pass(30_000);
    const both = (text: string) => ({ "dns-primary-0": text, "dns-secondary-0": text });
    expect(await it.answers("www.example.com.", "A")).toEqual(both("3600 A 192.0.2.11"));
    expect(remaking(it.asked())).toEqual([]);
    const [pod] = await it.pods("dns-primary-0");
    await it.client.delete(Pod, { namespace, name: pod?.metadata?.name ?? "" }, { propagation: "Background" });
    await it.pass(60_000);
    await edited("192.0.2.12");
    await it.pass(60_000);
    expect(await it.answers("www.example.com.", "A")).toEqual(both("3600 A 192.0.2.12"));
  },
);

test("a secondary that knows none of the primaries any more answers until one of them has the zone, and is then made again", async () => {
  await begin(1, 1, { upstream: "0.9.0" });
  const [pod] = await it.pods("dns-primary-0");
  const name = pod?.metadata?.name ?? "";
  await it.client.delete(Pod, { namespace, name }, { propagation: "Background" });
  const moved = async () => (await it.pods("dns-primary-0")).some(({ status }) => status?.podIP !== undefined);
  for (let i = 0; i < 100 && !(await moved()); i += 1) await it.pass(100);
  // The new pod has its address, and does not get the zone.
  (await it.bindcar("dns-primary-0")).faults.add({ match: { method: "POST" }, action: { type: "status", code: 503 } });
  for (let i = 0; i < 60; i += 1) {
    await it.pass(5_000);
    expect([i, await it.answers("www.example.com.", "A")]).toMatchObject([
      i,
      { "dns-secondary-0": "3600 A 192.0.2.10" },
    ]);
  }
  expect(remaking(it.asked()).filter((line) => line.startsWith("DELETE"))).toEqual([]);
  (await it.bindcar("dns-primary-0")).faults.clear();
  await it.pass(400_000);
  const both = { "dns-primary-0": "3600 A 192.0.2.10", "dns-secondary-0": "3600 A 192.0.2.10" };
  expect(await it.answers("www.example.com.", "A")).toEqual(both);
  expect(remaking(it.asked()).filter((line) => line.startsWith("DELETE"))).toHaveLength(1);
});
