// What a Job says of a test: where it stands, which phase that means, when it began and ended, and why it failed. Pure.
import { type Instant, instant, parseTime } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { nodeName } from "../build/names.ts";
import { earliest } from "../moments.ts";
import { sanitize } from "../sanitize.ts";
import type { World } from "./world.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

/** Where a Job stands. The first that matches counts, in this order. */
export type JobState =
  | "Absent"
  | "Succeeded"
  | "Failed"
  | "Suspended"
  | "Active" // it has pods, pending ones included
  | "Settling" // the outcome is decided, and not written yet
  | "Created"; // nobody has acted on it

export function classifyJob(job: Job | undefined): JobState {
  if (job === undefined) return "Absent";
  const { spec, status = {} } = job;
  if (hasCondition(job, "Complete")) return "Succeeded";
  if (hasCondition(job, "Failed")) return "Failed";
  if (spec?.suspend === true || hasCondition(job, "Suspended")) return "Suspended";
  if ((status.active ?? 0) > 0) return "Active";
  const succeeded = (status.succeeded ?? 0) + (status.uncountedTerminatedPods?.succeeded?.length ?? 0);
  const isDecided = hasCondition(job, "SuccessCriteriaMet") || hasCondition(job, "FailureTarget");
  const isSettling = succeeded > 0 || failuresOf(job) > (spec?.backoffLimit ?? 0) || isDecided;
  return isSettling ? "Settling" : "Created";
}

/** How many pods of a Job have failed, those that it has not counted yet included. */
export const failuresOf = ({ status }: Job): number =>
  (status?.failed ?? 0) + (status?.uncountedTerminatedPods?.failed?.length ?? 0);

export const isFinal = (state: JobState): boolean => state === "Succeeded" || state === "Failed";

/** A Job on which somebody has to wait, or which has to be stopped. */
export const isUnfinished = (state: JobState): boolean => state !== "Absent" && !isFinal(state);

/** The phase as the master Job alone has it. */
export function derivePhaseFromJob(job: Job | undefined): Phase {
  const state = classifyJob(job);
  if (state === "Succeeded" || state === "Failed") return state;
  return state === "Active" ? "Running" : "Pending";
}

const ranks: Readonly<Record<Phase, number>> = { Pending: 0, Running: 1, Succeeded: 2, Failed: 2 };

export const isEnded = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

/** When the container of the master first ran, by its pods. */
export function masterStartedAt({ pods, test }: Pick<World, "pods" | "test">): Instant | undefined {
  const container = nodeName(test.metadata.name ?? "", "master");
  return earliest(...pods.master.map((pod) => startedAt(pod, container)));
}

function startedAt({ status, metadata }: Pod, container: string): Instant | undefined {
  const { state, lastState } = status?.containerStatuses?.find(({ name }) => name === container) ?? {};
  const known = [lastState?.terminated, state?.terminated, state?.running].map((it) => parseTime(it?.startedAt));
  const hasRun = status?.phase === "Running" || status?.phase === "Succeeded";
  // Not every kubelet says of a container when it began.
  return earliest(...known) ?? (hasRun ? parseTime(status?.startTime ?? metadata?.creationTimestamp) : undefined);
}

export const isTerminating = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** Never back, and never away from an end. */
export function advance(current: Phase | undefined, derived: Phase): Phase {
  if (current === undefined) return derived;
  if (ranks[current] === 2 || ranks[derived] < ranks[current]) return current;
  return derived;
}

function conditionOf(job: Job, type: string) {
  return job.status?.conditions?.find((it) => it.type === type);
}

const hasCondition = (job: Job, type: string): boolean => conditionOf(job, type)?.status === "True";

/** Why a Job failed, in a word: `BackoffLimitExceeded`. */
export const reasonOf = (job: Job): string => sanitize(conditionOf(job, "Failed")?.reason || "unknown reason");

export const failedAt = (job: Job): Instant | undefined => parseTime(conditionOf(job, "Failed")?.lastTransitionTime);

/** When a Job was last let go on. */
export function resumedAt(job: Job | undefined): Instant | undefined {
  const suspended = job === undefined ? undefined : conditionOf(job, "Suspended");
  return suspended?.status === "False" ? parseTime(suspended.lastTransitionTime) : undefined;
}

export const startOf = (job: Job | undefined): Instant | undefined => parseTime(job?.status?.startTime);

/** When a Job ended, by its own account. */
export function endOf(job: Job): Instant | undefined {
  if (hasCondition(job, "Complete")) {
    return parseTime(job.status?.completionTime) ?? parseTime(conditionOf(job, "Complete")?.lastTransitionTime);
  }
  return failedAt(job);
}

/** The later of two moments: an end is never before its beginning. */
export const notBefore = (start: Instant | undefined, end: Instant): Instant =>
  start === undefined ? end : instant(Math.max(start, end));

const meanings: Readonly<Record<number, string>> = {
  1: "failed requests, user errors, or a start-up error",
  2: "bad command line or unhandled exception",
  143: "terminated",
  255: "invalid arguments or startup failure",
};

export interface Requests {
  readonly failed: number;
  readonly total: number;
}

/** Why the master failed: by how its program ended, where that is known. */
export function failureCause(job: Job, pods: readonly Pod[], container: string, requests?: Requests): string {
  const newest = newestOf(pods);
  const ended = newest?.status?.containerStatuses?.find(({ name }) => name === container)?.state?.terminated;
  if (ended === undefined || ended.exitCode === 0) return `master Job failed (${reasonOf(job)})`;
  const { exitCode, reason } = ended;
  const killed = reason === "OOMKilled" ? "out of memory" : "killed";
  const meaning = exitCode === 137 ? killed : (meanings[exitCode] ?? "custom exit code");
  const failures =
    requests !== undefined && requests.failed > 0 ? `; ${requests.failed} of ${requests.total} requests failed` : "";
  return `master exited with code ${exitCode} (${meaning})${failures}`;
}

export function newestOf(pods: readonly Pod[]): Pod | undefined {
  const age = ({ metadata }: Pod) => `${metadata?.creationTimestamp ?? ""} ${metadata?.name ?? ""}`;
  return pods.reduce<Pod | undefined>(
    (best, pod) => (best === undefined || age(pod) > age(best) ? pod : best),
    undefined,
  );
}
