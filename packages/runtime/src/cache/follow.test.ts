import { getEventListeners } from "node:events";
import { ApiError, ConnectionError, StreamError } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Answer,
  added,
  at,
  bookmark,
  end,
  endOfList,
  following,
  type Line,
  map,
  modified,
  removed,
} from "../../test/follow-stage.ts";
import { Echo } from "./echoes.ts";
import { Store } from "./store.ts";

afterEach(end);

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
    const lines = function* () {
      yield* [echo("x", 3, unneeded), endOfList(5)];
      store.wrote(map("y", 7));
      yield* [echo("y", 7, unneeded), modified("x", 8)];
    };
    const { follower } = await following([{ lines: lines() }], { store });
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
