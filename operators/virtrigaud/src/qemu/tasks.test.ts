// Tasks on a disk that fails: what could not be stored neither holds a machine nor comes back after a restart.
import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Host, systemHost } from "./host.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { Tasks } from "./tasks.ts";
import type { Work } from "./work.ts";

let folder = "";
let layout: Layout;
let isDiskFull = false;
let runs = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tq-tasks-"));
  layout = layoutOf(folder);
  [isDiskFull, runs] = [false, 0];
  await host.folder(layout.tasks);
});
afterEach(() => rmSync(folder, { recursive: true }));

const system = systemHost(new VirtualClock(), seededRandom(1));
const host: Host = {
  ...system,
  write: (path, bytes) =>
    isDiskFull
      ? Promise.reject(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", syscall: "write" }))
      : system.write(path, bytes),
};

const open = (run: () => void = () => {}): Tasks => {
  const steps: Work["steps"] = () => [
    {
      name: "work",
      stage: "Working",
      kind: "steps",
      async run() {
        runs += 1;
        run();
      },
    },
  ];
  return new Tasks(host, layout, 2, { work: { isCopy: false, steps } });
};

const work = { op: "work", vmId: "q-1", holds: ["q-1"], key: "work:q-1", params: {} };

it("a task whose record cannot be stored is not started, and the same request starts it later", async () => {
  const tasks = open();
  isDiskFull = true;
  await expect(tasks.start(work)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  expect([tasks.holding("q-1"), tasks.byKey(work.key), [...tasks.all()]]).toEqual([undefined, undefined, []]);
  isDiskFull = false;
  const { id } = await tasks.start(work);
  expect((await tasks.ended(id)).state).toBe("done");
  expect(runs).toBe(1);
});

it.each([
  ["done", () => {}],
  [
    "failed",
    () => {
      throw new Error("broken");
    },
  ],
])(
  "a task that is %s frees its machine although that cannot be stored, and a restart does not repeat it",
  async (state, end) => {
    const tasks = open(() => {
      isDiskFull = true;
      end();
    });
    const { id } = await tasks.start(work);
    expect((await tasks.ended(id)).state).toBe(state);
    expect([tasks.holding("q-1"), tasks.byKey(work.key)]).toEqual([undefined, undefined]);
    isDiskFull = false;
    const restarted = open();
    await restarted.resume();
    expect([restarted.get(id), runs]).toEqual([undefined, 1]);
    expect(await readdir(layout.tasks)).toEqual([]);
  },
);
