// W8: nothing happens. Whatever is written, listed or computed now is for nothing.
import { setTimeout as sleep } from "node:timers/promises";
import type { Operator } from "../operator.ts";
import type { Figures, Scene } from "../scene.ts";

/** What a collector does once after a start is over by then: scaled to an hour it would count sixty times. */
const settling = 60_000;

export async function idle(scene: Scene, operator: Operator): Promise<Figures> {
  const { idle: seconds } = scene.options;
  await sleep(settling);
  const costs = await scene.charge(operator, () => sleep(seconds * 1_000));
  const hourly = 3_600 / seconds;
  return {
    ...costs,
    writes: (costs["statusWrites"] ?? Number.NaN) + (costs["otherWrites"] ?? Number.NaN),
    cpuHour: ((costs["cpu"] ?? Number.NaN) * hourly) / 1_000,
    watchesHour: (costs["watches"] ?? Number.NaN) * hourly,
    listsHour: (costs["lists"] ?? Number.NaN) * hourly,
  };
}
