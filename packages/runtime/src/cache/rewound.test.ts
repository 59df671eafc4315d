import { ApiError, ConnectionError } from "@telltale/client";
import { turn } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterEach, describe, expect, it } from "vitest";
import { type Answer, added, at, bookmark, end, endOfList, following, map } from "../../test/follow-stage.ts";
import { Echo } from "./echoes.ts";
import { Store } from "./store.ts";

afterEach(end);

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
      await end();
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
      await end();
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
      at(1005),
      { lines: [added("x", 900), endOfList(1006)] },
    ]);
    store.wrote(map("x", 1005));
    await pass(160);
    expect(shown()).toEqual(["x@1005"]);
    await pass(1_000);
    expect(asked.slice(2)).toEqual(["ask", "ask", "watch all"]);
    expect(shown()).toEqual(["x@900"]);
  });

  it("and is as far again since is found out where nobody tells of the end of what is not there", async () => {
    const none: Answer = { page: [], version: "1010" };
    const again: Answer = { lines: [added("y", 300), endOfList(1020)] };
    for (const last of [bookmark(1010), added("z", 1011)]) {
      const { asked, pass, shown } = await following([list, none, { lines: [bookmark(1009), last] }, again]);
      await pass(1_000);
      expect([asked, shown()]).toEqual([["watch all", "ask", "watch 1000", "watch all"], ["y@300"]]);
    }
  });

  it("is found by a list that was asked for before a write, and read after it was undone", async () => {
    const store = new Store<KubeObject>();
    const lines = function* () {
      store.wrote(map("y", 61));
      yield endOfList(49);
    };
    const again = { lines: [added("x", 40), endOfList(49)] };
    const { asked, pass } = await following([{ lines: lines() }, ...Array.from({ length: 8 }, () => at(49)), again], {
      store,
    });
    await pass(60_000);
    const shown = [...store.values()].map(({ metadata }) => metadata?.name);
    expect([asked.at(-1), shown]).toEqual(["watch all", ["x"]]);
  });

  it("is found by its first list, where that is older than what it had acknowledged", async () => {
    const store = new Store<KubeObject>();
    store.wrote(map("y", 61));
    const before = { lines: [added("x", 40), endOfList(49)] };
    const { asked, pass } = await following([before, ...Array.from({ length: 8 }, () => at(49)), before], { store });
    await pass(60_000);
    const shown = [...store.values()].map(({ metadata }) => metadata?.name);
    expect([asked.at(-1), shown]).toEqual(["watch all", ["x"]]);
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
      await end();
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
