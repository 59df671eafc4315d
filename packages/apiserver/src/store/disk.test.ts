import { EventEmitter } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn, VirtualClock } from "@telltale/clock";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { DiskFault, DiskLimits, SyncMode } from "./disk.ts";
import { Expired, StoreFailed, StoreUnusable } from "./errors.ts";
import { encode } from "./log.ts";
import { openStore } from "./open.ts";
import type { Store } from "./store.ts";

// In memory where the system has such a folder: thousands of syncs of a real disk take a minute and show nothing more.
const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "telltale-store-"));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = (): string => join(root, String(folders++));

interface Opening {
  readonly sync?: SyncMode;
  readonly limits?: Partial<DiskLimits>;
  readonly faults?: (operation: "write" | "sync") => DiskFault | undefined;
  readonly clock?: VirtualClock;
}

async function openAt(dir: string, { sync = "never", limits = {}, faults, clock = new VirtualClock() }: Opening = {}) {
  const lines: string[] = [];
  const store = await openStore({
    clock,
    storage: { kind: "disk", dir, sync, limits },
    log: (line) => lines.push(line),
    ...(faults === undefined ? {} : { faults }),
  });
  return { store, lines };
}

const object = (value: number | string) => ({ metadata: { uid: "u", labels: { app: "x" } }, value });
const contents = (store: Store) =>
  store.scan("").records.map(({ key, revision, created, json }) => `${key} ${revision} ${created} ${json}`);
const files = (dir: string, kind: string) => readdirSync(dir).filter((name) => name.startsWith(kind));
const segmentOf = (dir: string): string => join(dir, files(dir, "wal-").at(-1) ?? "");

describe("a stop in order", () => {
  test.each<SyncMode>(["always", "interval", "never"])(
    "%s: everything is there, and the next revision follows",
    async (sync) => {
      const dir = newFolder();
      const { store } = await openAt(dir, { sync });
      store.commit("//pods/a/x", { object: object(1) });
      store.commit("//pods/a/y", { object: object("é 漢 \u{1f600}\n") });
      store.commit("//pods/a/x", { object: object(2) });
      const { durable } = store.commit("//pods/a/y", { object: undefined });
      await durable();
      const before = contents(store);
      await store.close();
      expect(files(dir, "LOCK")).toEqual([]);
      const { store: again, lines } = await openAt(dir);
      expect(contents(again)).toEqual(before);
      expect(before).toHaveLength(1);
      expect(again.get("//pods/a/x")).toMatchObject({ uid: "u", labels: { app: "x" }, created: 2 });
      expect([again.revision, again.compacted]).toEqual([5, 5]);
      expect(() => again.subscribe("", 4, () => undefined)).toThrow(Expired);
      expect(again.commit("//pods/a/z", { object: object(3) }).record.revision).toBe(6);
      expect(lines).toEqual([]);
      await again.close();
    },
  );

  test("a close waits for what is not yet written", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir);
    for (let i = 0; i < 500; i++) store.commit(`//pods/a/${i}`, { object: object(i) });
    await store.close();
    const { store: again } = await openAt(dir);
    expect(contents(again)).toHaveLength(500);
    await again.close();
  });

  test("a revision that was set stays set", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir);
    store.setRevision(2 ** 33);
    await store.close();
    const { store: again } = await openAt(dir);
    expect(again.revision).toBe(2 ** 33);
    await again.close();
  });
});

describe("a crash", () => {
  test("revisions are skipped, not used again, and old watches must list anew", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir);
    await store.commit("//pods/a/x", { object: object(1) }).durable();
    store.commit("//pods/a/lost", { object: object(2) });
    const lost = store.revision;
    await store.abandon();
    const { store: again } = await openAt(dir);
    expect(again.get("//pods/a/x")?.revision).toBe(2);
    expect(again.revision).toBeGreaterThan(lost);
    expect(again.compacted).toBe(again.revision);
    expect(again.commit("//pods/a/x", { object: object(3) }).record.revision).toBe(again.revision);
    await again.close();
  });

  test("more writes than are reserved at once", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir);
    for (let i = 0; i < 25_000; i++) store.commit(`//pods/a/${i % 10}`, { object: object(i) });
    store.setRevision(1_000_000);
    await store.abandon();
    const { store: again } = await openAt(dir);
    expect(again.revision).toBeGreaterThan(1_000_000);
    await again.close();
  });

  test("who waits for a write that was given up is told", async () => {
    const { store } = await openAt(newFolder());
    const { durable } = store.commit("//pods/a/x", { object: object(1) });
    const waiting = expect(durable()).rejects.toThrow(StoreFailed);
    await store.abandon();
    await waiting;
  });

  test("a log cut at any byte of the last records loses only what was cut", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir);
    const sizes: number[] = [];
    const states: string[][] = [];
    for (const [key, value] of [
      ["a", 1],
      ["b", 2],
      ["a", 3],
      ["b", undefined],
      ["c", 4],
    ] as const) {
      await store.commit(`//pods/a/${key}`, { object: value === undefined ? undefined : object(value) }).durable();
      sizes.push(statSync(segmentOf(dir)).size);
      states.push(contents(store));
    }
    await store.abandon();
    for (let size = sizes[1] ?? 0; size <= (sizes.at(-1) ?? 0); size++) {
      const copy = newFolder();
      cpSync(dir, copy, { recursive: true });
      truncateSync(segmentOf(copy), size);
      const whole = sizes.findLastIndex((end) => end <= size);
      const { store: again, lines } = await openAt(copy);
      expect(contents(again)).toEqual(states[whole]);
      expect(lines).toHaveLength(size === sizes[whole] ? 0 : 1);
      expect(statSync(segmentOf(copy)).size).toBe(sizes[whole]);
      // What is written behind the cut is found at the next start.
      await again.commit("//pods/a/new", { object: object(9) }).durable();
      const after = contents(again);
      await again.abandon();
      const { store: third, lines: none } = await openAt(copy);
      expect(contents(third)).toEqual(after);
      expect(none).toEqual([]);
      await third.abandon();
    }
  });
});

const small = { segmentBytes: 2_000, snapshotRecords: 50, snapshotBytes: 1e9 };

async function withSnapshot() {
  const dir = newFolder();
  const { store } = await openAt(dir, { limits: small });
  for (let i = 0; files(dir, "snap-").length === 0 || i < 300; i++) {
    await store.commit(`//pods/a/${i % 20}`, { object: object(i) }).durable();
    await turn();
  }
  const before = contents(store);
  await store.close();
  return { dir, before };
}

describe("snapshots", () => {
  test("keep the folder small, and nothing is lost, whatever is written", async () => {
    const write = fc.record({
      key: fc.nat({ max: 30 }),
      value: fc.option(fc.nat(), { freq: 4, nil: undefined }),
      wait: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 400, minLength: 100 }), fc.boolean(), async (writes, clean) => {
        const dir = newFolder();
        const { store } = await openAt(dir, { limits: small });
        for (const { key, value, wait } of writes) {
          const name = `//pods/a/${key}`;
          if (value === undefined && store.get(name) === undefined) continue;
          const { durable } = store.commit(name, { object: value === undefined ? undefined : object(value) });
          if (wait) await durable();
        }
        await store.commit("//pods/a/last", { object: object(0) }).durable();
        const before = contents(store);
        await (clean ? store.close() : store.abandon());
        const { store: again, lines } = await openAt(dir, { limits: small });
        expect(contents(again)).toEqual(before);
        expect(lines).toEqual([]);
        await again.close();
      }),
      { numRuns: 25 },
    );
  });

  test("older log files and snapshots are removed", async () => {
    const { dir, before } = await withSnapshot();
    const [snapshot] = files(dir, "snap-");
    const revision = Number(/\d+/.exec(snapshot ?? "")?.[0]);
    expect(files(dir, "snap-")).toHaveLength(1);
    expect(revision).toBeGreaterThan(50);
    expect(JSON.parse(readFileSync(join(dir, "MANIFEST"), "utf8"))).toMatchObject({ snapshot: revision });
    expect(files(dir, "wal-").length).toBeLessThan(30);
    const { store } = await openAt(dir);
    expect(contents(store)).toEqual(before);
    await store.close();
  });

  test("one that is damaged is not used, and a log without it is refused", async () => {
    const { dir } = await withSnapshot();
    const path = join(dir, files(dir, "snap-")[0] ?? "");
    const bytes = readFileSync(path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    await expect(openAt(dir)).rejects.toThrow(/snap-\d+\.jsonl is missing or damaged/);
    // And the folder is free for whoever puts it right.
    expect(files(dir, "LOCK")).toEqual([]);
  });

  test.each(["", "half"])("one that was left unfinished (%s) does not count", async (part) => {
    const { dir, before } = await withSnapshot();
    const whole = readFileSync(join(dir, files(dir, "snap-")[0] ?? ""));
    writeFileSync(join(dir, "snap-999999.jsonl"), part === "" ? "" : whole.subarray(0, whole.length >> 1));
    writeFileSync(join(dir, "snap-1000000.jsonl.tmp"), "{");
    const { store, lines } = await openAt(dir);
    expect(contents(store)).toEqual(before);
    expect(lines).toEqual([expect.stringContaining("snap-999999.jsonl has no end")]);
    expect(files(dir, "snap-")).toHaveLength(1);
    await store.close();
  });
});

test("what is written while a snapshot is taken outlives it", async () => {
  const dir = newFolder();
  const { store } = await openAt(dir, { limits: { segmentBytes: 500, snapshotRecords: 60 } });
  for (let i = 0; i < 40; i++) await store.commit(`//pods/big/${i}`, { object: object("x".repeat(20_000)) }).durable();
  for (let i = 0; i < 300; i++) await store.commit(`//pods/small/${i}`, { object: object(i) }).durable();
  const before = contents(store);
  await store.abandon();
  expect(files(dir, "snap-")).toHaveLength(1);
  const { store: again } = await openAt(dir);
  expect(contents(again)).toEqual(before);
  await again.close();
});

test("a log file that is being closed is in every MANIFEST that is written meanwhile", async () => {
  const [dir, copy] = [newFolder(), newFolder()];
  const { store } = await openAt(dir, { limits: { segmentBytes: 100 } });
  await store.commit("//pods/a/x", { object: object(1) }).durable();
  const before = contents(store);
  const handle = await open(segmentOf(dir));
  await handle.close();
  // A file says so when it begins to close.
  const { emit: tell } = EventEmitter.prototype;
  const emit = vi.spyOn(EventEmitter.prototype, "emit").mockImplementation(function (this: EventEmitter, ...what) {
    if (this instanceof handle.constructor && !existsSync(copy)) {
      store.setRevision(1_000_000); // writes MANIFEST
      cpSync(dir, copy, { recursive: true, filter: (path) => !path.endsWith("LOCK") });
    }
    return tell.apply(this, what);
  });
  try {
    await store.commit("//pods/a/y", { object: object(2) }).durable();
  } finally {
    emit.mockRestore();
  }
  await store.close();
  const { store: crashed } = await openAt(copy);
  expect(contents(crashed)).toEqual(before);
  await crashed.close();
});

test("a snapshot lets go of the log before it, however much room its file has left", async () => {
  const dir = newFolder();
  const { store } = await openAt(dir, { limits: { snapshotRecords: 50 } });
  for (let i = 0; i < 300; i++) await store.commit(`//pods/a/${i}`, { object: object(i) }).durable();
  await store.close();
  expect(files(dir, "wal-")).not.toContain("wal-2.log");
});

test("a log that ends before the snapshot does not take it back", async () => {
  const { dir, before } = await withSnapshot();
  const key = "//pods/a/1";
  writeFileSync(join(dir, "wal-2.log"), encode({ revision: 3, key, json: JSON.stringify(object("old")) }));
  const { store: again } = await openAt(dir);
  expect(contents(again)).toEqual(before);
  await again.close();
});

describe("damage", () => {
  test("in a log file with others behind it is refused, not skipped", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir, { limits: { segmentBytes: 100 } });
    for (let i = 0; i < 5; i++) await store.commit(`//pods/a/${i}`, { object: object(i) }).durable();
    await store.close();
    const path = join(dir, "wal-2.log");
    truncateSync(path, statSync(path).size - 1);
    await expect(openAt(dir)).rejects.toThrow(StoreUnusable);
    await expect(openAt(dir)).rejects.toThrow(/wal-2\.log is damaged at byte 0/);
  });

  test.each(["", "{}", '{"format":2,"highWater":1,"snapshot":0}', '{"format":3,"highWater":1,"snapshot":0}'])(
    "of MANIFEST (%j) is refused",
    async (text) => {
      const dir = newFolder();
      await (await openAt(dir)).store.close();
      writeFileSync(join(dir, "MANIFEST"), text);
      await expect(openAt(dir)).rejects.toThrow(/MANIFEST is not one of this version/);
    },
  );

  test("a missing MANIFEST is not taken for an empty folder", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir);
    store.commit("//pods/a/x", { object: object(1) });
    await store.close();
    rmSync(join(dir, "MANIFEST"));
    await expect(openAt(dir)).rejects.toThrow(/has data but no MANIFEST/);
  });
});

describe("a disk that fails", () => {
  test.each<[DiskFault, "write" | "sync", RegExp]>([
    ["torn", "write", /writing the log failed: EIO/],
    ["full", "write", /writing the log failed: ENOSPC/],
    ["fsyncError", "sync", /writing the log failed: EIO/],
  ])(
    "%s: who waits is told, writes are refused, reads go on, and nothing acknowledged is lost",
    async (fault, on, why) => {
      const dir = newFolder();
      let failing = false;
      const { store, lines } = await openAt(dir, {
        sync: "always",
        faults: (operation) => (failing && operation === on ? fault : undefined),
      });
      await store.commit("//pods/a/x", { object: object(1) }).durable();
      failing = true;
      const first = store.commit("//pods/a/y", { object: object(2) });
      const told = expect(first.durable()).rejects.toThrow(why);
      await turn();
      await told;
      await expect(first.durable()).rejects.toThrow(StoreFailed);
      failing = false;
      const { revision } = store;
      expect(() => store.commit("//pods/a/z", { object: object(3) })).toThrow(
        /takes no more writes: writing the log failed/,
      );
      expect(store.revision).toBe(revision);
      expect(store.get("//pods/a/x")?.revision).toBe(2);
      expect(store.get("//pods/a/y")).toBeUndefined();
      expect(lines).toEqual([expect.stringMatching(why)]);
      await store.close();
      const { store: again, lines: afterwards } = await openAt(dir);
      expect(again.get("//pods/a/x")?.revision).toBe(2);
      expect(afterwards).toEqual([]);
      expect(again.get("//pods/a/y")).toBeUndefined();
      expect(again.revision).toBeGreaterThan(revision);
      await again.close();
    },
  );

  test("what could not be stored is taken back in the order of its writes, and followers hear of it", async () => {
    let failing = false;
    const faults = (on: "write" | "sync") => (failing && on === "write" ? ("full" as const) : undefined);
    const { store } = await openAt(newFolder(), { sync: "always", faults });
    await store.commit("//pods/a/changed", { object: object(1) }).durable();
    await store.commit("//pods/a/deleted", { object: object(1) }).durable();
    const before = contents(store);
    const events: string[] = [];
    const values = new Map<string, unknown>();
    store.subscribe("", store.revision, ({ type, key, record }) => {
      events.push(`${type} ${key.slice("//pods/a/".length)}`);
      if (type === "DELETED") values.delete(key);
      else values.set(key, record.object()["value"]);
    });
    failing = true;
    const writes = [
      store.commit("//pods/a/created", { object: object(1) }),
      store.commit("//pods/a/changed", { object: object(2) }),
      store.commit("//pods/a/changed", { object: object(3) }),
      store.commit("//pods/a/deleted", { object: undefined }),
    ];
    const results = await Promise.allSettled(writes.map(({ durable }) => durable()));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
    expect(store.failure).toBeInstanceOf(StoreFailed);
    const value = (state: string) => state.replace(/ \d+ (\d+) /, " $1 ").replace(/"resourceVersion":"\d+"/, "");
    expect(contents(store).map(value)).toEqual(before.map(value));
    expect(events.slice(4)).toEqual(["ADDED deleted", "MODIFIED changed", "MODIFIED changed", "DELETED created"]);
    expect(Object.fromEntries(values)).toEqual({ "//pods/a/changed": 1, "//pods/a/deleted": 1 });
    await store.close();
  });

  test("whoever joined the next group is told too", async () => {
    const { store } = await openAt(newFolder(), {
      sync: "always",
      faults: (on) => (on === "write" ? "full" : undefined),
    });
    const first = store.commit("//pods/a/x", { object: object(1) });
    await Promise.resolve();
    const second = store.commit("//pods/a/y", { object: object(1) });
    const results = await Promise.allSettled([first.durable(), second.durable()]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await store.close();
  });

  test("interval: a sync that fails later stops the store", async () => {
    const clock = new VirtualClock();
    const { store, lines } = await openAt(newFolder(), {
      sync: "interval",
      clock,
      faults: (on) => (on === "sync" ? "fsyncError" : undefined),
    });
    await store.commit("//pods/a/x", { object: object(1) }).durable();
    await clock.settle(49);
    await store.commit("//pods/a/x", { object: object(2) }).durable();
    await clock.settle(1);
    expect(() => store.commit("//pods/a/x", { object: object(3) })).toThrow(/syncing the log failed/);
    expect(lines).toHaveLength(1);
    await store.close();
  });

  test("a close that cannot sync says so", async () => {
    const dir = newFolder();
    const { store } = await openAt(dir, { faults: (on) => (on === "sync" ? "fsyncError" : undefined) });
    await store.commit("//pods/a/x", { object: object(1) }).durable();
    await expect(store.close()).rejects.toThrow(/closing failed: EIO/);
    expect(files(dir, "LOCK")).toEqual([]);
  });
});

test("groups: many writers share a sync", async () => {
  let syncs = 0;
  const { store } = await openAt(newFolder(), {
    sync: "always",
    faults: (on) => {
      if (on === "sync") syncs += 1;
      return undefined;
    },
  });
  const writes = Array.from({ length: 100 }, (_, i) => store.commit(`//pods/a/${i}`, { object: object(i) }).durable());
  await Promise.all(writes);
  expect(syncs).toBe(1);
  await store.close();
});

test("a store on disk is not restored", async () => {
  const { store } = await openAt(newFolder());
  expect(() => store.restore(store.snapshot())).toThrow(/cannot be restored/);
  await store.close();
});
