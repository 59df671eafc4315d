// W3: specs change all the time. W4: very many change at once. A status has followed when the driver's own watch sees it.
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../table.ts";
import { inLanes } from "../api.ts";
import { Convergence } from "../fleet.ts";
import type { Operator } from "../operator.ts";
import type { Figures, Scene } from "../scene.ts";

/** So many changes a second, whatever becomes of them; each is timed from when it was due, not from when it was sent. */
export async function openLoop(scene: Scene, operator: Operator, rate: number): Promise<Figures> {
  return run(scene, operator, (watch) => paced(scene, watch, rate, Math.round(rate * scene.options.seconds)));
}

async function paced(scene: Scene, watch: Convergence, rate: number, changes: number): Promise<void> {
  const sent: Promise<void>[] = [];
  const begin = performance.now() + 50;
  for (let i = 0; i < changes; i += 1) {
    const due = begin + (i * 1_000) / rate;
    const ahead = due - performance.now();
    if (ahead > 0) await sleep(ahead);
    const change = scene.fleet.next();
    watch.expect(change.name, change.generation, due);
    sent.push(watch.timed(change.send));
  }
  await Promise.all(sent);
}

/** So many writers, each of which sends the next change when the server has taken the last. */
export async function closedLoop(scene: Scene, operator: Operator, writers: number, changes: number): Promise<Figures> {
  return run(scene, operator, (watch) =>
    inLanes(writers, Array.from({ length: changes }), async () => {
      const change = scene.fleet.next();
      watch.expect(change.name, change.generation, performance.now());
      await watch.timed(change.send);
    }),
  );
}

/** Code is compiled and connections are open before anything counts: an operator runs for months. */
export async function warmUp(scene: Scene, operator: Operator): Promise<void> {
  await closedLoop(scene, operator, 8, Math.min(3_000, scene.fleet.size));
}

/** As many changes as the server takes, from 64 writers. */
export async function burst(scene: Scene, operator: Operator): Promise<Figures> {
  return closedLoop(scene, operator, 64, scene.options.burst);
}

async function run(scene: Scene, operator: Operator, drive: (watch: Convergence) => Promise<void>): Promise<Figures> {
  const watch = await Convergence.start(scene.stage.api);
  try {
    return await converge(scene, operator, watch, drive);
  } finally {
    watch.stop();
  }
}

async function converge(
  scene: Scene,
  operator: Operator,
  watch: Convergence,
  drive: (watch: Convergence) => Promise<void>,
): Promise<Figures> {
  const reconciled = await operator.count();
  const begin = performance.now();
  const costs = await scene.charge(operator, async () => {
    await drive(watch);
    await operator.until("every status followed", () => (watch.open === 0 ? true : undefined), 900_000);
  });
  const count = watch.latencies.length;
  const per = (name: string): number => (costs[name] ?? Number.NaN) / count;
  return {
    ...costs,
    convergences: count,
    rate: (count * 1_000) / (watch.last - begin),
    p50: percentile(watch.latencies, 0.5),
    p90: percentile(watch.latencies, 0.9),
    p99: percentile(watch.latencies, 0.99),
    p999: percentile(watch.latencies, 0.999),
    own50: percentile(watch.own, 0.5),
    own99: percentile(watch.own, 0.99),
    cpuEach: per("cpu"),
    apiserverCpuPer1000: per("apiserverCpu"), // ms each is s for 1,000
    etcdCpuPer1000: per("etcdCpu"),
    writesEach: per("statusWrites"),
    reconcilesEach: ((await operator.count()) - reconciled) / count,
  };
}
