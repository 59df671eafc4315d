// How the pods of a Job stand: what its status has counted already, and what has ended since. Pure.
import type { Job, Pod } from "@telltale/kinds/builtin";
import { isActive, isFinished, isTerminating, uidOf } from "../pods/facts.ts";
import { endOf } from "./backoff.ts";
import { hasPlace, indexOf, isFailed, isIndexed, isSucceeded, isTracked, limitsIndexes, placesOf } from "./facts.ts";
import { judge } from "./failure-policy.ts";
import { has, type Indexes, including, noIndexes, parseIndexes, total } from "./indexes.ts";

export interface Tally {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** Each pod once, whether the status has it yet or not. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of Indexed Jobs. */
  readonly completed: Indexes;
  /** The indexes that have failed for good. Undefined: the Job has no limit for each. */
  readonly lost: Indexes | undefined;
  /** Failed pods whose replacement is still to be made, by index: it takes over their count of failures. */
  readonly held: ReadonlyMap<number, Pod>;
}

export function tally(job: Job, pods: readonly Pod[]): Tally {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: noted } = job.status ?? {};
  const active = pods.filter(isActive);
  const terminating = pods.filter((pod) => isTerminating(pod) && !isFinished(pod));
  const open = pods.filter((pod) => isTracked(pod) && hasPlace(pod, job));
  const won = open.filter((pod) => isSucceeded(pod) && noted?.succeeded?.includes(uidOf(pod)) !== true);
  const counted = open.filter((pod) => isFailed(pod, job) && judge(pod, job).is !== "ignored");
  const fresh = counted.filter((pod) => noted?.failed?.includes(uidOf(pod)) !== true);
  const indexes = isIndexed(job) ? indexesOf(job, open, active) : none;
  return {
    active,
    terminating,
    succeeded: isIndexed(job) ? total(indexes.completed) : succeeded + (noted?.succeeded?.length ?? 0) + won.length,
    failed: failed + (noted?.failed?.length ?? 0) + fresh.length,
    ...indexes,
  };
}

const none = { completed: noIndexes, lost: undefined, held: new Map<number, Pod>() };

function indexesOf(job: Job, open: readonly Pod[], active: readonly Pod[]): Pick<Tally, "completed" | "lost" | "held"> {
  const { completions = 0 } = job.spec ?? {};
  const completed = including(
    parseIndexes(job.status?.completedIndexes, completions),
    placesOf(open.filter(isSucceeded), job),
  );
  if (!limitsIndexes(job)) return { completed, lost: undefined, held: none.held };
  const lost = including(
    parseIndexes(job.status?.failedIndexes, completions),
    placesOf(
      open.filter((pod) => losesIndex(pod, job)),
      job,
    ),
  );
  const busy = new Set(placesOf(active, job));
  const held = new Map<number, Pod>();
  for (const pod of open.filter((it) => isFailed(it, job))) {
    const index = indexOf(pod, job);
    if (index === undefined || has(completed, index) || has(lost, index) || busy.has(index)) continue;
    const other = held.get(index);
    if (other === undefined || isLater(pod, other)) held.set(index, pod);
  }
  return { completed, lost, held };
}

function losesIndex(pod: Pod, job: Job): boolean {
  if (!isFailed(pod, job)) return false;
  const { is } = judge(pod, job);
  if (is === "index") return true;
  return is !== "ignored" && indexFailures(pod).counted >= (job.spec?.backoffLimitPerIndex ?? 0);
}

function isLater(pod: Pod, other: Pod): boolean {
  const [a, b] = [indexFailures(pod), indexFailures(other)];
  return a.counted + a.ignored >= b.counted + b.ignored && endOf(pod) >= endOf(other);
}

/** The failures of an index before this pod, which its pods hand down. */
export interface IndexFailures {
  readonly counted: number;
  readonly ignored: number;
}

export const countedFailures = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailures = "batch.kubernetes.io/job-index-ignored-failure-count";

export function indexFailures({ metadata }: Pod): IndexFailures {
  const read = (name: string): number => {
    const text = metadata?.annotations?.[name] ?? "";
    return /^\d{1,10}$/.test(text) ? Number(text) : 0;
  };
  return { counted: read(countedFailures), ignored: read(ignoredFailures) };
}

/** What the one that takes a pod's place has to know. */
export function failuresAfter(pod: Pod | undefined, job: Job): IndexFailures {
  if (pod === undefined) return { counted: 0, ignored: 0 };
  const { counted, ignored } = indexFailures(pod);
  return judge(pod, job).is === "ignored" ? { counted, ignored: ignored + 1 } : { counted: counted + 1, ignored };
}
