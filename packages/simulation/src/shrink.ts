// The smallest plan that still breaks the same invariant.
import type { Plan } from "./fault.ts";
import type { Outcome } from "./run.ts";

/** `run` tries a plan. A plan that breaks another invariant is another bug, and does not count. */
export async function shrink(failed: Outcome, run: (plan: Plan) => Promise<Outcome>): Promise<Outcome> {
  const wanted = new Set(failed.violations.map(({ invariant }) => invariant));
  const isSame = ({ violations }: Outcome) => violations.some(({ invariant }) => wanted.has(invariant));
  let best = failed;
  for (let next: Outcome | undefined = best; next !== undefined; ) {
    next = undefined;
    for (const plan of smaller(best.plan)) {
      const outcome = await run(plan);
      if (!isSame(outcome)) continue;
      next = outcome;
      best = outcome;
      break;
    }
  }
  return best;
}

/** Simpler plans, the simplest first. */
function* smaller({ faults, latency, seed }: Plan): Iterable<Plan> {
  if (latency === "random") yield { seed, faults };
  if (faults.length > 1) for (const fault of faults) yield { seed, faults: [fault] };
  if (faults.length === 0) return;
  for (const [i] of faults.entries()) {
    const fewer = faults.filter((_, j) => j !== i);
    yield { seed, faults: fewer, ...(latency === undefined ? {} : { latency }) };
  }
}
