import { VirtualClock } from "@telltale/clock";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Expired, RevisionMismatch, StoreFailed } from "./errors.ts";
import type { HistoryLimits } from "./history.ts";
import { Store, type StoreEvent } from "./store.ts";

function newStore(history: Partial<HistoryLimits> = {}): { store: Store; clock: VirtualClock } {
  const clock = new VirtualClock();
  return { store: new Store({ clock, history }), clock };
}

const object = (value: number) => ({ kind: "Thing", metadata: { name: "x" }, value });
const shown = (event: StoreEvent) => `${event.revision} ${event.type} ${event.key} ${event.record.json}`;

describe("commit", () => {
  test("an empty store is at revision 1, and each write adds 1", () => {
    const { store } = newStore();
    expect(store.revision).toBe(1);
    const { record } = store.commit("//pods/a/x", { expect: "absent", object: object(1) });
    expect(record).toMatchObject({ revision: 2, created: 2, key: "//pods/a/x" });
    expect(store.commit("//pods/a/x", { expect: 2, object: object(2) }).record).toMatchObject({
      revision: 3,
      created: 2,
    });
    expect(store.revision).toBe(3);
    expect(store.get("//pods/a/x")?.json).toBe(
      '{"kind":"Thing","metadata":{"name":"x","resourceVersion":"3"},"value":2}',
    );
  });

  test("a deletion tells the last state at its own revision", () => {
    const { store } = newStore();
    store.commit("//pods/a/x", { object: object(1) });
    const { record } = store.commit("//pods/a/x", { object: undefined });
    expect(record.object()).toEqual({ ...object(1), metadata: { name: "x", resourceVersion: "3" } });
    expect(record.created).toBe(2);
    expect(store.get("//pods/a/x")).toBeUndefined();
    expect(store.events(2)).toMatchObject([{ type: "DELETED", revision: 3, previous: { revision: 2 } }]);
  });

  test.each([
    ["a key that exists is expected absent", "absent" as const, object(2), "/g/r/here", 2],
    ["another revision is expected", 1, object(2), "/g/r/here", 2],
    ["a missing key is expected at a revision", 2, object(2), "/g/r/gone", undefined],
    ["a missing key is deleted", undefined, undefined, "/g/r/gone", undefined],
    ["a missing key is deleted and expected absent", "absent" as const, undefined, "/g/r/gone", undefined],
  ])("%s: nothing changes", (_, expected, object_, key, actual) => {
    const { store } = newStore();
    store.commit("/g/r/here", { object: object(1) });
    const write = () => store.commit(key, { ...(expected === undefined ? {} : { expect: expected }), object: object_ });
    expect(write).toThrow(expect.objectContaining({ code: "RevisionMismatch", key, actual }));
    expect(write).toThrow(RevisionMismatch);
    expect(store.revision).toBe(2);
    expect(store.events(1)).toHaveLength(1);
  });

  test.each(["", "/", "/pods", "/g/r", "/g/r/", "/g/r/a\0b"])("%j is no key", (key) => {
    expect(() => newStore().store.commit(key, { object: object(1) })).toThrow(TypeError);
  });
});

test("lists are in the order of the bytes of keys: namespace a-b before a", () => {
  const { store } = newStore();
  for (const key of ["//pods/a/x", "//pods/b/x", "//pods/a-b/x", "/apps/deployments/a/x"]) {
    store.commit(key, { object: object(1) });
  }
  expect(store.scan("//pods/").records.map(({ key }) => key)).toEqual(["//pods/a-b/x", "//pods/a/x", "//pods/b/x"]);
  expect(store.scan("//pods/a/").records.map(({ key }) => key)).toEqual(["//pods/a/x"]);
  expect(store.scan("/").records.map(({ key }) => key)).toEqual([
    "//pods/a-b/x",
    "//pods/a/x",
    "//pods/b/x",
    "/apps/deployments/a/x",
  ]);
  expect(store.scan("", { limit: 2, after: "//pods/a/x" })).toMatchObject({ more: false, revision: 5 });
});

test("the pages of a list show one revision while the world goes on", () => {
  const { store } = newStore();
  for (let i = 0; i < 10; i++) store.commit(`//pods/a/${i}`, { object: object(i) });
  const first = store.scan("//pods/", { limit: 4 });
  expect(first).toMatchObject({ revision: 11, more: true });
  expect(first.count()).toBe(10);
  store.commit("//pods/a/5", { object: undefined });
  store.commit("//pods/a/45", { object: object(0) });
  store.commit("//pods/a/6", { object: object(66) });
  const second = store.scan("//pods/", { at: first.revision, after: "//pods/a/3", limit: 4 });
  expect(second.records.map(({ key, revision }) => `${key}@${revision}`)).toEqual([
    "//pods/a/4@6",
    "//pods/a/5@7",
    "//pods/a/6@8",
    "//pods/a/7@9",
  ]);
  expect([second.revision, second.more, second.count()]).toEqual([11, true, 6]);
  expect(store.get("//pods/a/6", 11)?.revision).toBe(8);
  expect(store.get("//pods/a/45", 11)).toBeUndefined();
});

/** A history of writes by a plain model: the state behind every revision. */
const writes = fc.array(
  fc.record({
    key: fc.constantFrom("//pods/a/x", "//pods/a/y", "//pods/a-b/x", "/apps/sets/a/x", "/apps/sets/b", "//podsets/a/x"),
    object: fc.option(fc.nat().map(object), { nil: undefined, freq: 3 }),
    /** Reads with a limit leave a past behind that later reads use. */
    page: fc.boolean(),
  }),
  { maxLength: 40 },
);
const prefixes = ["", "/", "//pods/", "//pods/a/", "/apps/sets/", "//none/"];

function play(store: Store, steps: typeof writes extends fc.Arbitrary<infer T> ? T : never) {
  const pasts = [new Map<string, string>(), new Map<string, string>()];
  const events: string[] = [];
  for (const { key, object, page } of steps) {
    const state = new Map(pasts.at(-1));
    const before = state.get(key);
    if (object === undefined && before === undefined) continue;
    const { record } = store.commit(key, { object });
    if (object === undefined) state.delete(key);
    else state.set(key, record.json);
    pasts.push(state);
    const type = object === undefined ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
    events.push(`${store.revision} ${type} ${key} ${record.json}`);
    if (page) store.scan("//pods/", { limit: 1 });
  }
  return { pasts, events };
}

describe("against a model", () => {
  test("a scan at any revision is the model's past", () => {
    fc.assert(
      fc.property(writes, fc.nat({ max: 3 }), (steps, limit) => {
        const { store } = newStore();
        const { pasts } = play(store, steps);
        for (let at = 1; at <= store.revision; at++) {
          for (const prefix of prefixes) {
            const wanted = [...(pasts[at] ?? [])]
              .filter(([key]) => key.startsWith(prefix))
              .sort(([a], [b]) => (a < b ? -1 : 1));
            const scan = store.scan(prefix, { at, limit });
            const most = limit === 0 ? wanted.length : limit;
            expect(scan.records.map(({ key, json }) => [key, json])).toEqual(wanted.slice(0, most));
            expect(scan.count()).toBe(wanted.length);
            expect(scan.more).toBe(wanted.length > most);
          }
          for (const [key, json] of pasts[at] ?? []) expect(store.get(key, at)?.json).toBe(json);
        }
      }),
    );
  });

  test("a subscription from any revision, taken at any time, hears exactly the rest", () => {
    fc.assert(
      fc.property(writes, fc.nat({ max: 40 }), fc.nat(), fc.constantFrom(...prefixes), (steps, when, back, prefix) => {
        const { store } = newStore();
        const before = play(store, steps.slice(0, when));
        const from = 1 + (back % store.revision);
        const heard: string[] = [];
        const end = store.subscribe(prefix, from, (event) => heard.push(shown(event)));
        const after = play(store, steps.slice(when));
        const all = [...before.events, ...after.events];
        // The second part of the play begins from nothing in its model: only what the store did counts.
        const real = store.events(1).map(shown);
        expect(real.map((line) => line.split(" ")[0])).toEqual(all.map((line) => line.split(" ")[0]));
        const wanted = real.filter(
          (line) => Number(line.split(" ")[0]) > from && line.split(" ")[2]?.startsWith(prefix),
        );
        expect(heard).toEqual(wanted);
        end();
        store.commit("//pods/a/x", { object: object(0) });
        expect(heard).toEqual(wanted);
      }),
    );
  });

  test("events undo and redo into each other", () => {
    fc.assert(
      fc.property(writes, (steps) => {
        const { store } = newStore();
        const { events } = play(store, steps);
        expect(store.events(1).map(shown)).toEqual(events);
        for (const { type, previous, record, revision } of store.events(1)) {
          expect(previous === undefined).toBe(type === "ADDED");
          expect(record.revision).toBe(revision);
          expect(record.created).toBe(previous?.created ?? revision);
        }
      }),
    );
  });
});

describe("delivery", () => {
  test("a listener that writes does not change the order for others", () => {
    const { store } = newStore();
    const heard: number[] = [];
    store.subscribe("//pods/", 1, ({ revision }) => {
      if (revision < 4) store.commit(`//pods/a/${revision}`, { object: object(revision) });
    });
    store.subscribe("", 1, ({ revision }) => heard.push(revision));
    store.commit("//pods/a/x", { object: object(0) });
    expect(heard).toEqual([2, 3, 4]);
  });

  test("who subscribes while an event is delivered hears it once", () => {
    const { store } = newStore();
    const heard: number[] = [];
    const end = store.subscribe("//pods/", 1, () => {
      end();
      store.commit("//pods/a/y", { object: object(0) });
      store.subscribe("//pods/", 1, ({ revision }) => heard.push(revision));
    });
    store.commit("//pods/a/x", { object: object(0) });
    expect(heard).toEqual([2, 3]);
  });

  test("a listener that writes while it hears the past goes on without a gap", () => {
    const { store } = newStore();
    store.commit("//pods/a/x", { object: object(0) });
    store.commit("//pods/a/x", { object: object(1) });
    const heard: number[] = [];
    store.subscribe("//pods/", 1, ({ revision }) => {
      heard.push(revision);
      if (revision < 5) store.commit("//pods/a/z", { object: object(revision) });
    });
    expect(heard).toEqual([2, 3, 4, 5, 6]);
  });

  test("a revision of the future only hears what comes behind it", () => {
    const { store } = newStore();
    const heard: number[] = [];
    store.subscribe("", 3, ({ revision }) => heard.push(revision));
    for (let i = 0; i < 4; i++) store.commit("//pods/a/x", { object: object(i) });
    expect(heard).toEqual([4, 5]);
  });
});

describe("the past ends", () => {
  const filled = (history: Partial<HistoryLimits> = {}) => {
    const made = newStore(history);
    for (let i = 0; i < 10; i++) made.store.commit("//pods/a/x", { object: object(i) });
    return made;
  };

  test.each<[string, (store: Store, clock: VirtualClock) => void, Partial<HistoryLimits>, number]>([
    ["where it is compacted", (store) => store.compact(5), {}, 5],
    ["now, when no revision is named", (store) => store.compact(), {}, 11],
    ["behind the most events kept", () => undefined, { maxEvents: 3 }, 8],
    ["behind the most text kept", () => undefined, { maxLength: 150 }, 9],
    ["when it is too old", (_, clock) => clock.advance(300_001), {}, 11],
  ])("%s", (_, act, limits, compacted) => {
    const { store, clock } = filled(limits);
    act(store, clock);
    expect(store.compacted).toBe(compacted);
    expect(store.scan("//pods/", { at: compacted }).records).toMatchObject([{ revision: compacted }]);
    const heard: number[] = [];
    store.subscribe("", compacted, ({ revision }) => heard.push(revision));
    expect(heard).toHaveLength(11 - compacted);
    const early = compacted - 1;
    expect(() => store.scan("//pods/", { at: early })).toThrow(new Expired(early, compacted));
    expect(() => store.get("//pods/a/x", early)).toThrow(Expired);
    expect(() => store.subscribe("", early, () => undefined)).toThrow(Expired);
    expect(() => store.events(early)).toThrow(Expired);
  });

  test("a page that was kept expires with its revision", () => {
    const { store } = filled();
    store.commit("//pods/a/y", { object: object(0) });
    const { revision } = store.scan("//pods/", { limit: 1 });
    store.commit("//pods/a/y", { object: object(1) });
    expect(store.scan("//pods/", { at: revision }).records).toHaveLength(2);
    store.compact();
    expect(() => store.scan("//pods/", { at: revision })).toThrow(Expired);
  });

  test("followers that are up to date go on over a compaction", () => {
    const { store } = filled();
    const heard: number[] = [];
    store.subscribe("", 11, ({ revision }) => heard.push(revision));
    store.compact();
    store.commit("//pods/a/x", { object: object(0) });
    expect(heard).toEqual([12]);
  });

  test("the future cannot be compacted or read", () => {
    const { store } = filled();
    expect(() => store.compact(12)).toThrow(RangeError);
    expect(() => store.scan("", { at: 12 })).toThrow(RangeError);
  });
});

describe("setRevision", () => {
  test("jumps beyond 2^31, and the past stays readable", () => {
    const { store } = newStore();
    store.commit("//pods/a/x", { object: object(0) });
    store.setRevision(2 ** 31 + 5);
    expect(store.commit("//pods/a/x", { object: object(1) }).record.json).toContain('"resourceVersion":"2147483654"');
    expect(store.scan("", { at: 77 }).records).toMatchObject([{ revision: 2 }]);
  });

  test.each([1, 1.5, 2 ** 53, Number.NaN])("does not go to %s", (revision) => {
    const { store } = newStore();
    store.commit("//pods/a/x", { object: object(0) });
    expect(() => store.setRevision(revision)).toThrow(RangeError);
  });

  test("behind the last revision there is none", () => {
    const { store } = newStore();
    store.setRevision(Number.MAX_SAFE_INTEGER);
    expect(() => store.commit("//pods/a/x", { object: object(0) })).toThrow(StoreFailed);
  });
});

describe("snapshot and restore", () => {
  test("everything is as it was, past included, as often as wanted", () => {
    fc.assert(
      fc.property(writes, writes, (first, second) => {
        const { store } = newStore();
        const { pasts, events } = play(store, first);
        const snapshot = store.snapshot();
        const revision = store.revision;
        for (let round = 0; round < 2; round++) {
          const { record } = store.commit("//pods/a/x", { object: object(round) });
          expect(record.revision).toBe(revision + 1);
          play(
            store,
            second.filter(({ object }) => object !== undefined),
          );
          store.restore(snapshot);
          expect(store.revision).toBe(revision);
          expect(store.events(1).map(shown)).toEqual(events);
          for (let at = 1; at <= revision; at++) {
            expect(new Map(store.scan("", { at }).records.map(({ key, json }) => [key, json]))).toEqual(pasts[at]);
          }
        }
      }),
    );
  });

  test("a past that did not happen is forgotten", () => {
    const { store } = newStore();
    for (const name of ["a", "b"]) store.commit(`//pods/a/${name}`, { object: object(0) });
    const snapshot = store.snapshot();
    store.commit("//pods/a/a", { object: object(1) });
    const { revision } = store.scan("//pods/", { limit: 1 });
    store.restore(snapshot);
    store.commit("//pods/a/b", { object: object(2) });
    store.commit("//pods/a/b", { object: object(3) });
    const values = store.scan("//pods/", { at: revision }).records.map((record) => record.object()["value"]);
    expect(values).toEqual([0, 2]);
  });

  test("followers are let go, and told", () => {
    const { store } = newStore();
    const heard: string[] = [];
    const snapshot = store.snapshot();
    store.subscribe("", 1, shown, () => heard.push("ended"));
    store.subscribe("", 1, shown, () => heard.push("not me"))();
    store.restore(snapshot);
    store.commit("//pods/a/x", { object: object(0) });
    expect(heard).toEqual(["ended"]);
  });
});

test("a closed store takes no writes and tells its followers", async () => {
  const { store } = newStore();
  let ended = 0;
  store.subscribe(
    "",
    1,
    () => undefined,
    () => ended++,
  );
  await store.close();
  await store.close();
  expect(ended).toBe(1);
  expect(() => store.commit("//pods/a/x", { object: object(0) })).toThrow(StoreFailed);
});
