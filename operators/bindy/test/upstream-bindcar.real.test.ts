// What the API of upstream's Bindcar can do and what it cannot, as far as the operator depends on it: by what its releases
// answer, beside a real BIND.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { bindcarFor, bindcarIn, bindcarVersions } from "../../../tools/bindcar/bindcar.ts";
import { secondaryZone } from "../src/zone/difference.ts";
import { primary, secondary } from "./bindcar-conformance.ts";
import { ask, type RealPod, startPod } from "./real-named.ts";

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

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
