// A campaign: a scenario, many plans, and the first that breaks an invariant, made small.
import { systemClock } from "@telltale/clock";
import { plansFor } from "./explore.ts";
import type { Fault, Plan } from "./fault.ts";
import { perturbations as all } from "./perturbations/index.ts";
import { type Outcome, runPlan } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { shrink } from "./shrink.ts";

export interface SimulateOptions {
  /** How many plans at most. Default: 500. */
  readonly plans?: number;
  /** Default: 1. */
  readonly seed?: number;
  /** Only these perturbations: `["P1", "P23"]`. Default: all. */
  readonly only?: readonly string[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly plans: number;
  readonly of: number;
  readonly perSecond: number;
}

export interface Report {
  readonly scenario: string;
  readonly seed: number;
  readonly plans: number;
  readonly perSecond: number;
  /** Of the run without faults: the same on any machine. */
  readonly hash: string;
  /** How often each perturbation was tried, by what it hit: `P1` -> `PATCH shops/status` -> 12. */
  readonly coverage: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The smallest plan that breaks something, if there is one. */
  readonly failure?: Outcome;
}

/** Tries plans until one breaks an invariant, or the budget is used up. */
export async function simulate(scenario: Scenario, options: SimulateOptions = {}): Promise<Report> {
  const { plans: budget = 500, seed = 1, only } = options;
  const perturbations = all.filter(({ id }) => only?.includes(id) ?? true);
  const unknown = only?.filter((id) => !all.some((it) => it.id === id)) ?? [];
  if (unknown.length > 0) throw new TypeError(`simulate: there is no perturbation ${unknown.join(", ")}`);
  const began = systemClock.uptime();
  const coverage: Record<string, Record<string, number>> = {};
  const reference = await runPlan(scenario, { seed, faults: [] });
  let count = 1;
  const hash = reference.trace.hash();
  const report = (failure?: Outcome): Report => ({
    scenario: scenario.name,
    seed,
    plans: count,
    perSecond: perSecond(count, began),
    hash,
    coverage,
    ...(failure === undefined ? {} : { failure }),
  });
  if (reference.violations.length > 0) return report(reference);
  const again = await runPlan(scenario, { seed, faults: [] });
  if (again.trace.hash() !== hash) {
    const what = "two runs of one seed differ: something reads the time, chance or the network past what is injected";
    return report({ ...again, violations: [{ invariant: "determinism", what }] });
  }
  const run = (plan: Plan) => runPlan(scenario, plan, reference.seen);
  for (const plan of plansFor(reference.seen, perturbations, seed)) {
    if (count >= budget) break;
    const outcome = await run(plan);
    count += 1;
    for (const fault of plan.faults) cover(coverage, fault, labels(reference));
    if (count % 50 === 0) options.onProgress?.({ plans: count, of: budget, perSecond: perSecond(count, began) });
    if (outcome.violations.length > 0) return report(await shrink(outcome, run));
  }
  return report();
}

/** One plan again, against the run without faults: what a committed test does. */
export async function replay(scenario: Scenario, plan: Plan): Promise<Outcome> {
  const reference = await runPlan(scenario, { seed: plan.seed, faults: [] });
  return runPlan(scenario, plan, reference.seen);
}

const perSecond = (count: number, began: number): number =>
  Math.round((count * 1000) / Math.max(1, systemClock.uptime() - began));

/** What each write of the run without faults is about. */
function labels({ seen }: Outcome): ReadonlyMap<number, string> {
  return new Map(
    seen.writes.map(({ write, changes }) => {
      const { method = "", target } = changes[0]?.sent ?? {};
      const part = target?.subresource === undefined ? "" : `/${target.subresource}`;
      return [write, `${method} ${target?.resource ?? ""}${part}`] as const;
    }),
  );
}

function cover(
  coverage: Record<string, Record<string, number>>,
  fault: Fault,
  names: ReadonlyMap<number, string>,
): void {
  const { write } = fault;
  const label = typeof write === "number" ? (names.get(write) ?? `write ${write}`) : "anywhere";
  const of = coverage[fault.p] ?? {};
  coverage[fault.p] = { ...of, [label]: (of[label] ?? 0) + 1 };
}
