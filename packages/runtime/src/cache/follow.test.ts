import { getEventListeners } from "node:events";
import {
  ApiError,
  type Client,
  ConnectionError,
  type ListOptions,
  StreamError,
  type WatchOptions,
} from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import type { WatchHappening } from "../samples.ts";
import { Echo } from "./echoes.ts";
import { Follower, type FollowOptions } from "./follow.ts";
import { Store } from "./store.ts";

type Line = { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: KubeObject };

/** What the server does with the next request. */
type Answer =
  | { readonly page: readonly KubeObject[]; readonly version: string; readonly next?: string }
  | { readonly lines: readonly Line[]; readonly then?: "end" | "hang" | Error }
  | Error;

const map = (name: string, version: number): KubeObject => ({
  metadata: { namespace: "a", name, uid: name, resourceVersion: String(version) },
});
const added = (name: string, version: number): Line => ({ type: "ADDED", object: map(name, version) });
const modified = (name: string, version: number): Line => ({ type: "MODIFIED", object: map(name, version) });
const removed = (name: string, version: number): Line => ({ type: "DELETED", object: map(name, version) });
const bookmark = (version: number): Line => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion: String(version) } },
});
const endOfList = (version: number): Line => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion: String(version), annotations: { "k8s.io/initial-events-end": "true" } } },
});
const at = (version: number): Answer => ({ page: [], version: String(version) });

let ending: (() => Promise<void>) | undefined;
afterEach(() => ending?.());

/** A follower over a server that answers as it is told, one request after the other, and then fails. */
async function following(answers: readonly Answer[], options: Partial<FollowOptions<KubeObject>> = {}) {
  const clock = new VirtualClock();
  const store = new Store<KubeObject>();
  const left = [...answers];
  const asked: string[] = [];
  const times: number[] = [];
  const told: WatchHappening[] = [];
  const next = () => {
    times.push(clock.uptime());
    return left.shift() ?? new ConnectionError("connect", "there is no server");
  };
  const client = {
    async list(_kind: unknown, { limit, continue: token, metadataOnly }: ListOptions) {
      asked.push(metadataOnly === true ? "ask" : `list ${limit ?? "all"}${token === undefined ? "" : ` ${token}`}`);
      const answer = next();
      if (answer instanceof Error) throw answer;
      if (!("page" in answer)) throw new Error("a stream was to be asked for");
      return { items: answer.page, resourceVersion: answer.version, ...(answer.next ? { continue: answer.next } : {}) };
    },
    async *watch(_kind: unknown, { resourceVersion, signal }: WatchOptions) {
      asked.push(`watch ${resourceVersion ?? "all"}`);
      const answer = next();
      if (answer instanceof Error) throw answer;
      if (!("lines" in answer)) throw new Error("a list was to be asked for");
      yield* answer.lines;
      const { then = "hang" } = answer;
      if (then instanceof Error) throw then;
      if (then === "hang") await raised(signal);
    },
  };
  const follower = new Follower<KubeObject>({
    client: client as unknown as Client,
    clock,
    random: seededRandom(1),
    kind: ConfigMap,
    select: {},
    store,
    onHappening: (what) => told.push(what),
    ...options,
  });
  const stop = new AbortController();
  const run = follower.run(stop.signal);
  ending = async () => {
    stop.abort();
    await run;
    expect(follower.state).toEqual({ at: "stopped" });
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    expect(clock.next()).toBeUndefined();
  };
  const pass = async (ms = 0) => {
    for (let i = 0; i < 5; i += 1) await turn();
    await clock.settle(ms);
    for (let i = 0; i < 5; i += 1) await turn();
  };
  await pass();
  const shown = () =>
    [...store.values()].map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).sort();
  return { clock, store, follower, asked, times, told, pass, shown, signal: stop.signal };
}

const raised = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));

describe("a streamed list", () => {
  it("counts from its end on, with all that changed while it was sent", async () => {
    const { follower, shown, told } = await following([
      { lines: [added("x", 1), added("y", 2), added("z", 3), modified("x", 4), removed("y", 5), endOfList(6)] },
    ]);
    expect([shown(), follower.version, follower.isSynced, told]).toEqual([["x@4", "z@3"], "6", true, ["listed"]]);
  });

  it("is not there before its end", async () => {
    const { follower, store } = await following([{ lines: [added("x", 1)] }]);
    expect([store.size, follower.isSynced]).toEqual([0, false]);
  });

  it.each<readonly [string, Answer]>([
    ["is refused", new ApiError("GET", { code: 422, reason: "Invalid" })],
    ["is over before its list is", { lines: [added("x", 1)], then: "end" }],
    ["goes on without an end of the list", { lines: [added("x", 1), modified("x", 2), bookmark(3)] }],
  ])("that %s is read in pages, at once and from then on", async (_what, answer) => {
    const expired = new ApiError("GET", { code: 410, reason: "Expired" });
    const page = { page: [map("x", 2)], version: "3" };
    const { asked, told, pass } = await following([answer, page, expired, page, { lines: [] }]);
    await pass(1_000);
    expect(asked).toEqual(["watch all", "list 500", "watch 3", "list 500", "watch 3"]);
    expect(told).toEqual(["listed", "expired", "listed"]);
  });

  it("that never says anything is read in pages after half a minute", async () => {
    const { asked, pass } = await following([{ lines: [] }, at(3), { lines: [] }]);
    await pass(29_000);
    expect(asked).toEqual(["watch all"]);
    await pass(1_000);
    expect(asked).toEqual(["watch all", "list 500", "watch 3"]);
  });
});

describe("the echo of a write of ours", () => {
  const echo = (name: string, version: number, whole: () => KubeObject): Line => ({
    type: "MODIFIED",
    object: new Echo(map(name, version).metadata ?? {}, whole),
  });
  const unneeded = (): never => {
    throw new Error("it was parsed");
  };

  it("is not parsed where the very same state is held, in a list and after it", async () => {
    const store = new Store<KubeObject>();
    store.wrote(map("x", 3));
    store.wrote(map("y", 7));
    const lines = [echo("x", 3, unneeded), endOfList(5), echo("y", 7, unneeded), modified("x", 8)];
    const { follower } = await following([{ lines }], { store });
    const shown = [...store.values()].map(({ metadata }) => metadata?.resourceVersion);
    expect([shown, follower.version]).toEqual([["8", "7"], "8"]);
  });

  it("is parsed where it is not, as after a restore that counts versions anew", async () => {
    const { shown, follower } = await following([
      {
        lines: [
          echo("x", 3, () => map("z", 3)),
          endOfList(5),
          echo("x", 6, () => map("y", 6)),
          echo("y", 7, () => map("y", 7)),
        ],
      },
    ]);
    expect([shown(), follower.version]).toEqual([["y@7", "z@3"], "7"]);
  });
});

describe("a list in pages", () => {
  it("gives its items their kind, which a server leaves out", async () => {
    const { store } = await following([{ page: [map("x", 1)], version: "5" }, { lines: [] }], { lists: "pages" });
    expect([...store.values()]).toEqual([{ apiVersion: "v1", kind: "ConfigMap", ...map("x", 1) }]);
  });

  it("is read to its last page, and then followed from its first version", async () => {
    const { asked, shown } = await following(
      [
        { page: [map("x", 1)], version: "5", next: "t1" },
        { page: [map("y", 2)], version: "5", next: "t2" },
        { page: [map("z", 3)], version: "5" },
        { lines: [] },
      ],
      { lists: "pages" },
    );
    expect(asked).toEqual(["list 500", "list 5000 t1", "list 5000 t2", "watch 5"]);
    expect(shown()).toEqual(["x@1", "y@2", "z@3"]);
  });

  it("whose tokens expire again and again is read at once, and in pages again the next time", async () => {
    const expired = new ApiError("GET", { code: 410, reason: "Expired" });
    const first = { page: [map("x", 1)], version: "5", next: "t" };
    const { asked, pass, told } = await following(
      [first, expired, first, expired, { page: [map("x", 1)], version: "6" }, expired, at(7), { lines: [] }],
      { lists: "pages" },
    );
    await pass(5_000);
    expect(asked.filter((line) => !line.includes(" t"))).toEqual([
      "list 500",
      "list 500",
      "list all",
      "watch 6",
      "list 500",
      "watch 7",
    ]);
    expect(told).toEqual(["expired", "expired", "listed", "expired", "listed"]);
  });

  it("without a version is no list: nothing is forgotten for it", async () => {
    const expired = new ApiError("GET", { code: 410, reason: "Expired" });
    const { shown, pass, told } = await following(
      [{ page: [map("x", 1)], version: "5" }, expired, { page: [], version: "" }],
      { lists: "pages" },
    );
    await pass(200);
    expect([shown(), told.slice(0, 3)]).toEqual([["x@1"], ["listed", "expired", "garbled"]]);
  });
});

describe("a stream that ends", () => {
  const list: Answer = { lines: [added("x", 1), endOfList(5), modified("x", 6)], then: "end" };

  it("in good order is gone on with where it was, after a question, without a list", async () => {
    const { asked, told, shown } = await following([list, at(6), { lines: [modified("x", 7)] }]);
    expect(asked).toEqual(["watch all", "ask", "watch 6"]);
    expect(told).toEqual(["listed", "resumed"]);
    expect(shown()).toEqual(["x@7"]);
  });

  it.each([
    ["cut", new StreamError("cut", "")],
    ["garbled", new StreamError("garbled", "")],
    ["cut", new ConnectionError("body", "")],
  ] as const)("%s is gone on with, too", async (what, then) => {
    const { asked, told } = await following([{ ...list, then }, at(6), { lines: [] }]);
    expect(asked).toEqual(["watch all", "ask", "watch 6"]);
    expect(told).toEqual(["listed", what, "resumed"]);
  });

  it("with an event that is none is gone on with from the last whole one", async () => {
    const nothing = { type: "ADDED", object: null } as unknown as Line;
    const { asked, told, follower } = await following([
      { lines: [endOfList(5), added("y", 6), nothing, added("z", 7)] },
      at(9),
      { lines: [added("z", 7)] },
    ]);
    expect([asked.at(-1), told, follower.version]).toEqual(["watch 6", ["listed", "garbled", "resumed"], "7"]);
  });

  it("again and again at once is gone on with less and less often, and read anew in the end", async () => {
    const empty: Answer = { lines: [], then: "end" };
    const answers = Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? at(6) : empty));
    const { asked, times, pass } = await following([list, ...answers, { lines: [endOfList(9)] }]);
    await pass(60_000);
    const streams = times.filter((_, i) => asked[i]?.startsWith("watch"));
    const gaps = streams.map((time, i) => time - (streams[i - 1] ?? 0)).slice(2);
    expect(gaps).toEqual([...gaps].sort((one, other) => one - other));
    expect(gaps.at(-1)).toBeGreaterThan(6_000);
    expect(asked).toEqual(["watch all", ...Array.from({ length: 8 }, () => ["ask", "watch 6"]).flat(), "watch all"]);
  });

  it("by events in the wrong order leads to a list", async () => {
    const { asked, told, pass, shown } = await following([
      { lines: [endOfList(5), added("y", 8), added("x", 7)] },
      { lines: [added("x", 7), added("y", 8), endOfList(8)] },
    ]);
    await pass(200);
    expect([asked, told, shown()]).toEqual([
      ["watch all", "watch all"],
      ["listed", "rewound", "listed"],
      ["x@7", "y@8"],
    ]);
  });
});

describe("silence", () => {
  const beating: Answer = { lines: [added("x", 1), endOfList(5)] };

  it("without bookmarks is believed until the stream should have ended", async () => {
    const { asked, pass, told } = await following([beating, at(5), { lines: [] }]);
    await pass(629_000);
    expect(told).toEqual(["listed"]);
    await pass(2_000);
    expect([told, asked]).toEqual([
      ["listed", "stalled", "resumed"],
      ["watch all", "ask", "watch 5"],
    ]);
  });

  it("twice in a row leads to a list: a stream may never bring anything", async () => {
    const { asked, pass } = await following([beating, at(5), { lines: [] }, beating]);
    await pass(1_300_000);
    expect(asked).toEqual(["watch all", "ask", "watch 5", "watch all"]);
  });

  it("is counted from the server's last word, however often it is tried", async () => {
    const { follower, pass } = await following([{ ...beating, then: new StreamError("cut", "") }]);
    await pass(120_000);
    expect(follower.silent).toBe(120_000);
  });
});

describe("a server that went back in time", () => {
  const list: Answer = { lines: [added("x", 900), endOfList(1000)], then: "end" };
  const old: Answer = { lines: [added("x", 300), endOfList(500)] };

  it("is not believed while it may only lag: what is known stays", async () => {
    const { asked, told, pass, shown } = await following([
      list,
      at(990),
      at(990),
      at(1010),
      { lines: [added("x", 900), added("y", 1005), endOfList(1010)] },
    ]);
    await pass(60);
    expect(shown()).toEqual(["x@900"]);
    await pass(1_000);
    expect(asked).toEqual(["watch all", "ask", "ask", "ask", "watch all"]);
    expect([told, shown()]).toEqual([
      ["listed", "rewound", "rewound", "listed"],
      ["x@900", "y@1005"],
    ]);
  });

  it("and is as far again since is found out by the newest object that we know", async () => {
    const past = { page: [map("x", 300)], version: "1010" };
    const other = { page: [map("x", 1000)], version: "1010" };
    for (const answer of [past, other]) {
      const again: Answer = {
        lines: [...answer.page.map(({ metadata }) => added("x", Number(metadata?.resourceVersion))), endOfList(1010)],
      };
      const { pass, shown, told } = await following([list, ...Array.from({ length: 8 }, () => answer), again]);
      await pass(30_000);
      expect(told).toContain("rewound");
      expect(shown()).toEqual(answer.page.map(({ metadata }) => `x@${metadata?.resourceVersion}`));
      await ending?.();
    }
  });

  it.each([
    ["is as it was", [map("x", 900)]],
    ["has changed since", [map("x", 1005)]],
    ["is gone since", []],
  ])("is none whose newest object %s", async (_how, page) => {
    const { asked, told, pass } = await following([list, { page, version: "1010" }, { lines: [] }]);
    await pass(1_000);
    expect([asked, told]).toEqual([
      ["watch all", "ask", "watch 1000"],
      ["listed", "resumed"],
    ]);
  });

  it("is believed after a while, and its word alone counts from then on", async () => {
    const { asked, pass, shown, follower } = await following([list, ...Array.from({ length: 8 }, () => at(500)), old]);
    await pass(5_000);
    expect(shown()).toEqual(["x@900"]);
    await pass(20_000);
    expect(asked).toEqual(["watch all", ...Array.from({ length: 8 }, () => "ask"), "watch all"]);
    expect([shown(), follower.version]).toEqual([["x@300"], "500"]);
  });

  it("and has come as far again has other objects under the same versions", async () => {
    const other = { ...map("x", 1000), data: { from: "the other life" } };
    const echo = new Echo(other.metadata as Echo["metadata"], () => other);
    for (const object of [other, echo]) {
      await ending?.();
      const { pass, store } = await following([
        { lines: [added("x", 1000), endOfList(1000)], then: "end" },
        at(990),
        at(1000),
        { lines: [{ type: "ADDED", object }, endOfList(1000)] },
      ]);
      await pass(1_000);
      expect([...store.values()]).toEqual([other]);
    }
  });

  it("is found by our own writes too, of which it had not told yet", async () => {
    const { asked, pass, store, shown } = await following([
      { lines: [added("x", 900), endOfList(1000)] },
      ...Array.from({ length: 8 }, () => at(1002)),
      { lines: [added("x", 900), endOfList(1002)] },
    ]);
    store.wrote(map("x", 1005));
    await pass(631_000); // the stream is given up
    expect(shown()).toEqual(["x@1005"]);
    await pass(30_000);
    expect(asked).toEqual(["watch all", ...Array.from({ length: 8 }, () => "ask"), "watch all"]);
    expect(shown()).toEqual(["x@900"]);
  });

  it("is found by a list that does not hold what it had acknowledged before", async () => {
    const expired = new ApiError("GET", { code: 410, reason: "Expired" });
    const { asked, pass, store, shown } = await following([
      { lines: [added("x", 900), endOfList(1000), bookmark(1001)], then: expired },
      { lines: [added("x", 900), endOfList(1002)] },
      at(1005),
      { lines: [added("x", 900), endOfList(1006)] },
    ]);
    store.wrote(map("x", 1005));
    await pass(160);
    expect(shown()).toEqual(["x@1005"]);
    await pass(1_000);
    expect(asked.slice(2)).toEqual(["ask", "watch all"]);
    expect(shown()).toEqual(["x@900"]);
  });

  it("may be found out by others, who tell: then nobody waits any longer", async () => {
    const { asked, pass, shown, follower, clock } = await following([list, at(500), old]);
    await pass(160);
    expect(asked).toEqual(["watch all", "ask"]);
    follower.doubt("500");
    await pass();
    expect([asked.slice(2), shown(), clock.uptime()]).toEqual([["watch all"], ["x@300"], 160]);
  });

  it("is asked with patience by who was told, in pages where it streams no lists", async () => {
    const unsupported = new ApiError("GET", {
      code: 422,
      reason: "Invalid",
      details: { causes: [{ field: "sendInitialEvents", reason: "FieldValueForbidden" }] },
    });
    const { asked, pass, follower, shown } = await following([
      list,
      unsupported,
      ...Array.from({ length: 5 }, () => new ConnectionError("connect", "there is no server")),
      { page: [map("x", 300)], version: "500" },
    ]);
    follower.doubt("500");
    await pass(150);
    expect(asked.slice(0, 3)).toEqual(["watch all", "watch all", "list 500"]);
    expect(asked.length).toBeLessThan(6);
    await pass(30_000);
    expect([asked[7], shown()]).toEqual(["list 500", ["x@300"]]);
  });

  it("is read to the end, however often it is doubted meanwhile", async () => {
    const { pass, follower, shown } = await following([list, old]);
    for (let i = 0; i < 5; i += 1) {
      follower.doubt("500");
      await turn();
    }
    await pass();
    expect(shown()).toEqual(["x@300"]);
  });

  it("may have other objects for those too who know of nothing newer", async () => {
    const other = { ...map("x", 900), data: { from: "the other life" } };
    const { asked, pass, follower, store } = await following([
      { lines: [added("x", 900), endOfList(1000)] },
      { lines: [{ type: "ADDED", object: other }, endOfList(1000)] },
    ]);
    follower.doubt("1000");
    await pass();
    expect(asked).toEqual(["watch all", "watch all"]);
    expect([...store.values()]).toEqual([other]);
  });

  it("is told of by who found it, and not by those who were told", async () => {
    for (const isTold of [false, true]) {
      await ending?.();
      const heard: string[] = [];
      const asks = Array.from({ length: isTold ? 1 : 8 }, () => at(500));
      const { pass, follower } = await following([list, ...asks, old], { onDoubt: (version) => heard.push(version) });
      if (isTold) follower.doubt("500");
      await pass(30_000);
      expect(heard).toEqual(isTold ? [] : ["500"]);
    }
  });

  it("is found by its list, where nobody asked", async () => {
    const expired = new ApiError("GET", { code: 410, reason: "Expired" });
    const { asked, pass, shown } = await following([{ ...list, then: expired }, old, at(1000), { lines: [] }]);
    await pass(160);
    expect([asked, shown()]).toEqual([["watch all", "watch all"], ["x@900"]]);
    await pass(1_000);
    expect(asked.slice(2)).toEqual(["ask", "watch all"]);
  });

  it("is not asked by whoever may watch but not list", async () => {
    const forbidden = new ApiError("GET", { code: 403, reason: "Forbidden" });
    const { asked, pass } = await following([list, forbidden, { lines: [] }]);
    await pass(200);
    expect(asked).toEqual(["watch all", "ask", "watch 1000"]);
  });
});

describe("trouble", () => {
  it("is told in words until the server is heard of again", async () => {
    const missing = new ApiError("GET /things", { code: 404, reason: "NotFound", message: "no such thing" });
    const { follower, pass } = await following([missing, { lines: [endOfList(5)] }]);
    expect(follower.trouble).toEqual({ is: "missing", why: "GET /things: 404 NotFound: no such thing" });
    await pass(3_000);
    expect([follower.trouble, follower.isSynced]).toEqual([undefined, true]);
  });

  it("of whoever listens does not end the watch", async () => {
    const { shown, follower } = await following([{ lines: [added("x", 1), endOfList(5), modified("x", 6)] }], {
      onHappening: () => {
        throw new Error("deaf");
      },
    });
    expect([shown(), follower.version]).toEqual([["x@6"], "6"]);
  });

  it("leaves nothing behind, however long it lasts", async () => {
    const broken = Array.from(
      { length: 400 },
      (_, i): Answer => (i % 2 === 0 ? at(1_000) : { lines: [bookmark(6 + i)], then: "end" }),
    );
    const { asked, signal, clock, pass } = await following([{ lines: [endOfList(5)], then: "end" }, ...broken, at(1)]);
    await pass(1_000);
    expect(asked.length).toBeGreaterThan(300);
    expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(1);
    expect(clock.next()).toBeDefined();
  });
});
