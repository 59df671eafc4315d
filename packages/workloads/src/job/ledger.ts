// How pods are counted exactly once, whatever happens in between: first their uids are noted in the status, then they lose
// their finalizer, then the count grows as the uids leave the status. Pure.
import type { Job, Pod } from "@telltale/kinds/builtin";
import { isFinished, isTerminating, uidOf } from "../pods/facts.ts";
import { type Tally, tally } from "./counting.ts";
import type { Ending } from "./ending.ts";
import { hasPlace, indexOf, isFailed, isIndexed, isSucceeded, isTracked, limitsIndexes, placesOf } from "./facts.ts";
import { judge } from "./failure-policy.ts";
import { type Indexes, including, noIndexes, parseIndexes, total } from "./indexes.ts";

export interface Ledger {
  readonly succeeded: number;
  readonly failed: number;
  /** Uids of pods that have ended and are not in the numbers yet. */
  readonly noted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly completed: Indexes;
  readonly lost: Indexes | undefined;
}

/** As many as a status can hold. */
const most = 500;

/** What the status says, with those counted that have lost their finalizer since. */
export function settled(job: Job, pods: readonly Pod[]): Ledger {
  const { status, spec } = job;
  const open = new Set(pods.filter(isTracked).map(uidOf));
  const split = (uids: readonly string[] = []) => {
    const left = uids.filter((uid) => open.has(uid));
    return { left, done: uids.length - left.length };
  };
  const [won, lost] = [status?.uncountedTerminatedPods?.succeeded, status?.uncountedTerminatedPods?.failed].map(split);
  const completed = isIndexed(job) ? parseIndexes(status?.completedIndexes, spec?.completions ?? 0) : noIndexes;
  return {
    succeeded: isIndexed(job) ? total(completed) : (status?.succeeded ?? 0) + (won?.done ?? 0),
    failed: (status?.failed ?? 0) + (lost?.done ?? 0),
    noted: { succeeded: won?.left ?? [], failed: lost?.left ?? [] },
    completed,
    lost: limitsIndexes(job) ? parseIndexes(status?.failedIndexes, spec?.completions ?? 0) : undefined,
  };
}

/** Whether the status has not heard yet of a pod's end, and counts it by its uid. An index is counted once anyway. */
export function isNews(pod: Pod, job: Job): boolean {
  if (!isTracked(pod) || !hasPlace(pod, job)) return false;
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  if (isSucceeded(pod)) return !isIndexed(job) && !succeeded.includes(uidOf(pod));
  return isFailed(pod, job) && !failed.includes(uidOf(pod));
}

/** What is to be written before the pods of `release` may lose their finalizer. */
export interface Noted {
  readonly ledger: Ledger;
  readonly release: readonly Pod[];
  /** Not all that have ended found room. */
  readonly isCut: boolean;
}

export function noteEnds(job: Job, pods: readonly Pod[], ending: Ending | undefined): Noted {
  const before = settled(job, pods);
  const found = tally(job, pods);
  const known = new Set([...before.noted.succeeded, ...before.noted.failed]);
  const ended = pods.filter((pod) => isTracked(pod) && mayRelease(pod, job, found, ending));
  const fresh = ended.filter((pod) => !known.has(uidOf(pod)));
  const taken = fresh.slice(0, Math.max(0, most - known.size));
  const meaning = taken.filter((pod) => hasPlace(pod, job));
  const won = meaning.filter(isSucceeded);
  const failed = meaning.filter((pod) => !isSucceeded(pod) && countsAsFailed(pod, job, ending));
  const completed = isIndexed(job) ? including(before.completed, placesOf(won, job)) : before.completed;
  const ledger: Ledger = {
    ...before,
    succeeded: isIndexed(job) ? total(completed) : before.succeeded,
    noted: {
      succeeded: [...before.noted.succeeded, ...(isIndexed(job) ? [] : won.map(uidOf))],
      failed: [...before.noted.failed, ...failed.map(uidOf)],
    },
    completed,
    // What the Job stopped has not failed its index.
    lost: ending === undefined ? found.lost : tally(job, pods.filter(isFinished)).lost,
  };
  const release = [...ended.filter((pod) => known.has(uidOf(pod))), ...taken];
  return { ledger, release, isCut: taken.length < fresh.length };
}

/** It has ended, or the Job does; but not one whose failures its replacement still has to learn of. */
function mayRelease(pod: Pod, job: Job, { held }: Tally, ending: Ending | undefined): boolean {
  if (ending !== undefined || isTerminating(job) || isSucceeded(pod)) return true;
  if (!isFailed(pod, job)) return false;
  const index = indexOf(pod, job);
  return index === undefined || held.get(index) !== pod;
}

/** A Job that fails takes along what still runs. One that succeeds does not hold that against itself. */
function countsAsFailed(pod: Pod, job: Job, ending: Ending | undefined): boolean {
  if (judge(pod, job).is === "ignored") return false;
  if (ending?.type === "FailureTarget") return true;
  return ending === undefined ? isFailed(pod, job) : pod.status?.phase === "Failed";
}
