// How long a Job waits after pods have failed: 10 s, and twice as long after each further failure without a success between.
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { birthOf, conditionOf, isTerminating, uidOf } from "../pods/facts.ts";
import { isFailed, isSucceeded, isTracked, seconds } from "./facts.ts";

const first: Ms = seconds(10);
const longest: Ms = seconds(360);
/** More make no difference: the delay is the longest by then. */
const enough = 7;

/**
 * When pods of a Job failed since one last succeeded. What is known of pods that are gone is known from here alone; whoever
 * loses it only waits too short once.
 */
export interface Failures {
  readonly success?: Instant;
  /** By the pod's uid. */
  readonly failed: ReadonlyMap<string, Instant>;
}

export const noFailures: Failures = { failed: new Map() };

/** What is known, and what the pods show. A moment that is still to come is taken for now: clocks are put back at times. */
export function remember(known: Failures, pods: readonly Pod[], job: Job, now: Instant): Failures {
  const before = (at: Instant): Instant => (at < now ? at : now);
  const failed = new Map([...known.failed].map(([uid, at]) => [uid, before(at)]));
  let success = known.success === undefined ? undefined : before(known.success);
  for (const pod of pods) {
    const at = before(endOf(pod));
    if (isSucceeded(pod)) success = success === undefined || at > success ? at : success;
    // What was deleted because there were too many has not failed.
    else if (isTracked(pod) ? isFailed(pod, job) : pod.status?.phase === "Failed" && !isTerminating(pod)) {
      const earlier = failed.get(uidOf(pod));
      if (earlier === undefined || at < earlier) failed.set(uidOf(pod), at);
    }
  }
  const later = [...failed].filter(([, at]) => success === undefined || at > success);
  later.sort(([, a], [, b]) => b - a);
  return { ...(success === undefined ? {} : { success }), failed: new Map(later.slice(0, enough)) };
}

/** When the next pod may be made. Undefined: at any time. */
export function resumeAt({ failed }: Failures): Instant | undefined {
  const [last] = [...failed.values()].sort((a, b) => b - a);
  return last === undefined ? undefined : plus(last, delayAfter(failed.size));
}

/** After so many failures in a row. */
export const delayAfter = (failures: number): Ms => Math.min(longest, first * 2 ** Math.min(failures - 1, enough));

/** When a pod ended, as well as can be told: by its containers, by its readiness, by its deletion, or else since it was made. */
export function endOf(pod: Pod): Instant {
  return ofContainers(pod) ?? ofReadiness(pod) ?? ofDeletion(pod) ?? birthOf(pod);
}

function ofContainers({ status }: Pod): Instant | undefined {
  let last: Instant | undefined;
  for (const { state } of status?.containerStatuses ?? []) {
    const at = parseTime(state?.terminated?.finishedAt);
    if (at === undefined) return undefined;
    if (last === undefined || at > last) last = at;
  }
  return last;
}

function ofReadiness(pod: Pod): Instant | undefined {
  const ready = conditionOf(pod, "Ready");
  return ready?.status === "False" ? parseTime(ready.lastTransitionTime) : undefined;
}

/** When it was asked to go: the timestamp is when it has to be gone. */
function ofDeletion({ metadata }: Pod): Instant | undefined {
  const end = parseTime(metadata?.deletionTimestamp);
  return end === undefined ? undefined : plus(end, -seconds(metadata?.deletionGracePeriodSeconds ?? 0));
}
