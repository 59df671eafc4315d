// W1: from the start of the process to every object reconciled once, with nothing to write. W2: what it then holds.
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../table.ts";
import type { Operator } from "../operator.ts";
import type { Figures, Scene } from "../scene.ts";

/** Leaves the operator running. `files` is what the process reads of its own, in MB: see `start.ts`. */
export async function coldStart(scene: Scene, files: number): Promise<{ operator: Operator; figures: Figures }> {
  const since = scene.mark();
  const operator = scene.launch({ expect: scene.fleet.size });
  const { at } = await operator.says(/^reconciled /);
  const costs = await scene.cost(operator, since);
  const received = (costs["received"] ?? Number.NaN) - files;
  return { operator, figures: { ...costs, wall: at - operator.started, received } };
}

export async function steady(scene: Scene, operator: Operator, empty: number): Promise<Figures> {
  const samples: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    await sleep(1_000);
    samples.push(operator.usage().rss);
  }
  const rss = percentile(samples, 0.5);
  return { rss, perObject: ((rss - empty) * 1_000) / scene.fleet.size };
}
