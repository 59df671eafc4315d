// What a Job says of itself. Pure.
import { formatTime, type Instant } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { find } from "../pods/conditions.ts";
import { counted, isReady, isTerminating } from "../pods/facts.ts";
import { tally } from "./counting.ts";
import type { Ending } from "./ending.ts";
import { holds, isSuspended, isTracked, type JobCondition, type JobStatus } from "./facts.ts";
import { formatIndexes } from "./indexes.ts";
import type { Ledger } from "./ledger.ts";

export interface View {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly ledger: Ledger;
  readonly ending: Ending | undefined;
}

/** How it stands, short of its end. */
export function interimStatus({ job, pods, ledger, ending }: View, now: Instant): JobStatus {
  const { active, terminating } = tally(job, pods);
  const { succeeded, failed, noted, completed, lost } = ledger;
  const { active: _a, succeeded: _s, failed: _f, completedIndexes: _c, startTime: _t, ...rest } = job.status ?? {};
  const indexes = formatIndexes(completed);
  const started = startOf(job, ending, now);
  const conditions = conditionsOf(job, ending, now);
  return {
    ...rest,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...counted({ active: active.length, succeeded, failed }),
    ...(started === undefined ? {} : { startTime: started }),
    ...(indexes === "" ? {} : { completedIndexes: indexes }),
    ...(lost === undefined ? {} : { failedIndexes: formatIndexes(lost) }),
    ready: active.filter(isReady).length,
    terminating: terminating.length,
    uncountedTerminatedPods: {
      ...(noted.succeeded.length === 0 ? {} : { succeeded: [...noted.succeeded] }),
      ...(noted.failed.length === 0 ? {} : { failed: [...noted.failed] }),
    },
  };
}

/** The same, and its end once every pod is counted and gone. */
export function finalStatus(view: View, now: Instant): JobStatus {
  const status = interimStatus(view, now);
  const { ending, pods, ledger } = view;
  const isOpen = pods.some(isTracked) || ledger.noted.succeeded.length + ledger.noted.failed.length > 0;
  if (ending === undefined || isOpen || (status.terminating ?? 0) > 0) return status;
  const isSuccess = ending.type === "SuccessCriteriaMet";
  const outcome = condition({ ...ending, type: isSuccess ? "Complete" : "Failed" }, "True", now);
  return {
    ...status,
    conditions: [...(status.conditions ?? []), outcome],
    ...(isSuccess ? { completionTime: formatTime(now) } : {}),
  };
}

/** A Job that is suspended has not begun, and begins anew when it goes on. */
function startOf(job: Job, ending: Ending | undefined, now: Instant): string | undefined {
  const started = job.status?.startTime;
  const isUndecided = ending === undefined && !isTerminating(job);
  if (isUndecided && isSuspended(job)) return undefined;
  const isResumed = isUndecided && holds(job, "Suspended");
  if (isResumed || (started === undefined && !isSuspended(job))) return formatTime(now);
  return started;
}

function conditionsOf(job: Job, ending: Ending | undefined, now: Instant): JobCondition[] {
  const before = job.status?.conditions ?? [];
  if (ending !== undefined) {
    return find(before, ending.type) === undefined ? [...before, condition(ending, "True", now)] : [...before];
  }
  if (isTerminating(job) || isSuspended(job) === holds(job, "Suspended")) return [...before];
  const next = isSuspended(job)
    ? condition({ type: "Suspended", reason: "JobSuspended", message: "Job suspended" }, "True", now)
    : condition({ type: "Suspended", reason: "JobResumed", message: "Job resumed" }, "False", now);
  const has = find(before, "Suspended") !== undefined;
  return has ? before.map((it) => (it.type === "Suspended" ? next : it)) : [...before, next];
}

function condition(
  { type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string },
  status: "True" | "False",
  now: Instant,
): JobCondition {
  const at = formatTime(now);
  return { type, status, reason, message, lastProbeTime: at, lastTransitionTime: at };
}
