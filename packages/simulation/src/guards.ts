// Whether a guard is one: the operator without it has to do harm that is noticed.
import { turn } from "@telltale/clock";
import { Coverage } from "./coverage.ts";
import { trials } from "./explore.ts";
import type { Plan } from "./fault.ts";
import { perturbations } from "./perturbations/index.ts";
import { runPlan } from "./run.ts";
import type { Guard, Scenario } from "./scenario.ts";
import type { Violation } from "./violation.ts";

export interface GuardReport {
  readonly name: string;
  /** How many plans it took, or were tried in vain. */
  readonly plans: number;
  /** What broke, and in which plan. Undefined: nothing that it is there for. */
  readonly noticed?: { readonly plan: Plan; readonly violation: Violation };
}

/** Plans with the operator that has no such guard, until one breaks what the guard is there for. */
export async function withoutGuard(scenario: Scenario, guard: Guard, most: number, seed: number): Promise<GuardReport> {
  const { guards: _none, ...rest } = scenario;
  const bare: Scenario = { ...rest, operator: (around) => guard.without(around) };
  const isIt = ({ invariant, what }: Violation) => invariant === guard.breaks || what.startsWith(`${guard.breaks}: `);
  const known = perturbations.filter(
    ({ id }) => (guard.only?.includes(id) ?? true) && scenario.unsuited?.includes(id) !== true,
  );
  const reference = await runPlan(bare, { seed, faults: [] });
  const report = (plans: number, plan: Plan, violation: Violation | undefined): GuardReport => ({
    name: guard.name,
    plans,
    ...(violation === undefined ? {} : { noticed: { plan, violation } }),
  });
  const found = reference.violations.find(isIt);
  if (found !== undefined) return report(1, reference.plan, found);
  let count = 1;
  let last = reference.plan;
  for (const { plan } of trials(reference.seen, known, seed, new Coverage(reference.seen))) {
    if (count >= most) break;
    await turn();
    const { violations } = await runPlan(bare, plan, reference.seen);
    count += 1;
    last = plan;
    const broken = violations.find(isIt);
    if (broken !== undefined) return report(count, plan, broken);
  }
  return report(count, last, undefined);
}
