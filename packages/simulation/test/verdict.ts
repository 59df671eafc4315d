// What the invariants say of a run: which of them it breaks, each once, in the order of their numbers.
import type { Fault } from "../src/fault.ts";
import { invariants } from "../src/invariants/index.ts";
import type { Rule } from "../src/network.ts";
import { runPlan } from "../src/run.ts";
import type { Scenario } from "../src/scenario.ts";
import type { Violation } from "../src/violation.ts";
import { World } from "../src/world.ts";

/** Of a plan with these faults, against the run without any. */
export async function verdict(scenario: Scenario, ...faults: readonly Fault[]): Promise<readonly string[]> {
  const reference = await runPlan(scenario, { seed: 1, faults: [] });
  if (faults.length === 0) return ids(reference.violations);
  const { violations } = await runPlan(scenario, { seed: 1, faults }, reference.seen);
  return ids(violations);
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** Of a run in which each status that is sent is made into another one on its way, as by a mistake of who writes it. */
export function miswritten(
  scenario: Scenario,
  rewrite: (status: Text, write: number) => Text,
): Promise<readonly string[]> {
  let count = 0;
  return disturbed(scenario, (world) => ({
    request({ target, method }) {
      if (method !== "PATCH" || target.subresource !== "status") return undefined;
      count += 1;
      const n = count;
      return {
        do: "elsewhere",
        server: ({ body, ...request }) => world.network.server({ ...request, body: retold(String(body), n) }),
      };
    },
  }));

  /** What is tested stays as it was. */
  function retold(body: string, n: number): string {
    const operations = JSON.parse(body) as readonly Operation[];
    return JSON.stringify(
      operations.map((it) => (it.op === "test" ? it : (JSON.parse(rewrite(JSON.stringify(it), n)) as Operation))),
    );
  }
}

/** The JSON of one operation. */
type Text = string;

/** Of a run without faults but for this. */
export async function disturbed(scenario: Scenario, rule: (world: World) => Rule): Promise<readonly string[]> {
  const world = await World.begin({ scenario, plan: { seed: 1, faults: [] }, invariants });
  world.network.rules.unshift(rule(world));
  await world.run();
  world.judge(undefined, new Map());
  await world.rebirth();
  await world.close();
  return ids(world.violations);
}

const ids = (violations: readonly Violation[]): readonly string[] =>
  [...new Set(violations.map(({ invariant }) => invariant))].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
