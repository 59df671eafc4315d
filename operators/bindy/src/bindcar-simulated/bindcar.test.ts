import { seededRandom, VirtualClock } from "@telltale/clock";
import { expect, test } from "vitest";
import { bindcarClient } from "../bindcar/client.ts";
import { httpWire } from "../bindcar/http-wire.ts";
import type { Outcome } from "../bindcar/outcome.ts";
import { fixedToken } from "../bindcar/token.ts";
import { SimulatedBindcar } from "./bindcar.ts";
import { control } from "./control.ts";
import { type Preset, presets } from "./faults.ts";
import { listen } from "./listen.ts";
import { simulatedWire } from "./wire.ts";

function setUp() {
  const clock = new VirtualClock();
  const pods = new Map<string, SimulatedBindcar>();
  const add = (address: string): SimulatedBindcar => {
    const serverAt = (endpoint: string) => pods.get(endpoint.replace(":5353", ""))?.nameserver;
    const pod = new SimulatedBindcar({ clock, random: seededRandom(7), address, serverAt });
    pods.set(address, pod);
    return pod;
  };
  const wire = simulatedWire({ clock, find: (endpoint) => pods.get(endpoint.replace(":8080", "")) });
  const client = bindcarClient({ wire, token: fixedToken("t"), clock, random: seededRandom(1) });
  return { clock, add, pods, at: (address: string) => client.at(`${address}:8080`) };
}

const once = { attempts: "once", timeout: 3_000 } as const;

const seen = (outcome: Outcome<unknown>): unknown => {
  if (outcome.ok) return "ok";
  const { trouble } = outcome;
  if (trouble.at === "answered") return trouble.code ?? trouble.status;
  return trouble.at === "unreachable" ? trouble.why : trouble.at;
};

const expected: Readonly<Record<Exclude<Preset, "flap" | "lossy">, unknown>> = {
  "http-400": 400,
  "http-401": 401,
  "http-403": 403,
  "http-404": 404,
  "http-418": 418,
  "http-429": 429,
  "http-500": 500,
  "http-501": 501,
  "http-502": 502,
  "http-503": 503,
  "http-504": 504,
  refused: "refused",
  reset: "reset",
  hang: "timeout",
  "rndc-auth": "RNDC_AUTH",
  "rndc-connect": "RNDC_CONNECT",
};

for (const [preset, result] of Object.entries(expected))
  test(`11.2 ${preset} is seen as ${String(result)}, until it is cleared`, async () => {
    const { clock, add, at } = setUp();
    const { faults } = add("10.0.0.1");
    faults.add(preset as Preset);
    const asked = at("10.0.0.1").serverStatus(once);
    await clock.settle(3_000);
    expect(seen(await asked)).toBe(result);
    faults.clear();
    expect(seen(await at("10.0.0.1").serverStatus(once))).toBe("ok");
  });

test("11.2 flap answers and fails in turn, lossy fails by chance, and the same seed gives the same run", async () => {
  const run = async (preset: Preset) => {
    const { add, at } = setUp();
    add("10.0.0.1").faults.add(preset);
    const results: unknown[] = [];
    for (let i = 0; i < 50; i += 1) results.push(seen(await at("10.0.0.1").serverStatus(once)));
    return results;
  };
  expect((await run("flap")).slice(0, 4)).toEqual(["ok", 503, "ok", 503]);
  const lossy = await run("lossy");
  expect(await run("lossy")).toEqual(lossy);
  const lost = lossy.filter((it) => it === "reset").length;
  expect([lost > 2, lost < 20]).toEqual([true, true]);
  expect(Object.keys(presets)).toHaveLength(18);
});

test("11.1 a fault is for some requests, after some, and for a number of them", async () => {
  const { add, at } = setUp();
  const { faults } = add("10.0.0.1");
  faults.add({
    match: { method: "GET", path: "/status$", zone: "a.b" },
    action: { type: "status", code: 503 },
    times: 2,
    skip: 1,
  });
  const pod = at("10.0.0.1");
  const results: unknown[] = [seen(await pod.serverStatus(once)), seen(await pod.zoneStatus("c.d", once))];
  for (let i = 0; i < 4; i += 1) results.push(seen(await pod.zoneStatus("a.b", once)));
  expect(results).toEqual(["ok", 404, 404, 503, 503, 404]);
});

const zoneConfig = (allowTransfer: readonly string[], alsoNotify: readonly string[]) => ({
  soa: { primaryNs: "ns.example.org.", adminEmail: "a.b.", serial: 5, refresh: 3600 },
  nameServers: ["ns.example.org."],
  nameServerIps: {},
  allowTransfer,
  alsoNotify,
});

test("a secondary follows its primary, when it may have the zone", async () => {
  const { clock, add, at } = setUp();
  for (const address of ["10.0.0.1", "10.0.0.2"]) add(address);
  const [primary, secondary] = [at("10.0.0.1"), at("10.0.0.2")];
  await primary.createZone({
    zoneName: "a.b",
    zoneType: "primary",
    zoneConfig: zoneConfig([], []),
    updateKeyName: "k",
  });
  const primaries = ["10.0.0.1:5353"];
  await secondary.createZone({
    zoneName: "a.b",
    zoneType: "secondary",
    zoneConfig: { ...zoneConfig([], []), primaries },
  });
  const serial = async () => {
    const status = await secondary.zoneStatus("a.b");
    return status.ok ? status.value.serial : undefined;
  };
  expect(await serial()).toBeUndefined();
  await primary.modifyZone("a.b", { allowTransfer: ["10.0.0.2"] });
  expect(await serial()).toBe(5);
  const put = (to: number) =>
    primary.putRRsets("a.b", {
      serial: to,
      changes: [{ name: "x.a.b.", type: "A", ttl: 60, values: [`192.0.2.${to}`] }],
    });
  await put(6);
  expect(await serial()).toBe(5); // nobody told it
  await clock.settle(3_600_000);
  expect(await serial()).toBe(6);
  await primary.modifyZone("a.b", { alsoNotify: ["10.0.0.2:5353"] });
  await put(7);
  expect(await serial()).toBe(7);
});

test("11.1 a pod that lost its storage has no zones, and a serial can be forced", async () => {
  const { add, at } = setUp();
  const pod = add("10.0.0.1");
  await at("10.0.0.1").createZone({
    zoneName: "a.b",
    zoneType: "primary",
    zoneConfig: zoneConfig([], []),
    updateKeyName: "k",
  });
  pod.nameserver.pin("a.b", 3);
  expect(await at("10.0.0.1").zoneStatus("a.b")).toMatchObject({ value: { serial: 3 } });
  pod.nameserver.pin("a.b", undefined);
  expect(await at("10.0.0.1").zoneStatus("a.b")).toMatchObject({ value: { serial: 5 } });
  expect(pod.nameserver.answer("x.a.b.", "A")).toBe("NXDOMAIN");
  pod.nameserver.reset();
  expect(seen(await at("10.0.0.1").zoneStatus("a.b"))).toBe(404);
  expect(pod.nameserver.answer("x.a.b.", "A")).toBe("REFUSED");
});

test("11.1 what was asked is logged without its token, and everything can be ordered over the control API", async () => {
  const { clock, add, at } = setUp();
  const pod = add("10.0.0.1");
  const order = async (method: string, path: string, body?: unknown) => {
    const reply = await control({ method, path, body: JSON.stringify(body ?? {}) }, pod, clock);
    return { status: reply.status, body: JSON.parse(reply.body) as Readonly<Record<string, unknown>> };
  };
  expect(await order("POST", "/__sim/faults", { preset: "http-503" })).toEqual({ status: 201, body: { id: 1 } });
  const fault = {
    match: { method: "GET" },
    action: { type: "status", code: 500, headers: { "Retry-After": "2" } },
    times: 1,
  };
  expect((await order("POST", "/__sim/faults", fault)).body).toEqual({ id: 2 });
  expect(((await order("GET", "/__sim/faults")).body["faults"] as object[]).length).toBe(2);
  expect((await order("DELETE", "/__sim/faults/1")).status).toBe(200);
  expect((await order("DELETE", "/__sim/faults/1")).status).toBe(404);
  expect(seen(await at("10.0.0.1").serverStatus(once))).toBe(500);
  for (const wrong of [
    {},
    { preset: "nothing" },
    { action: { type: "status" } },
    { match: { path: "(" }, action: { type: "reset" } },
  ])
    expect((await order("POST", "/__sim/faults", wrong)).status).toBe(422);
  const { body } = await order("GET", "/__sim/requests?since=0");
  expect(body["requests"]).toMatchObject([{ number: 1, method: "GET", path: "/api/v1/server/status", status: 500 }]);
  expect(JSON.stringify(body)).not.toContain("Bearer");
  await order("POST", "/__sim/stop");
  expect(seen(await at("10.0.0.1").serverStatus(once))).toBe("refused");
  await order("POST", "/__sim/start");
  const zones = [{ zoneName: "a.b", zoneType: "primary", zoneConfig: zoneConfig([], []), updateKeyName: "k" }];
  expect((await order("PUT", "/__sim/state", { zones })).body).toEqual({ zones: 1 });
  expect((await order("PUT", "/__sim/serial", { zone: "a.b", serial: 9 })).status).toBe(200);
  expect(await at("10.0.0.1").zoneStatus("a.b")).toMatchObject({ value: { serial: 9 } });
  await order("POST", "/__sim/reset");
  expect(seen(await at("10.0.0.1").zoneStatus("a.b"))).toBe(404);
});

test("over a socket the same faults look the same", async () => {
  const clock = new VirtualClock();
  const bindcar = new SimulatedBindcar({ clock, random: seededRandom(1) });
  const listener = await listen({ host: "127.0.0.1", port: 0, clock, ask: (asked) => bindcar.ask(asked), bindcar });
  const wire = httpWire({ clock });
  const pod = bindcarClient({ wire, token: fixedToken("t"), clock, random: seededRandom(1) }).at(
    `127.0.0.1:${listener.port}`,
  );
  const results: unknown[] = [];
  for (const action of ["reset", "garbage", "truncate", "wrongJson", "rateLimit"] as const) {
    bindcar.faults.add({ action: { type: action } });
    results.push(seen(await pod.serverStatus(once)));
    bindcar.faults.clear();
  }
  results.push(seen(await pod.serverStatus(once)));
  wire.close();
  await listener.close();
  expect(results).toEqual(["reset", "malformed", "reset", "malformed", 429, "ok"]);
});
