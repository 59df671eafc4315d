import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport, type Request, type Response, type Transport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { ConfigMap, CoreEvent, Event, Node } from "@telltale/kinds/builtin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fields, Log } from "../log.ts";
import type { Sample } from "../samples.ts";
import type { Said, Subject } from "./event-object.ts";
import { type RecorderOptions, recorder } from "./events.ts";

const minute = 60_000;
let clock: VirtualClock;
let server: ApiServer;

beforeEach(async () => {
  clock = new VirtualClock();
  server = await startApiServer({ listen: false, clock, random: seededRandom(1), controllers: "none" });
});
afterEach(() => server.stop());

type Hook = (request: Request, pass: () => Promise<Response>) => Promise<Response>;

/** A recorder beside a server whose way there can be disturbed. */
function bench(options: Partial<RecorderOptions> = {}) {
  const inner = inProcessTransport(server.client);
  const asked: string[] = [];
  const way: { hook: Hook } = { hook: (_request, pass) => pass() };
  const transport: Transport = {
    send(request) {
      asked.push(request.method);
      return way.hook(request, () => inner.send(request));
    },
    close: () => inner.close(),
  };
  const samples: Sample[] = [];
  const lines: [string, string, Fields | undefined][] = [];
  const to = (level: string) => (message: string, fields?: Fields) => lines.push([level, message, fields]);
  const log: Log = { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error"), with: () => log };
  const make = (random: number) => createClient({ transport, clock, random: seededRandom(random) });
  const it = recorder({
    client: make(2),
    clock,
    random: seededRandom(3),
    sink: (sample) => samples.push(sample),
    log,
    controller: "maps-controller",
    instance: "maps-0",
    ...options,
  });
  const reader = createClient({ transport: inner, clock, random: seededRandom(4) });
  const read = async () => (await reader.list(Event, {})).items;
  const outcomes = () => samples.map((sample) => (sample.is === "event" ? sample.outcome : sample.is));
  return { it, read, reader, outcomes, asked, lines, way };
}

const about = (uid = "u1", name = "web"): Subject => ({
  kind: ConfigMap,
  object: { metadata: { name, namespace: "default", uid, resourceVersion: "7" } },
});
const stuck: Said = { type: "Warning", reason: "Stuck", message: "It is stuck" };

/** Lets everything run that can without time passing. */
async function calm(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await turn();
}

describe("an event", () => {
  it("says what happened to which object, by whom and when", async () => {
    const { it, read, outcomes } = bench();
    it.record(about(), { ...stuck, action: "Mend", related: { kind: Node, object: { metadata: { name: "n1" } } } });
    await calm();
    const [event] = await read();
    expect(event).toMatchObject({
      type: "Warning",
      reason: "Stuck",
      note: "It is stuck",
      action: "Mend",
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "maps-controller",
      reportingInstance: "maps-0",
      regarding: {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "web",
        namespace: "default",
        uid: "u1",
        resourceVersion: "7",
      },
      related: { apiVersion: "v1", kind: "Node", name: "n1" },
    });
    expect(event?.metadata?.name).toMatch(/^web\.[0-9a-f]{16}$/);
    expect(event?.series).toBeUndefined();
    expect(outcomes()).toEqual(["sent"]);
  });

  it("of an object without a namespace goes to default", async () => {
    const { it, read } = bench();
    it.record({ kind: Node, object: { metadata: { name: "n1", uid: "u" } } }, stuck);
    await calm();
    const [event] = await read();
    expect(event?.metadata?.namespace).toBe("default");
    expect(event?.regarding).not.toHaveProperty("namespace");
  });

  it("goes to the core API where that is asked for", async () => {
    const { it, reader } = bench({ api: "v1" });
    it.record(about(), stuck);
    await calm();
    const [event] = (await reader.list(CoreEvent, {})).items;
    expect(event).toMatchObject({
      type: "Warning",
      reason: "Stuck",
      message: "It is stuck",
      count: 1,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      source: { component: "maps-controller", host: "maps-0" },
      involvedObject: { kind: "ConfigMap", name: "web", uid: "u1" },
    });
    expect(event?.eventTime).toBeNull();
  });

  it("is cut where the server would refuse it, and the server counts bytes", async () => {
    const { it, read, outcomes } = bench({ instance: "i".repeat(200) });
    it.record(about(), { ...stuck, message: "é".repeat(1000), reason: "R".repeat(200), action: "A".repeat(200) });
    await calm();
    expect(outcomes()).toEqual(["sent"]);
    const [event] = await read();
    expect(event?.note).toBe(`${"é".repeat(510)}…`);
    expect(event?.reason).toHaveLength(128);
  });

  it.each([
    ["the longest name", "n".repeat(253), /^n{236}\.[0-9a-f]{16}$/],
    ["a name that is cut after a dash", `${"n".repeat(235)}-x`, /^n{235}\.[0-9a-f]{16}$/],
    ["a name with a colon", "system:node", /^configmap\.[0-9a-f]{16}$/],
  ])("about an object with %s has a name that an Event can have", async (_what, name, expected) => {
    const { it, read } = bench();
    it.record(about("u", name), stuck);
    await calm();
    expect((await read())[0]?.metadata?.name).toMatch(expected);
  });

  it("has no controller whose name would have every event refused", () => {
    expect(() => bench({ controller: "no spaces" })).toThrow(/"no spaces".*qualified name/);
  });
});

describe("the same again", () => {
  it("within five minutes is only counted, and after that the stored event is counted up", async () => {
    const { it, read, outcomes, asked } = bench();
    for (const at of [0, 1, 4.9]) {
      await clock.settle(at * minute - clock.uptime());
      it.record(about(), stuck);
      await calm();
    }
    expect(outcomes()).toEqual(["sent", "suppressed", "suppressed"]);
    await clock.settle(minute);
    it.record(about(), stuck);
    await calm();
    expect(asked).toEqual(["POST", "PATCH"]);
    const events = await read();
    expect(events).toHaveLength(1);
    expect(events[0]?.series).toEqual({ count: 4, lastObservedTime: "2026-01-01T00:05:54.000000Z" });
    it.record(about(), stuck);
    expect(outcomes()).toEqual(["sent", "suppressed", "suppressed", "sent", "suppressed"]);
  });

  it("counts up in the core API too", async () => {
    const { it, reader } = bench({ api: "v1" });
    for (const at of [0, 6, 12]) {
      await clock.settle(at * minute - clock.uptime());
      it.record(about(), stuck);
      await calm();
    }
    const { items } = await reader.list(CoreEvent, {});
    expect(items.map(({ count, firstTimestamp, lastTimestamp }) => [count, firstTimestamp, lastTimestamp])).toEqual([
      [3, "2026-01-01T00:00:00Z", "2026-01-01T00:12:00Z"],
    ]);
  });

  it("after the server forgot the event, makes it anew with its whole count", async () => {
    const { it, read, reader, asked } = bench();
    it.record(about(), stuck);
    await calm();
    const name = (await read())[0]?.metadata?.name ?? "";
    await reader.delete(Event, { name, namespace: "default" }, { propagation: "Background" });
    await clock.settle(6 * minute);
    it.record(about(), stuck);
    await calm();
    expect(asked).toEqual(["POST", "PATCH", "POST"]);
    expect((await read()).map(({ series, eventTime }) => [series?.count, eventTime])).toEqual([
      [2, "2026-01-01T00:00:00.000000Z"],
    ]);
  });

  it.each<[string, Subject, Said]>([
    ["object", about("u2"), stuck],
    ["reason", about(), { ...stuck, reason: "Lost" }],
    ["message", about(), { ...stuck, message: "Still" }],
    ["type", about(), { ...stuck, type: "Normal" }],
  ])("with another %s is another event", async (_what, subject, said) => {
    const { it, outcomes } = bench();
    it.record(about(), stuck);
    it.record(subject, said);
    await calm();
    expect(outcomes()).toEqual(["sent", "sent"]);
  });

  it("is not fooled by a wall clock that somebody moved", async () => {
    const { it, outcomes } = bench();
    it.record(about(), stuck);
    await calm();
    clock.jump(instant(clock.now() + 60 * minute));
    it.record(about(), stuck);
    expect(outcomes()).toEqual(["sent", "suppressed"]);
  });
});

describe("too much", () => {
  it("about one object is held back: 25 at once, then one in five minutes", async () => {
    const { it, outcomes } = bench();
    const tell = (from: number, count: number) => {
      for (let i = from; i < from + count; i += 1) it.record(about(), { ...stuck, message: `No. ${i}` });
      return calm();
    };
    const sent = () => outcomes().filter((outcome) => outcome === "sent").length;
    await tell(0, 40);
    expect(sent()).toBe(25);
    await clock.settle(5 * minute);
    await tell(100, 10);
    expect(sent()).toBe(26);
    it.record(about("other"), stuck);
    await calm();
    expect(sent()).toBe(27);
  });

  it("about one object is held back also where the stored event would only be counted up", async () => {
    const { it, outcomes, asked } = bench({ limits: { window: minute, burst: 1, refill: 10 * minute } });
    for (const at of [0, 2, 11]) {
      await clock.settle(at * minute - clock.uptime());
      it.record(about(), stuck);
      await calm();
    }
    expect([outcomes(), asked]).toEqual([
      ["sent", "suppressed", "sent"],
      ["POST", "PATCH"],
    ]);
  });

  it("at once waits for room, and the oldest that wait are dropped", async () => {
    const { it, outcomes, asked, way, read } = bench({ limits: { inFlight: 2, queued: 3 } });
    const held: (() => void)[] = [];
    way.hook = async (_request, pass) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return pass();
    };
    for (let i = 0; i < 7; i += 1) it.record(about(`u${i}`, `n${i}`), stuck);
    await calm();
    expect(asked).toHaveLength(2);
    expect(outcomes()).toEqual(["dropped", "dropped"]);
    way.hook = (_request, pass) => pass();
    for (const release of held) release();
    await calm();
    expect((await read()).map(({ regarding }) => regarding?.name).sort()).toEqual(["n0", "n1", "n4", "n5", "n6"]);
  });

  it("is forgotten: a dropped or remembered-too-long event is told anew", async () => {
    const { it, outcomes } = bench({ limits: { remembered: 2 } });
    for (const uid of ["a", "b", "c", "a"]) it.record(about(uid), stuck);
    await calm();
    expect(outcomes()).toEqual(["sent", "sent", "sent", "sent"]);
  });
});

describe("trouble", () => {
  const answer = (code: number, reason: string, more: object = {}): Hook => {
    const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, ...more });
    return async () => ({ status: code, headers: {}, text: async () => body, async *chunks() {} });
  };

  it("a refusal is counted each time, and logged once until an event goes through again", async () => {
    const { it, outcomes, lines, way } = bench();
    const pass = way.hook;
    way.hook = answer(403, "Forbidden");
    for (const uid of ["a", "b", "c"]) it.record(about(uid), stuck);
    await calm();
    expect(outcomes()).toEqual(["failed", "failed", "failed"]);
    expect(lines.map(([level]) => level)).toEqual(["warn"]);
    way.hook = pass;
    it.record(about("a"), stuck);
    await calm();
    expect(outcomes().at(-1)).toBe("sent");
    way.hook = answer(403, "Forbidden");
    it.record(about("d"), stuck);
    await calm();
    expect(lines.map(([level]) => level)).toEqual(["warn", "warn"]);
  });

  it("a namespace that is going is nothing to warn of", async () => {
    const { it, outcomes, lines, way } = bench();
    way.hook = answer(403, "Forbidden", { details: { causes: [{ reason: "NamespaceTerminating" }] } });
    it.record(about(), stuck);
    await calm();
    expect([outcomes(), lines.map(([level]) => level)]).toEqual([["failed"], ["debug"]]);
  });

  it("a server that is away for a minute loses nothing", async () => {
    const { it, outcomes, lines, way, read } = bench();
    const pass = way.hook;
    way.hook = answer(503, "ServiceUnavailable");
    it.record(about(), stuck);
    await clock.settle(20_000);
    expect([outcomes(), lines.length]).toEqual([[], 1]);
    it.record(about(), stuck);
    way.hook = pass;
    await clock.settle(15_000);
    expect(outcomes()).toEqual(["suppressed", "sent"]);
    expect((await read())[0]?.series?.count).toBe(2);
  });

  it("a server that stays away is given up", async () => {
    const { it, outcomes, way } = bench();
    way.hook = answer(503, "ServiceUnavailable");
    it.record(about(), stuck);
    await clock.settle(5 * minute);
    expect(outcomes()).toEqual(["failed"]);
    expect(clock.next()).toBeUndefined();
  });

  it("what still waits for the server is not told a second time, however long that takes", async () => {
    const { it, outcomes, asked, way, read } = bench({ limits: { window: 1_000, inFlight: 1 } });
    const gate = Promise.withResolvers<void>();
    way.hook = (_request, pass) => gate.promise.then(pass);
    it.record(about("first"), stuck);
    it.record(about(), stuck);
    await clock.settle(10_000);
    it.record(about(), stuck);
    gate.resolve();
    await calm();
    expect([outcomes(), asked]).toEqual([
      ["suppressed", "sent", "sent"],
      ["POST", "POST"],
    ]);
    expect((await read()).map(({ series }) => series?.count)).toContain(2);
  });

  it("an answer that was lost does not make the event twice", async () => {
    const { it, outcomes, way, read } = bench();
    const pass = way.hook;
    way.hook = async (request, go) => {
      await go();
      way.hook = pass;
      return answer(504, "Timeout")(request, go);
    };
    it.record(about(), stuck);
    await clock.settle(15_000);
    expect([outcomes(), (await read()).length]).toEqual([["sent"], 1]);
  });

  it("whoever lost the lease sends nothing", async () => {
    const asked: unknown[] = [];
    const fence = {
      allows(object?: object) {
        asked.push(object);
        return false;
      },
    };
    const { it, outcomes, asked: sent } = bench({ fence });
    it.record(about(), stuck);
    await calm();
    expect([outcomes(), sent]).toEqual([["dropped"], []]);
    expect(asked).toEqual([{ namespace: "default", name: "web" }]);
  });

  it("a sink that throws and an object that is none harm nobody", async () => {
    const throwing = bench({
      sink: () => {
        throw new Error("no sink");
      },
    });
    throwing.it.record(about(), stuck);
    await calm();
    expect(await throwing.read()).toHaveLength(1);
    const { it, outcomes } = bench();
    expect(() => it.record({ kind: ConfigMap, object: null as never }, stuck)).not.toThrow();
    expect(outcomes()).toEqual(["failed"]);
  });
});

describe("a flush", () => {
  it("waits until everything is told", async () => {
    const { it, outcomes } = bench({ limits: { inFlight: 1 } });
    for (const uid of ["a", "b", "c"]) it.record(about(uid), stuck);
    await it.flush();
    expect(outcomes()).toEqual(["sent", "sent", "sent"]);
    await it.flush();
  });

  it("waits no longer than it was told to, and drops the rest", async () => {
    const { it, outcomes, way } = bench({ limits: { inFlight: 1 } });
    way.hook = () => new Promise(() => {});
    for (const uid of ["a", "b", "c"]) it.record(about(uid), stuck);
    let over = false;
    const flushed = it.flush(2_000).then(() => {
      over = true;
    });
    await clock.settle(1_999);
    expect(over).toBe(false);
    await clock.settle(1);
    await flushed;
    expect(outcomes()).toEqual(["dropped", "dropped"]);
  });

  it("tries what is waiting for the server once more, and then gives up", async () => {
    const { it, outcomes, way, asked } = bench();
    way.hook = async () => ({ status: 503, headers: {}, text: async () => "", async *chunks() {} });
    it.record(about(), stuck);
    await clock.settle(1_000);
    const before = asked.length;
    await it.flush();
    expect([outcomes(), asked.length - before]).toEqual([["failed"], 1]);
  });
});
