// The traces of some plans by their hashes. As a program it prints them: what another process saw.
import type { Plan } from "../src/index.ts";
import { replay } from "../src/index.ts";
import { bakeryScenario } from "./bugs/bakery.ts";

export const plans: readonly Plan[] = [
  { seed: 1, faults: [] },
  { seed: 1, faults: [{ p: "P1", write: 2 }] },
  { seed: 7, latency: "random", faults: [{ p: "P29", write: 4, how: "failing" }] },
  { seed: 9, latency: "random", faults: [{ p: "P23", change: 3 }] },
  {
    seed: 3,
    latency: "random",
    faults: [
      { p: "P7", kind: "//configmaps", event: 1, by: 30_000 },
      { p: "P4", write: 5, hears: "reset" },
      { p: "P24", write: 3, by: -3_600_000 },
    ],
  },
];

export async function hashes(of: readonly Plan[]): Promise<string[]> {
  const scenario = bakeryScenario();
  const found: string[] = [];
  for (const plan of of) found.push((await replay(scenario, plan)).trace.hash());
  return found;
}

if (import.meta.main) console.log(JSON.stringify(await hashes(plans)));
