// A process that writes is killed again and again, at any moment; what it acknowledged is there, always.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Random, seededRandom, VirtualClock } from "@telltale/clock";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SyncMode } from "./disk.ts";
import { openStore } from "./open.ts";

const kills = 80;
const module = new URL("./open.ts", import.meta.url).href;

// A kill leaves the system running, so a folder in memory shows as much as a disk, and sooner.
const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "telltale-kill-"));
afterAll(() => rmSync(root, { recursive: true }));

// A process that is killed leaves no compiled code for the next one: one that ends well does.
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, "compiled") };
beforeAll(
  () => void spawnSync(process.execPath, ["--input-type=module", "-e", `import ${JSON.stringify(module)}`], { env }),
);

/** Writes without end, with small files so that every kind of moment comes often, and says so only when a write is durable. */
const writer = (dir: string, sync: SyncMode): string => `
  import { openStore } from ${JSON.stringify(module)};
  const clock = {
    now: () => Date.now(),
    after: (ms, call) => { const t = setTimeout(call, ms); return { cancel: () => clearTimeout(t) }; },
  };
  const limits = { segmentBytes: 4000, snapshotRecords: 40 };
  const store = await openStore({ clock, storage: { kind: "disk", dir: ${JSON.stringify(dir)}, sync: "${sync}", intervalMs: 2, limits } });
  console.log("ready", store.revision);
  const say = (what, { key, revision }) => process.stdout.write(what + " " + key + " " + revision + "\\n");
  const write = async (lane) => {
    for (;;) {
      const made = store.commit("/g/made/" + lane + "-" + store.revision, { object: { metadata: {}, fill: "x".repeat(200) } });
      await made.durable();
      say("made", made.record);
      const name = "/g/gone/" + lane + "-" + store.revision;
      store.commit(name, { object: { metadata: {} } });
      const gone = store.commit(name, { object: undefined });
      await gone.durable();
      say("gone", gone.record);
    }
  };
  await Promise.all(["a", "b", "c"].map(write));
`;

test.concurrent.each<[SyncMode, number]>([
  ["always", 1],
  ["interval", 2],
  ["never", 3],
])(
  "%s: killed at random moments, no acknowledged write is lost and no revision given out twice",
  async (sync, seed) => {
    const dir = join(root, sync);
    const random = seededRandom(seed);
    const made = new Map<string, number>();
    const gone = new Set<string>();
    let newest = 0;
    let acknowledged = 0;
    for (let kill = 0; kill < kills; kill++) {
      const lines = await runAndKill(writer(dir, sync), random);
      expect(lines[0]).toMatch(/^ready \d+$/);
      const before = newest;
      for (const line of lines.slice(1)) {
        const [what, key, revision] = line.split(" ");
        if (what === undefined || key === undefined || revision === undefined) continue;
        expect(Number(revision)).toBeGreaterThan(before);
        newest = Math.max(newest, Number(revision));
        if (what === "made") made.set(key, Number(revision));
        else gone.add(key);
        acknowledged += 1;
      }
      const store = await openStore({ clock: new VirtualClock(), storage: { kind: "disk", dir } });
      expect([...made].filter(([key, revision]) => store.get(key)?.revision !== revision)).toEqual([]);
      expect(store.scan("/g/gone/").records.filter(({ key }) => gone.has(key))).toEqual([]);
      expect(store.revision).toBeGreaterThan(newest);
      newest = store.revision;
      await store.close();
    }
    expect(acknowledged).toBeGreaterThan(kills);
  },
  120_000,
);

/** What a writer said until some time after a random number of lines it was killed. */
async function runAndKill(script: string, random: Random): Promise<string[]> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const end = once(child, "close");
  const after = 1 + Math.floor(random.next() * 120);
  const lines: string[] = [];
  const input = createInterface(child.stdout);
  input.on("line", (line) => {
    lines.push(line);
    if (lines.length === after) child.kill("SIGKILL");
  });
  const [, signal] = await end;
  expect(signal).toBe("SIGKILL");
  return lines;
}
