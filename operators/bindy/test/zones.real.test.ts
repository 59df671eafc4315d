// 16.9 on real BIND: two primaries and a secondary, brought to what the compiler says and asked by dig.
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { bindcarClient } from "../src/bindcar/client.ts";
import { httpWire } from "../src/bindcar/http-wire.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import { type DNSRecord, DNSZone, specOf } from "../src/kinds/index.ts";
import { compile } from "../src/zone/compile.ts";
import { Memory } from "../src/zone/memory.ts";
import { type Published, publish } from "../src/zone/primaries.ts";
import { type Followed, follow } from "../src/zone/secondaries.ts";
import { type RealPod, serverOf, startPod, updatesOf } from "./real-named.ts";
import { dnsZone, record, soaRecord } from "./zone-objects.ts";

const path = bindFor("operators/bindy: zones on a real BIND");

describe.skipIf(path === undefined)("zones on a real BIND", () => {
  let pods: readonly RealPod[] = [];
  let stored: number | undefined;
  const memory = new Memory();
  const zone = { uid: "zone" };

  beforeAll(async () => {
    pods = await Promise.all([1, 2, 3].map(() => startPod({ path: path ?? "" })));
  }, 60_000);
  afterAll(() => Promise.all(pods.map((pod) => pod.stop())));

  async function bring(
    records: readonly DNSRecord[],
    spec: object = {},
  ): Promise<{ readonly published: Published; readonly followed: ReadonlyMap<string, Followed> }> {
    const settled = specOf(DNSZone, dnsZone("example-com", spec));
    const content = compile({ zone: { namespace: "dns", name: "example-com" }, spec: settled, addresses: [], records });
    if (content.is === "refused") throw new Error(content.why);
    const token = fixedToken(pods[0]?.token ?? "");
    const bindcar = bindcarClient({
      wire: httpWire({ clock: systemClock }),
      token,
      clock: systemClock,
      random: systemRandom,
    });
    const updates = updatesOf(...pods);
    const now = systemClock.now();
    const around = { bindcar, updates, memory, now, signal: new AbortController().signal, report: () => {} };
    const servers = pods.map(serverOf);
    const [one, two, three] = servers;
    if (one === undefined || two === undefined || three === undefined) throw new Error("three pods are needed");
    const transfers = { alsoNotify: [three.dns], allowTransfer: ["127.0.0.1"] };
    const least = settled.soaRecord.serial;
    const wanted = { zone, content, before: [], least, stored, transfers, servers: [one, two], followers: [three] };
    const published = await publish(wanted, around);
    stored = published.serial;
    const secondary = { ...three, primaries: [one.dns, two.dns], services: [] };
    const task = { zone, name: "example.com", serial: published.serial, servers: [secondary] };
    let followed = await follow(task, around);
    // NOTIFY is queued: a secondary on the same machine has it within seconds.
    for (let i = 0; i < 100 && followed.get("pod-2")?.is === "behind"; i += 1) {
      await sleep(systemClock, 200);
      followed = await follow(task, around);
    }
    return { published, followed };
  }

  const dig = (name: string, type: string) => Promise.all(pods.map((pod) => pod.dig(name, type, "+norec", "+short")));
  const same = (answer: string) => [answer, answer, answer];
  const serials = async () => (await dig("example.com", "SOA")).map((soa) => Number(soa.split(" ")[2]));
  const a = (name: string, address: string, more: object = {}) =>
    record("A", { name, ipv4Addresses: [address], ...more });
  const www = a("www", "192.0.2.1");

  it("A-120 gives the same answers and serial on all three", async () => {
    const { published, followed } = await bring([
      www,
      a("*", "192.0.2.7"),
      record("TXT", { name: "@", text: ["a b"] }),
    ]);
    expect([...published.results.values()].map(({ is }) => is)).toEqual(["served", "served"]);
    expect(followed.get("pod-2")).toEqual({ is: "follows", serial: soaRecord.serial });
    expect(await dig("www.example.com", "A")).toEqual(same("192.0.2.1"));
    expect(await dig("example.com", "TXT")).toEqual(same('"a b"'));
    expect(await serials()).toEqual(same(String(soaRecord.serial)).map(Number));
  }, 60_000);

  it("A-135 answers any name by a wildcard", async () => {
    expect(await dig("whatever.example.com", "A")).toEqual(same("192.0.2.7"));
  });

  it("A-122 changes an address and a TTL in one step", async () => {
    const before = stored ?? 0;
    await bring([a("www", "192.0.2.2", { ttl: 60 })]);
    expect(await dig("www.example.com", "A")).toEqual(same("192.0.2.2"));
    const full = await Promise.all(pods.map((pod) => pod.dig("www.example.com", "A", "+norec", "+noall", "+answer")));
    for (const line of full) expect(line.split(/\s+/)[1]).toBe("60");
    expect(await serials()).toEqual([before + 1, before + 1, before + 1]);
  }, 60_000);

  it("A-123 A-125 A-128 merges, renames and splits, and changes nothing the second time", async () => {
    const mx = (priority: number, host: string) =>
      record("MX", { name: "@", priority, mailServer: `${host}.example.net.` });
    const text = record("TXT", { name: "t", text: ['v=DKIM1; k=rsa; p="x"', "y".repeat(600), "b\u00fccher"] });
    const caa = record("CAA", { name: "@", flags: 0, tag: "issue", value: "ca.example" });
    const srv = record("SRV", { name: "_sip._tcp", priority: 1, weight: 2, port: 5060, target: "sip.example.net." });
    const alias = record("CNAME", { name: "alias", target: "web.example.com." });
    const six = record("AAAA", { name: "web", ipv6Addresses: ["2001:DB8::0:1"] });
    const ns = record("NS", { name: "sub", nameserver: "ns.example.net." });
    const wanted = [mx(20, "b"), mx(10, "a"), text, caa, srv, alias, six, ns, a("web", "192.0.2.2")];
    const { published } = await bring(wanted);
    expect([...published.results.values()].map(({ is }) => is)).toEqual(["served", "served"]);
    for (const answer of await dig("example.com", "MX")) {
      expect(answer.split("\n").sort()).toEqual(["10 a.example.net.", "20 b.example.net."]);
    }
    const parts = ["y".repeat(255), "y".repeat(255), "y".repeat(90)].map((part) => `"${part}"`).join(" ");
    const [said = ""] = await dig("t.example.com", "TXT");
    expect(said).toBe(`"v=DKIM1; k=rsa; p=\\"x\\"" ${parts} "b\\195\\188cher"`);
    const [renamed = ""] = await Promise.all(pods.map((pod) => pod.dig("www.example.com", "A", "+norec")));
    expect(renamed).toContain("NXDOMAIN");
    const before = await serials();
    await bring(wanted);
    expect(await serials()).toEqual(before);
  }, 60_000);

  it("A-129 A-130 follows the SOA and the TTL, and never lowers the serial", async () => {
    const before = stored ?? 0;
    await bring([www], { ttl: 120, soaRecord: { ...soaRecord, refresh: 99, serial: 7 } });
    for (const soa of await dig("example.com", "SOA")) expect(soa).toContain(`${before + 1} 99 600 604800 86400`);
  }, 60_000);

  it("A-121 a primary that lost everything refuses until it has all of it again", async () => {
    const before = await serials();
    await pods[0]?.restart("wiped");
    expect(await pods[0]?.dig("www.example.com", "A", "+norec")).toContain("REFUSED");
    const seen: string[] = [];
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        seen.push((await pods[0]?.dig("www.example.com", "A", "+norec")) ?? "");
        await sleep(systemClock, 100);
      }
    })();
    await bring([www], { ttl: 120, soaRecord: { ...soaRecord, refresh: 99, serial: 7 } });
    isOver = true;
    await watch;
    expect(seen.filter((answer) => answer.includes("NXDOMAIN"))).toEqual([]);
    expect(await dig("www.example.com", "A")).toEqual(same("192.0.2.1"));
    expect(await serials()).toEqual(before);
  }, 60_000);
});
