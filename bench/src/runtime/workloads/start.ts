// W11: what it takes to load the library, and to start an operator that has nothing to do, up to its first list.
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../table.ts";
import type { Figures, Scene } from "../scene.ts";
import { emptyNamespace } from "../widgets.ts";

/** Medians of so many starts. `files` is what the process reads of its own, in MB. */
export async function starts(scene: Scene, times: number): Promise<Figures> {
  const samples: Record<string, number[]> = {};
  // The first one warms the file system's cache and is not counted.
  for (let i = 0; i <= times; i += 1) {
    const figures: Figures = { ...load(scene), ...(await start(scene)) };
    for (const [name, value] of Object.entries(figures)) {
      if (i > 0) samples[name] = [...(samples[name] ?? []), value];
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, percentile(all, 0.5)]));
}

/** An operator on an empty namespace. */
async function start(scene: Scene): Promise<Figures> {
  scene.stage.audit.news();
  const operator = scene.launch({ namespace: emptyNamespace });
  try {
    const listed = await operator.until("it lists", () => scene.stage.audit.news().find(({ lists }) => lists), 60_000);
    await sleep(2_000);
    const { rss, read, cpu } = operator.usage();
    return { firstList: listed.at - operator.startedAt, rss, cpu, files: read / 1e6 };
  } finally {
    await operator.stop();
  }
}

/** A module is timed from within an otherwise empty process; a program from its start to its first line. */
function load({ peer }: Scene): Figures {
  const { module } = peer;
  if (module === undefined) {
    const begin = performance.now();
    checked(spawnSync(peer.program, [...peer.args, "--mode=load"], { encoding: "utf8" }));
    return { import: performance.now() - begin };
  }
  const script = `const begin = performance.now();
    await import(${JSON.stringify(module.name)});
    console.log(JSON.stringify({ import: performance.now() - begin, importRss: process.memoryUsage().rss / 1e6 }));`;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: module.folder,
    encoding: "utf8",
  });
  return JSON.parse(checked(run)) as Figures;
}

function checked({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): string {
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
  return stdout;
}
