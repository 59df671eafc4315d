// What a Job does next: stop what runs when it ends, delete what is too much, or make what is missing. Pure.
import { type Instant, plus } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { burst } from "../pods/batch.ts";
import { isTerminating } from "../pods/facts.ts";
import { leastWanted } from "../pods/rank.ts";
import { delayAfter, endOf, type Failures, resumeAt } from "./backoff.ts";
import { failuresAfter, type IndexFailures, type Tally, tally } from "./counting.ts";
import { type Ending, endingOf } from "./ending.ts";
import { indexOf, isIndexed, isSuspended, limitsIndexes, placesOf, waitsForEnd } from "./facts.ts";
import { firstMissing, including, union } from "./indexes.ts";

export interface Plan {
  readonly ending?: Ending;
  /** They end with the Job, and are counted. */
  readonly stop: readonly Pod[];
  /** They are too many, and do not count. */
  readonly drop: readonly Pod[];
  readonly create: readonly Birth[];
  /** When pods may be made that may not be made yet. */
  readonly due?: Instant;
  /** There is more than one pass may do. */
  readonly isCut?: boolean;
}

/** A pod to be made. */
export interface Birth {
  readonly index?: number;
  /** Where each index has a limit of its own. */
  readonly failures?: IndexFailures;
}

const nothing: Plan = { stop: [], drop: [], create: [] };

export function plan(job: Job, pods: readonly Pod[], failures: Failures, now: Instant): Plan {
  const found = tally(job, pods);
  const ending = endingOf(job, pods, found, now);
  if (ending !== undefined) return { ...nothing, ending, stop: found.active };
  if (isTerminating(job)) return nothing;
  const { active } = found;
  const wanted = isSuspended(job) ? 0 : wantedOf(job, found);
  const surplus = superfluous(job, active, Math.max(0, active.length - wanted));
  if (surplus.length > 0) {
    return { ...nothing, drop: surplus.slice(0, burst), isCut: surplus.length > burst };
  }
  const leaving = waitsForEnd(job) ? found.terminating.length : 0;
  const missing = wanted - leaving - active.length;
  return missing > 0 ? { ...nothing, ...growth(job, found, missing, failures, now) } : nothing;
}

/** As many as may run side by side, but no more than are still to succeed. After a success a work queue only empties. */
function wantedOf({ spec }: Job, { active, succeeded }: Tally): number {
  const { parallelism = 1, completions } = spec ?? {};
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** At least so many; of an Indexed Job also those without a place, and all but one of each index. */
function superfluous(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  if (!isIndexed(job)) return leastWanted(active, atLeast, []);
  const byIndex = Map.groupBy(active, (pod) => indexOf(pod, job));
  const surplus: Pod[] = [];
  const left: Pod[] = [];
  for (const [index, pods] of byIndex) {
    const extra = leastWanted(pods, index === undefined ? pods.length : pods.length - 1, []);
    surplus.push(...extra);
    left.push(...pods.filter((pod) => !extra.includes(pod)));
  }
  return [...surplus, ...leastWanted(left, Math.max(0, atLeast - surplus.length), [])];
}

function growth(
  job: Job,
  found: Tally,
  missing: number,
  failures: Failures,
  now: Instant,
): Pick<Plan, "create" | "due" | "isCut"> {
  const count = Math.min(missing, burst);
  const isCut = missing > burst;
  if (limitsIndexes(job)) return { ...perIndex(job, found, count, now), isCut };
  const due = resumeAt(failures);
  if (due !== undefined && due > now) return { create: [], due };
  if (!isIndexed(job)) return { create: Array.from({ length: count }, () => ({})), isCut };
  return { create: pending(job, found, count).map((index) => ({ index })), isCut };
}

/** Each index waits for itself. */
function perIndex(job: Job, found: Tally, count: number, now: Instant): Pick<Plan, "create" | "due"> {
  const create: Birth[] = [];
  let due: Instant | undefined;
  for (const index of pending(job, found, count)) {
    const last = found.held.get(index);
    const failures = failuresAfter(last, job);
    const at = last === undefined ? undefined : readyAt(endOf(last), failures, now);
    if (at === undefined || at <= now) create.push({ index, failures });
    else if (due === undefined || at < due) due = at;
  }
  return { create, ...(due === undefined ? {} : { due }) };
}

/** An end that is still to come was written by a clock that has been put back since: nothing tells how long ago it was. */
function readyAt(end: Instant, { counted, ignored }: IndexFailures, now: Instant): Instant {
  return end > now ? now : plus(end, delayAfter(counted + ignored));
}

/** The lowest indexes that have neither ended nor a pod. */
function pending(job: Job, { active, terminating, completed, lost = [] }: Tally, count: number): readonly number[] {
  const taken = placesOf(waitsForEnd(job) ? [...active, ...terminating] : active, job);
  return firstMissing(including(union(completed, lost), taken), count, job.spec?.completions ?? 0);
}
