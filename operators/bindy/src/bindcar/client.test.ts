import { type Clock, seededRandom, VirtualClock } from "@telltale/clock";
import { Secret } from "@telltale/status";
import { expect, test } from "vitest";
import { bindcarClient } from "./client.ts";
import { fixedToken, type TokenSource, tokenFile } from "./token.ts";
import { Unreached, type Wire, type WireAnswer, type WireRequest } from "./wire.ts";

type Step = WireAnswer | "refused" | "reset" | "hang";

const answer = (status: number, body: object | string = {}, headers: Record<string, string> = {}): WireAnswer => ({
  status,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Answers one after the other; the last one stays. */
function scripted(...steps: readonly Step[]): Wire & { readonly asked: WireRequest[] } {
  const asked: WireRequest[] = [];
  return {
    asked,
    send(request, signal) {
      const step = steps[Math.min(asked.length, steps.length - 1)] ?? "refused";
      asked.push(request);
      if (step === "hang")
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return typeof step === "string" ? Promise.reject(new Unreached(step)) : Promise.resolve(step);
    },
  };
}

function pod(wire: Wire, clock: Clock, token: TokenSource = fixedToken("t")) {
  return bindcarClient({ wire, token, clock, random: seededRandom(1) }).at("10.0.0.1:8080");
}

test("a call goes to the pod with the token, and its answer is a value", async () => {
  const wire = scripted(answer(200, { serial: 7, rrsets: [] }));
  const clock = new VirtualClock();
  expect(await pod(wire, clock).rrsets("example.com")).toEqual({ ok: true, value: { serial: 7, rrsets: [] } });
  expect(wire.asked).toEqual([
    {
      endpoint: "10.0.0.1:8080",
      method: "GET",
      path: "/api/v1/zones/example.com/rrsets",
      headers: { accept: "application/json", authorization: "Bearer t" },
    },
  ]);
});

for (const status of [429, 500, 502, 503, 504])
  test(`6.3 a ${status} is tried again from 50 ms on, twice as long each time`, async () => {
    const clock = new VirtualClock();
    const wire = scripted(answer(status), answer(status), answer(200, { status: "up" }));
    const asked = pod(wire, clock).serverStatus();
    await clock.settle(status === 429 ? 2_000 : 170);
    expect(await asked).toEqual({ ok: true, value: "up" });
    expect(wire.asked).toHaveLength(3);
  });

for (const status of [400, 403, 404, 409, 418, 501])
  test(`6.3 a ${status} is not tried again`, async () => {
    const wire = scripted(answer(status));
    expect(await pod(wire, new VirtualClock()).serverStatus()).toEqual({
      ok: false,
      trouble: { at: "answered", status },
    });
    expect(wire.asked).toHaveLength(1);
  });

test("6.3 a call is given up 15 seconds after it began", async () => {
  const clock = new VirtualClock();
  const wire = scripted("refused");
  const asked = pod(wire, clock).serverStatus();
  await clock.settle(15_000);
  expect(await asked).toEqual({ ok: false, trouble: { at: "unreachable", why: "refused" } });
  expect(wire.asked.length).toBeGreaterThan(6);
  expect(clock.next()).toBeUndefined();
});

test("6.3 a wrong key of rndc does not heal by asking again", async () => {
  const wire = scripted(answer(500, { error: "Internal server error", details: null, code: "RNDC_AUTH" }));
  expect(await pod(wire, new VirtualClock()).serverStatus()).toEqual({
    ok: false,
    trouble: { at: "answered", status: 500, code: "RNDC_AUTH" },
  });
  expect(wire.asked).toHaveLength(1);
});

test("6.3 a record that may have been added is not added again, but one that never left is", async () => {
  const clock = new VirtualClock();
  const record = { name: "a", type: "A", value: "192.0.2.1" } as const;
  const cut = scripted("reset", answer(201));
  expect(await pod(cut, clock).addRecord("example.com", record)).toMatchObject({ ok: false });
  const refused = scripted("refused", answer(201));
  const asked = pod(refused, clock).addRecord("example.com", record);
  await clock.settle(100);
  expect(await asked).toMatchObject({ ok: true });
});

test("6.3 an attempt ends after its timeout, and says so", async () => {
  const clock = new VirtualClock();
  const asked = pod(scripted("hang"), clock).serverStatus({ timeout: 3_000, attempts: "once" });
  await clock.settle(3_000);
  expect(await asked).toEqual({ ok: false, trouble: { at: "unreachable", why: "timeout" } });
});

test("who gives up is told nothing about the pod, and leaves no timer", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const waiting = pod(scripted("hang"), clock).serverStatus({ signal: stop.signal });
  await clock.settle(10);
  stop.abort();
  expect(await waiting).toEqual({ ok: false, trouble: { at: "aborted" } });
  expect(clock.next()).toBeUndefined();
  expect(await pod(scripted("hang"), clock).serverStatus({ signal: stop.signal })).toMatchObject({ ok: false });
});

test("9.6 a 401 reads the token again, once", async () => {
  const clock = new VirtualClock();
  let written = "old";
  const token = tokenFile({ clock, read: async (path) => (path.includes("bindcar") ? ` ${written}\n` : undefined) });
  const wire = scripted(answer(200, { status: "up" }), answer(401), answer(200, { status: "up" }), answer(401));
  const it = pod(wire, clock, token);
  await it.serverStatus();
  written = "new";
  expect(await it.serverStatus()).toMatchObject({ ok: true });
  expect(await it.serverStatus()).toEqual({ ok: false, trouble: { at: "answered", status: 401 } });
  const sent = wire.asked.map(({ headers }) => headers["authorization"]);
  expect(sent).toEqual(["Bearer old", "Bearer old", "Bearer new", "Bearer new", "Bearer new"]);
});

test("9.6 a token is remembered for 300 seconds, and the first file that is there counts", async () => {
  const clock = new VirtualClock();
  const read: string[] = [];
  const token = tokenFile({
    clock,
    read: async (path) => {
      read.push(path);
      return path.includes("kubernetes.io") ? "account" : undefined;
    },
  });
  expect((await token.get())?.reveal()).toBe("account");
  clock.advance(299_999);
  await token.get();
  expect(read).toHaveLength(2);
  clock.advance(1);
  await token.get();
  expect(read).toHaveLength(4);
  expect(String(await token.get())).toBe("[secret]");
  expect(await tokenFile({ clock, read: async () => undefined }).get()).toBeUndefined();
  expect(new Secret("x").reveal()).toBe("x");
});

test("6.2 a zone that is there already was made, also when an older Bindcar says it in a 500", async () => {
  const zone = {
    zoneName: "example.com",
    zoneType: "primary",
    zoneConfig: { soa: { primaryNs: "ns.", adminEmail: "a." }, nameServers: [], nameServerIps: {} },
  } as const;
  const make = (step: Step) => pod(scripted(step), new VirtualClock()).createZone(zone);
  expect(await make(answer(201, {}))).toEqual({ ok: true, value: "created" });
  expect(await make(answer(201, "<html>"))).toEqual({ ok: false, trouble: { at: "unreachable", why: "malformed" } });
  expect(await make(answer(409, {}))).toEqual({ ok: true, value: "exists" });
  for (const words of ["Zone ALREADY EXISTS", "named already serves it", "duplicate zone"])
    expect(await make(answer(500, { error: words }))).toEqual({ ok: true, value: "exists" });
});

test("6.2 a zone that is not there was deleted, also when an older Bindcar says 500", async () => {
  const clock = new VirtualClock();
  const gone = (...steps: readonly Step[]) =>
    pod(scripted(...steps), clock).deleteZone("example.com", { attempts: "once" });
  expect(await gone(answer(200, {}))).toEqual({ ok: true, value: "deleted" });
  expect(await gone(answer(204, ""))).toEqual({ ok: true, value: "deleted" });
  expect(await gone(answer(200, "[]"))).toEqual({ ok: false, trouble: { at: "unreachable", why: "malformed" } });
  expect(await gone(answer(404))).toEqual({ ok: true, value: "absent" });
  expect(await gone(answer(500), answer(404))).toEqual({ ok: true, value: "absent" });
  expect(await gone(answer(500), answer(200, { details: "serial: 1" }))).toMatchObject({ ok: false });
});

test("6.2 after a 429 it waits as long as it was asked to, and a second where nothing was said", async () => {
  const clock = new VirtualClock();
  const told = scripted(answer(429, "", { "retry-after": "3" }), answer(200, { status: "up" }));
  const first = pod(told, clock).serverStatus();
  await clock.settle(2_999);
  expect(told.asked).toHaveLength(1);
  await clock.settle(1);
  expect(await first).toMatchObject({ ok: true });
  const untold = scripted(answer(429), answer(200, { status: "up" }));
  const second = pod(untold, clock).serverStatus();
  await clock.settle(999);
  expect(untold.asked).toHaveLength(1);
  await clock.settle(1);
  expect(await second).toMatchObject({ ok: true });
});

test("a body of another shape, or of no JSON, is as good as no answer", async () => {
  for (const body of ["", "<html>", "[]", '{"rrsets": 1, "serial": "x"}', '{"serial": 1, "rrsets": [{"name": 1}]}'])
    expect(await pod(scripted(answer(200, body)), new VirtualClock()).rrsets("a.b")).toEqual({
      ok: false,
      trouble: { at: "unreachable", why: "malformed" },
    });
});
