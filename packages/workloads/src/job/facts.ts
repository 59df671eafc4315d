// A Job and its pods: what they are, read off their fields. Pure.
import type { Ms } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { find } from "../pods/conditions.ts";
import { isFinished, isTerminating } from "../pods/facts.ts";

export type JobStatus = NonNullable<Job["status"]>;
export type JobCondition = NonNullable<JobStatus["conditions"]>[number];

/** While a pod carries it, the pod is not yet counted. */
export const tracking = "batch.kubernetes.io/job-tracking";
/** Label and annotation. */
export const completionIndex = "batch.kubernetes.io/job-completion-index";

export const isTracked = ({ metadata }: Pod): boolean => metadata?.finalizers?.includes(tracking) === true;

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === "Indexed";
export const isSuspended = ({ spec }: Job): boolean => spec?.suspend === true;
export const limitsIndexes = (job: Job): boolean => isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;

/** Another controller may have been asked to see to it. */
export const isOurs = ({ spec }: Job): boolean =>
  spec?.managedBy === undefined || spec.managedBy === "kubernetes.io/job-controller";

/** How a Job ended, for good. */
export function outcomeOf({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
}

export const holds = ({ status }: Job, type: string): boolean => find(status?.conditions, type)?.status === "True";

/** The place of a pod in an Indexed Job. Undefined: it has none that the Job still wants. */
export function indexOf({ metadata }: Pod, { spec }: Job): number | undefined {
  const text = metadata?.annotations?.[completionIndex];
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const index = Number(text);
  return index < (spec?.completions ?? 0) ? index : undefined;
}

export const placesOf = (pods: readonly Pod[], job: Job): readonly number[] =>
  pods.flatMap((pod) => indexOf(pod, job) ?? []);

/** Whether its end means something: in an Indexed Job only that of a pod with a place. */
export const hasPlace = (pod: Pod, job: Job): boolean => !isIndexed(job) || indexOf(pod, job) !== undefined;

export const isSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";

/** A pod that is going away counts as failed at once, unless the Job waits for its end, or is going away itself. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  return isTerminating(pod) && !isSucceeded(pod) && !waitsForEnd(job) && !isTerminating(job);
}

/** Whether a pod is replaced only once it has ended, not as soon as it is being deleted. */
export function waitsForEnd({ spec }: Job): boolean {
  if (spec?.podReplacementPolicy !== undefined) return spec.podReplacementPolicy === "Failed";
  return spec?.podFailurePolicy !== undefined;
}

/** It is deleted, but its pods stay: what becomes of them is no longer its business. */
export const letsGo = (job: Job): boolean => isTerminating(job) && hasFinalizer(job, "orphan");

/** It waited for its pods to end, and they have: it will be gone in a moment. */
export const isLeaving = (job: Job, pods: readonly Pod[]): boolean =>
  isTerminating(job) && hasFinalizer(job, "foregroundDeletion") && pods.every(isFinished);

const hasFinalizer = ({ metadata }: Job, name: string): boolean => metadata?.finalizers?.includes(name) === true;

export const seconds = (count: number): Ms => count * 1000;
