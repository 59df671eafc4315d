// A folder in which something is damaged or missing: every case is noticed and named, and nothing is dropped in silence.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreUnusable } from "./errors.ts";
import { openStore } from "./open.ts";
import { repairStore } from "./repair.ts";
import type { Store } from "./store.ts";

const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "telltale-damage-"));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = (): string => join(root, String(folders++));

async function openAt(dir: string, limits = {}): Promise<{ store: Store; lines: string[] }> {
  const lines: string[] = [];
  const storage = { kind: "disk", dir, sync: "never", limits } as const;
  const store = await openStore({ clock: new VirtualClock(), storage, log: (line) => lines.push(line) });
  return { store, lines };
}

const objects = 1_000;
const contents = (store: Store) => new Map(store.scan("").records.map(({ key, json }) => [key, json]));

interface Made {
  readonly dir: string;
  readonly before: ReadonlyMap<string, string>;
}

/** A store of a thousand objects in some thirty log files, with a snapshot of the first half or without. */
async function make(stop: "clean" | "crash", snapshotRecords: number): Promise<Made> {
  const dir = newFolder();
  const { store } = await openAt(dir, { segmentBytes: 5_000, snapshotRecords });
  for (let i = 0; i < objects; i++) {
    const object = { metadata: { uid: `u${i}`, labels: { app: "x" } }, value: "v".repeat(100) };
    await store.commit(`//pods/a/${i}`, { object }).durable();
    if (i === 600) store.setRevision(store.revision + 500);
  }
  const before = contents(store);
  await (stop === "clean" ? store.close() : store.abandon());
  return { dir, before };
}

function copyOf(dir: string): string {
  const copy = newFolder();
  mkdirSync(copy);
  for (const name of readdirSync(dir)) if (name !== "LOCK") copyFileSync(join(dir, name), join(copy, name));
  return copy;
}

describe.each([
  ["clean", 1e9],
  ["crash", 1e9],
  ["clean", 500],
  ["crash", 500],
] as const)("a store that ended in a %s stop, snapshot every %d", (stop, snapshotRecords) => {
  let made: Made;
  beforeAll(async () => {
    made = await make(stop, snapshotRecords);
  });

  test("opens as it was", async () => {
    const copy = copyOf(made.dir);
    const { store, lines } = await openAt(copy);
    expect(contents(store)).toEqual(made.before);
    expect(lines).toEqual([]);
    await store.close();
    expect(await repairStore(copy)).toEqual([]);
    const { store: again } = await openAt(copy);
    expect(contents(again)).toEqual(made.before);
    await again.close();
  });

  test("a flipped bit anywhere is noticed, and changes nothing in the folder", async () => {
    const random = seededRandom(snapshotRecords + stop.length);
    const names = readdirSync(made.dir).filter((name) => name !== "LOCK");
    const sizes = names.map((name) => statSync(join(made.dir, name)).size);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    for (let i = 0; i < 25; i++) {
      let at = Math.floor(random.next() * total);
      const file = sizes.findIndex((size) => {
        if (at < size) return true;
        at -= size;
        return false;
      });
      const name = names[file] ?? "";
      const copy = copyOf(made.dir);
      const bytes = readFileSync(join(copy, name));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random.next() * 8));
      writeFileSync(join(copy, name), bytes);
      const error = await openAt(copy).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error, `${name} at byte ${at}`).toBeInstanceOf(StoreUnusable);
      expect(String(error)).toContain(name);
      expect(readFileSync(join(copy, name)).equals(bytes)).toBe(true);
      if ((error as StoreUnusable).remedy === "repair") {
        const found = await repairStore(copy);
        expect(found).toEqual([expect.stringContaining(name)]);
        expect(readdirSync(copy)).toContain(`${name}.damaged`);
        const { store } = await openAt(copy);
        expect(store.scan("").records.length).toBeGreaterThanOrEqual(objects - 1);
        await store.close();
      }
      rmSync(copy, { recursive: true });
    }
  });

  test("a log file that is missing is named, with what is lost", async () => {
    const logs = readdirSync(made.dir).filter((name) => name.startsWith("wal-"));
    expect(logs.length).toBeGreaterThan(snapshotRecords === 500 ? 3 : 20);
    for (const name of [0, 0.2, 0.5, 0.8, 0.999].map((part) => logs[Math.floor(part * logs.length)] ?? "")) {
      const copy = copyOf(made.dir);
      rmSync(join(copy, name));
      const missing = new RegExp(`${name} is missing: the writes (of revisions|from revision) \\d+.* are? lost`);
      await expect(openAt(copy)).rejects.toThrow(missing);
      await expect(openAt(copy)).rejects.toMatchObject({ remedy: "repair" });
      expect(await repairStore(copy)).toEqual([expect.stringContaining(`${name} is missing`)]);
      const { store } = await openAt(copy);
      expect(store.scan("").records.length).toBeGreaterThan(objects / 2);
      await store.close();
    }
  });
});

test("a repaired store gives no revision out twice", async () => {
  const { dir } = await make("crash", 1e9);
  const { store } = await openAt(copyOf(dir));
  const revision = store.revision;
  await store.close();
  const copy = copyOf(dir);
  writeFileSync(join(copy, "MANIFEST"), "{");
  await expect(openAt(copy)).rejects.toMatchObject({ remedy: "repair" });
  expect(await repairStore(copy)).toEqual([
    expect.stringContaining("MANIFEST is damaged; it is kept as MANIFEST.damaged"),
  ]);
  const { store: again } = await openAt(copy);
  expect(again.revision).toBeGreaterThanOrEqual(revision);
  expect(again.scan("").records).toHaveLength(objects);
  await again.close();
});

test("a damaged snapshot with no log before it cannot be repaired, and nothing is changed", async () => {
  const { dir } = await make("clean", 500);
  const name = readdirSync(dir).find((file) => file.startsWith("snap-")) ?? "";
  const bytes = readFileSync(join(dir, name));
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
  writeFileSync(join(dir, name), bytes);
  await expect(repairStore(dir)).rejects.toMatchObject({ remedy: "copy" });
  expect(readFileSync(join(dir, name)).equals(bytes)).toBe(true);
});

test("files and folder are for their owner alone", async () => {
  const { dir } = await make("clean", 500);
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect(mode(dir)).toBe("700");
  const { store } = await openAt(dir);
  expect(new Set(readdirSync(dir).map((name) => `${mode(join(dir, name))}`))).toEqual(new Set(["600"]));
  await store.close();
});

test("a folder of the format before is opened and goes on in the present one", async () => {
  const { dir, before } = await make("crash", 1e9);
  const manifest = JSON.parse(readFileSync(join(dir, "MANIFEST"), "utf8")) as { highWater: number };
  const old = copyOf(dir);
  writeFileSync(join(old, "MANIFEST"), JSON.stringify({ format: 1, highWater: manifest.highWater, snapshot: 0 }));
  const { store } = await openAt(old);
  expect(contents(store)).toEqual(before);
  await store.commit("//pods/a/new", { object: { metadata: {} } }).durable();
  await store.close();
  const { store: again } = await openAt(old);
  expect(again.scan("").records).toHaveLength(objects + 1);
  await again.close();
  expect(JSON.parse(readFileSync(join(old, "MANIFEST"), "utf8"))).toMatchObject({ format: 2 });
});
