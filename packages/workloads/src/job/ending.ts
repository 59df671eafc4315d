// Whether a Job is about to end, and why. What has been said once stays: the first reason counts. Pure.
import { type Instant, parseTime, plus } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { find } from "../pods/conditions.ts";
import { restartsOf } from "../pods/facts.ts";
import type { Tally } from "./counting.ts";
import { isFailed, isSuspended, seconds } from "./facts.ts";
import { judge } from "./failure-policy.ts";
import { total } from "./indexes.ts";
import { successOf } from "./success-policy.ts";

export interface Ending {
  /** What is said while pods are still to be counted, or to go. */
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

/** Before anything is done: whatever still runs has to stop. */
export function endingOf(job: Job, pods: readonly Pod[], found: Tally, now: Instant): Ending | undefined {
  return said(job) ?? byPolicy(job, pods) ?? byLimit(job, pods, found) ?? byDeadline(job, now) ?? byIndexes(job, found);
}

/** Once everything is done: as many as were wanted have succeeded, and nothing runs any more. */
export function completionOf({ spec }: Job, { succeeded, active }: Tally): Ending | undefined {
  if (active.length > 0 || succeeded < (spec?.completions ?? 1)) return undefined;
  return {
    type: "SuccessCriteriaMet",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  };
}

/** When the time of a Job is up. Undefined: it has as long as it takes. */
export function deadlineOf(job: Job): Instant | undefined {
  const start = parseTime(job.status?.startTime);
  const limit = job.spec?.activeDeadlineSeconds;
  return start === undefined || limit === undefined || isSuspended(job) ? undefined : plus(start, seconds(limit));
}

function said({ status }: Job): Ending | undefined {
  for (const type of ["SuccessCriteriaMet", "FailureTarget"] as const) {
    const found = find(status?.conditions, type);
    if (found?.status === "True") return { type, reason: found.reason ?? "", message: found.message ?? "" };
  }
  return undefined;
}

const failure = (reason: string, message: string): Ending => ({ type: "FailureTarget", reason, message });

function byPolicy(job: Job, pods: readonly Pod[]): Ending | undefined {
  if (job.spec?.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const verdict = isFailed(pod, job) ? judge(pod, job) : undefined;
    if (verdict?.is === "job") return failure("PodFailurePolicy", verdict.message);
  }
  return undefined;
}

function byLimit(job: Job, pods: readonly Pod[], { failed }: Tally): Ending | undefined {
  const limit = job.spec?.backoffLimit ?? 6;
  if (failed <= limit && !restartsExceed(job, pods, limit)) return undefined;
  return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
}

/** Where containers are started again in their pod, each start counts. */
function restartsExceed({ spec }: Job, pods: readonly Pod[], limit: number): boolean {
  if (spec?.template?.spec?.restartPolicy !== "OnFailure") return false;
  const running = pods.filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending");
  const restarts = running.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function byDeadline(job: Job, now: Instant): Ending | undefined {
  const end = deadlineOf(job);
  if (end === undefined || now < end) return undefined;
  return failure("DeadlineExceeded", "Job was active longer than specified deadline");
}

function byIndexes(job: Job, { completed, lost = [] }: Tally): Ending | undefined {
  const { completions = 0, maxFailedIndexes } = job.spec ?? {};
  const count = total(lost);
  if (maxFailedIndexes !== undefined && count > maxFailedIndexes) {
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  if (count > 0 && count + total(completed) >= completions) return failure("FailedIndexes", "Job has failed indexes");
  const message = successOf(job, completed);
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message };
}
