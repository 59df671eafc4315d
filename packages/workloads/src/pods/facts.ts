// What can be seen of a pod, or of any object that is owned. Pure.
import { type Instant, instant, type KubeObject, parseTime, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";

export type OwnerReference = NonNullable<NonNullable<KubeObject["metadata"]>["ownerReferences"]>[number];
type PodCondition = NonNullable<NonNullable<Pod["status"]>["conditions"]>[number];

/** The one owner that manages it. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata?.ownerReferences?.find((owner) => owner.controller === true);
}

export const isTerminating = ({ metadata }: KubeObject): boolean => metadata?.deletionTimestamp !== undefined;

/** It has ended, for good. */
export const isFinished = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

/** It counts as one of those that are wanted. */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod);

export function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((it) => it.type === type);
}

export const isReady = (pod: Pod): boolean => conditionOf(pod, "Ready")?.status === "True";

/** Since when a pod is ready. Undefined: it is not. */
export function readySince(pod: Pod): Instant | undefined {
  const ready = conditionOf(pod, "Ready");
  return ready?.status === "True" ? (parseTime(ready.lastTransitionTime) ?? parseTime(createdAt(pod))) : undefined;
}

/** When a pod counts, or will count, as available. Undefined: it is not ready. */
export function availableAt(pod: Pod, minReadySeconds = 0): Instant | undefined {
  const since = readySince(pod);
  return since === undefined ? undefined : plus(since, minReadySeconds * 1000);
}

export function isAvailable(pod: Pod, minReadySeconds: number | undefined, now: Instant): boolean {
  const at = availableAt(pod, minReadySeconds);
  return at !== undefined && (at <= now || minReadySeconds === undefined || minReadySeconds === 0);
}

/** The next moment at which one of the ready pods becomes available. */
export function nextAvailable(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  now: Instant,
): Instant | undefined {
  const later = pods.flatMap((pod) => availableAt(pod, minReadySeconds) ?? []).filter((at) => at > now);
  return later.length === 0 ? undefined : instant(Math.min(...later));
}

/** How often its containers were started again. */
export function restartsOf({ status }: Pod): number {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

export const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? "";
export const uidOf = ({ metadata }: KubeObject): string => metadata?.uid ?? "";

const createdAt = ({ metadata }: KubeObject): string | undefined => metadata?.creationTimestamp;

/** When it was made. */
export const birthOf = (object: KubeObject): Instant => parseTime(createdAt(object)) ?? instant(0);

/** Older first; of the same second by name, so that there is one order. */
export function byAge(a: KubeObject, b: KubeObject): number {
  const difference = birthOf(a) - birthOf(b);
  return difference !== 0 ? difference : nameOf(a) < nameOf(b) ? -1 : 1;
}

/** Only the counters that are not zero: that is how Kubernetes writes most of them. */
export function counted<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;
}
