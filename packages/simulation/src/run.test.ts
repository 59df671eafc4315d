import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { bakeryScenario } from "../test/bugs/bakery.ts";
import { runPlan } from "./run.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

it("a run that is over leaves nothing in memory, however it went", async () => {
  const scenario = bakeryScenario();
  const reference = (await runPlan(scenario, { seed: 1, faults: [] })).seen;
  const faults = [
    { p: "P1", write: 3 },
    { p: "P10", kind: "/configmaps", event: 1 },
    { p: "P23", change: 2 },
    { p: "P14", has: "no streamed lists" },
    { p: "P5", write: 2 },
  ];
  const traces: WeakRef<object>[] = [];
  for (const fault of faults) {
    const { trace } = await runPlan(scenario, { seed: 1, faults: [fault] }, reference);
    traces.push(new WeakRef(trace));
  }
  collect();
  // Whoever is asked for next may still hold the last.
  expect(traces.slice(0, -1).map((it) => it.deref() === undefined)).toEqual([true, true, true, true]);
}, 60_000);
