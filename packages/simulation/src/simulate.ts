// A campaign: a scenario, many plans, and the first that breaks an invariant, made small.
import { setFlagsFromString } from "node:v8";
import { systemClock, turn } from "@telltale/clock";
import { type Counts, Coverage } from "./coverage.ts";
import { type Strategy, trials } from "./explore.ts";
import type { Plan } from "./fault.ts";
import { type GuardReport, withoutGuard } from "./guards.ts";
import { perturbations as all } from "./perturbations/index.ts";
import { type Outcome, runPlan } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { shrink } from "./shrink.ts";

export interface SimulateOptions {
  /** How many plans at most. Default: 500. */
  readonly plans?: number;
  /** Default: 1. The same seed tries the same plans, and each goes the same way. */
  readonly seed?: number;
  /** Only these perturbations: `["P1", "P23"]`. Default: all. */
  readonly only?: readonly string[];
  /** Random walks of several faults, and nothing before them: where long campaigns find most. */
  readonly walks?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly scenario: string;
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
  /** How many plans of each kind were tried. */
  readonly tried: Readonly<Record<Strategy, number>>;
  /** Of which kinds there is none left. */
  readonly exhausted: readonly Strategy[];
  /** How often each perturbation was tried, by the step of reconciling at which it acts. */
  readonly coverage: Counts;
  /** The scenario's guards, and what was noticed of each when it was taken away. */
  readonly guards: readonly GuardReport[];
  /** What the smallest plan that breaks something came to, if there is one. */
  readonly failure?: Outcome;
  /** The plan as it was found, before it was made small. */
  readonly found?: Plan;
}

/** Tries plans until one breaks an invariant, or the budget is used up. */
export async function simulate(scenario: Scenario, options: SimulateOptions = {}): Promise<Report> {
  // Faults are errors by the thousand. Nobody reads where they were made, and to find that out took a twentieth of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  // A world lives for ten milliseconds. V8 takes some of it for what lasts, and then all of it waits for a full collection.
  setFlagsFromString("--no-allocation-site-pretenuring");
  return explored(scenario, options).finally(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

async function explored(scenario: Scenario, options: SimulateOptions): Promise<Report> {
  const { plans: budget = 500, seed = 1, walks = false, onProgress } = options;
  const perturbations = chosen(options.only).filter(({ id }) => !(scenario.unsuited?.includes(id) ?? false));
  const began = systemClock.uptime();
  const tried: Record<Strategy, number> = { alone: 0, pairs: 0, triples: 0, walks: 0 };
  const reference = await runPlan(scenario, { seed, faults: [] });
  const coverage = new Coverage(reference.seen);
  const hash = reference.trace.hash();
  let count = 1;
  let last: Strategy = "alone";
  const guards: GuardReport[] = [];
  const report = (failure?: Outcome, found?: Plan): Report => ({
    scenario: scenario.name,
    seed,
    plans: count,
    perSecond: perSecond(count, began),
    hash,
    tried,
    exhausted: order.slice(0, order.indexOf(last)).filter((it) => tried[it] > 0),
    coverage: coverage.counts,
    guards,
    ...(failure === undefined ? {} : { failure }),
    ...(found === undefined ? {} : { found }),
  });
  if (reference.violations.length > 0) return report(reference);
  const again = await runPlan(scenario, { seed, faults: [] });
  if (again.trace.hash() !== hash) {
    const what = "two runs of one seed differ: something reads the time, chance or the network past what is injected";
    return report({ ...again, violations: [{ invariant: "determinism", what }] });
  }
  const run = (plan: Plan) => runPlan(scenario, plan, reference.seen);
  for (const { as, plan } of trials(reference.seen, perturbations, seed, coverage)) {
    if (walks && as !== "walks") continue;
    last = as;
    if (count >= budget) break;
    await turn(); // so that a key that was pressed, or a test that takes too long, is heard of
    const outcome = await run(plan);
    count += 1;
    tried[as] += 1;
    for (const fault of plan.faults) coverage.add(fault);
    if (count % 50 === 0)
      onProgress?.({ scenario: scenario.name, plans: count, of: budget, perSecond: perSecond(count, began) });
    if (outcome.violations.length > 0) return report(await shrink(outcome, run), plan);
  }
  for (const guard of scenario.guards ?? []) {
    const without = await withoutGuard(scenario, guard, Math.max(budget, leastForGuards), seed);
    guards.push(without);
    if (without.noticed !== undefined) continue;
    const what = `${without.plans} plans went well without the guard "${guard.name}": nothing here breaks ${guard.breaks}`;
    return report({ ...reference, violations: [{ invariant: "guard", what }] });
  }
  return report();
}

/** One plan again, against the run without faults: what a committed test does. */
export async function replay(scenario: Scenario, plan: Plan): Promise<Outcome> {
  const reference = await runPlan(scenario, { seed: plan.seed, faults: [] });
  return runPlan(scenario, plan, reference.seen);
}

/** So many plans are tried without a guard, however few with it: a guard that is there only at times is none. */
const leastForGuards = 24;

const order: readonly Strategy[] = ["alone", "pairs", "triples", "walks"];

function chosen(only: readonly string[] | undefined): typeof all {
  const unknown = only?.filter((id) => !all.some((it) => it.id === id)) ?? [];
  if (unknown.length > 0)
    throw new TypeError(`simulate: there is no perturbation ${unknown.join(", ")}; there are P1 to P${all.length}`);
  return all.filter(({ id }) => only?.includes(id) ?? true);
}

const perSecond = (count: number, began: number): number =>
  Math.round((count * 1000) / Math.max(1, systemClock.uptime() - began));
