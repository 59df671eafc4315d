// What a StatefulSet says of its members. Pure.
import type { Instant } from "@telltale/kinds";
import type { Pod, StatefulSet } from "@telltale/kinds/builtin";
import { counted, isAvailable, isTerminating, nextAvailable } from "../pods/facts.ts";
import { sizeOf } from "./ordinals.ts";
import { isRunning } from "./plan.ts";
import { revisionOfPod } from "./pod.ts";

type Status = NonNullable<StatefulSet["status"]>;

/** What a set stands between, by name. Of one that went before it had any: none. */
export interface RevisionNames {
  readonly current: string | undefined;
  readonly update: string | undefined;
  readonly collisions: number;
}

/** A pod that was asked to go is counted as there until it is gone, but is no longer of any revision. */
export function statusOf(set: StatefulSet, pods: readonly Pod[], names: RevisionNames, now: Instant): Status {
  const staying = pods.filter((pod) => !isTerminating(pod));
  const ofRevision = (name: string | undefined) =>
    staying.filter((pod) => name !== undefined && revisionOfPod(pod) === name).length;
  const ready = pods.filter(isRunning);
  const updated = ofRevision(names.update);
  const size = sizeOf(set);
  const isComplete =
    set.spec?.updateStrategy?.type === "RollingUpdate" &&
    [updated, ready.length, pods.length].every((count) => count === size);
  const current = isComplete ? names.update : names.current;
  return {
    replicas: pods.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds, now)).length,
    collisionCount: names.collisions,
    ...(current === undefined ? {} : { currentRevision: current }),
    ...(names.update === undefined ? {} : { updateRevision: names.update }),
    ...counted({
      observedGeneration: set.metadata?.generation ?? 0,
      currentReplicas: isComplete ? updated : ofRevision(names.current),
      updatedReplicas: updated,
      readyReplicas: ready.length,
    }),
  };
}

/** When the next ready member becomes available. */
export const dueAt = (set: StatefulSet, pods: readonly Pod[], now: Instant): Instant | undefined =>
  nextAvailable(pods.filter(isRunning), set.spec?.minReadySeconds, now);
