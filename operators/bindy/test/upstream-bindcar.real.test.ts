// What the API of upstream's Bindcar can do and what it cannot, as far as the operator depends on it: by what its releases
// answer, beside a real BIND.
import { systemClock, systemRandom } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { bindcarFor, bindcarIn, bindcarVersions } from "../../../tools/bindcar/bindcar.ts";
import { bindcarClient } from "../src/bindcar/client.ts";
import { httpWire } from "../src/bindcar/http-wire.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import { type DNSRecord, DNSZone, specOf } from "../src/kinds/index.ts";
import { compile } from "../src/zone/compile.ts";
import { secondaryZone } from "../src/zone/difference.ts";
import { Memory } from "../src/zone/memory.ts";
import { publish, type Result } from "../src/zone/primaries.ts";
import { isNewer } from "../src/zone/serial.ts";
import { primary, secondary } from "./bindcar-conformance.ts";
import { ask, type RealPod, serverOf, startPod, updatesOf } from "./real-named.ts";
import { dnsZone, record, soaRecord } from "./zone-objects.ts";

const path = bindFor("operators/bindy: upstream's Bindcar");
const folder = path === undefined ? undefined : bindcarFor("operators/bindy: upstream's Bindcar");

describe.skipIf(folder === undefined).each(bindcarVersions)("the API of Bindcar %s", (version) => {
  let pod: RealPod;
  beforeAll(async () => {
    pod = await startPod({ path: path ?? "", upstream: bindcarIn(folder ?? "", version) });
  });
  afterAll(() => pod?.stop());

  const status = async (method: string, of: string, body?: object) => {
    const headers = { authorization: `Bearer ${pod.token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(`${pod.url}/api/v1${of}`, { method, headers, ...sent })).status;
  };
  const takesPorts = version !== "0.7.2";

  it("tells its version", async () => {
    expect(await ask(pod, "GET", "/health")).toEqual({ status: 200, body: { status: "healthy", version } });
  });

  it("has no way to read what is in a zone, or to change RRsets or the SOA in one step", async () => {
    expect(await status("POST", "/zones", primary("read.example"))).toBe(201);
    expect(await pod.dig("+short", "www.read.example", "A")).toBe("192.0.2.10");
    const rrsets = "/zones/read.example/rrsets";
    expect([await status("GET", rrsets), await status("PUT", rrsets)]).toEqual([404, 404]);
    const soa = { name: "@", type: "SOA", value: "ns1.read.example. admin.read.example. 2025010199 1 1 1 1" };
    expect(await status("POST", "/zones/read.example/records", soa)).toBe(400);
    const { body } = await ask(pod, "GET", "/zones/read.example");
    expect(Object.keys(body).sort()).toEqual(["file_path", "name", "serial", "zone_type"].map(camel).sort());
  });

  it("keeps of a zone whose secondaries change how it is signed, and who may update it", async () => {
    const signed = { dnssecPolicy: "default", inlineSigning: true };
    expect(await status("POST", "/zones", primary("kept.example", signed))).toBe(201);
    expect(await status("PATCH", "/zones/kept.example", { allowTransfer: ["127.0.0.3"] })).toBe(200);
    const definition = await pod.rndc("showzone", "kept.example");
    for (const part of ["127.0.0.3", 'dnssec-policy "default"', "inline-signing yes", 'key "bindy-operator"'])
      expect(definition).toContain(part);
  });

  it(`${takesPorts ? "takes" : "refuses"} ports of other servers when a zone is made, and refuses them when it is changed`, async () => {
    const peers = { alsoNotify: ["127.0.0.2:5353"], allowTransfer: ["127.0.0.2"] };
    const made = takesPorts ? 201 : 400;
    expect(await status("POST", "/zones", primary("peers.example", peers))).toBe(made);
    expect(await status("POST", "/zones", secondaryZone("follows.example", ["127.0.0.2:5353"]))).toBe(made);
    if (!takesPorts) return;
    expect(await status("PATCH", "/zones/peers.example", peers)).toBe(400);
    expect(await status("GET", "/zones/follows.example")).toBe(404);
    expect(await status("PATCH", "/zones/follows.example", { primaries: ["127.0.0.3:5353"] })).toBe(400);
    expect(await status("POST", "/zones", secondary("ttl.example", ["127.0.0.2:5353"]))).toBe(422);
    // What it does not know it keeps.
    expect(await status("PATCH", "/zones/peers.example", { allowTransfer: ["127.0.0.3"] })).toBe(200);
    const definition = await pod.rndc("showzone", "peers.example");
    expect(definition).toContain("also-notify { 127.0.0.2 port 5353; };");
    expect(definition).toContain("allow-transfer  { 127.0.0.3/32; };");
  });
});

describe.skipIf(folder === undefined).each(bindcarVersions)("a zone on a server with Bindcar %s", (version) => {
  let pod: RealPod;
  beforeAll(async () => {
    pod = await startPod({ path: path ?? "", upstream: bindcarIn(folder ?? "", version) });
  });
  afterAll(() => pod?.stop());

  const memory = new Memory();
  async function bring(
    zoneName: string,
    records: readonly DNSRecord[],
    { policy, from = memory, before = [] }: BringOptions = {},
  ): Promise<Result | undefined> {
    const names = { soaRecord: { ...soaRecord, primaryNs: `ns1.${zoneName}.` }, zoneName };
    const nameServers = [{ hostname: `ns1.${zoneName}.`, ipv4Address: "192.0.2.1" }];
    const spec = specOf(DNSZone, dnsZone("zone", { ...names, nameServers }));
    const content = compile({ zone: { namespace: "dns", name: "zone" }, spec, addresses: [], records });
    if (content.is === "refused") throw new Error(content.why);
    const [clock, random] = [systemClock, systemRandom];
    const bindcar = bindcarClient({ wire: httpWire({ clock }), token: fixedToken(pod.token), clock, random });
    const signal = new AbortController().signal;
    const around = { bindcar, updates: updatesOf(pod), memory: from, now: clock.now(), signal, report: () => {} };
    const servers = [{ ...serverOf(pod), ...(policy !== undefined && { dnssecPolicy: policy }) }];
    const transfers = { alsoNotify: [], allowTransfer: [] };
    const task = {
      zone: { uid: zoneName },
      content,
      before,
      least: 1,
      stored: undefined,
      transfers,
      servers,
      followers: [],
    };
    return (await publish(task, around)).results.get("pod-0");
  }
  const a = (name: string, address: string, ttl = 300) => record("A", { name, ipv4Addresses: [address], ttl });
  const www = async (zone: string, name = "www") => pod.dig("+noall", "+answer", `${name}.${zone}`, "A");

  it("that is signed is changed in place, and tells its keys", async () => {
    const first = await bring("signed.example", [a("www", "192.0.2.1")], { policy: "default" });
    const keys = async () => pod.dig("+short", "signed.example", "DNSKEY");
    await expect.poll(keys, { timeout: 30_000 }).not.toBe("");
    const before = await keys();
    const changed = await bring("signed.example", [a("www", "192.0.2.2")], { policy: "default" });
    const again = await bring("signed.example", [a("www", "192.0.2.2")], { policy: "default", from: new Memory() });
    expect([first, changed, again].map((it) => it?.is)).toEqual(["served", "served", "served"]);
    const [one = 0, two = 0, three = 0] = [first, changed, again].map((it) => (it?.is === "served" ? it.serial : 0));
    // Its own: BIND has others for what it signed.
    expect([isNewer(two, one), three]).toEqual([true, two]);
    expect(again?.is === "served" && again.rrsets.some(({ type }) => type === "DNSKEY")).toBe(true);
    expect(await keys()).toBe(before);
    await expect.poll(() => www("signed.example"), { timeout: 30_000 }).toContain("192.0.2.2");
  }, 90_000);

  it("that nobody knows any more is looked at by what is wanted: TTLs, names of before, and servers", async () => {
    await bring("known.example", [a("www", "192.0.2.1"), a("old", "192.0.2.3")]);
    const before = [{ name: "old.known.example.", type: "A" }];
    const found = await bring("known.example", [a("www", "192.0.2.1", 60)], { from: new Memory(), before });
    expect(found?.is).toBe("served");
    expect(await www("known.example")).toMatch(/\t60\tIN\tA\t192\.0\.2\.1$/);
    expect(await pod.dig("old.known.example", "A")).toContain("NXDOMAIN");
    expect(await www("known.example", "ns1")).toContain("192.0.2.1");
  });

  it("with 3,000 names is made, changed and looked at in some messages of 64 KB each", async () => {
    const all = Array.from({ length: 3_000 }, (_, i) => a(`host-${i}`, `10.0.${i >> 8}.${i & 255}`));
    expect((await bring("large.example", all))?.is).toBe("served");
    const moved = all.map((_, i) => a(`host-${i}`, `10.1.${i >> 8}.${i & 255}`));
    expect((await bring("large.example", moved))?.is).toBe("served");
    expect((await bring("large.example", moved, { from: new Memory() }))?.is).toBe("served");
    expect(await www("large.example", "host-2999")).toContain("10.1.11.183");
  }, 90_000);
});

interface BringOptions {
  readonly policy?: string;
  readonly from?: Memory;
  readonly before?: readonly { readonly name: string; readonly type: string }[];
}

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
