// What a ReplicaSet says of its pods. Pure.
import { type Instant, matchesSelector } from "@telltale/kinds";
import type { Pod, ReplicaSet } from "@telltale/kinds/builtin";
import type { StatusValue } from "@telltale/runtime";
import { withCondition, without } from "../pods/conditions.ts";
import { counted, isActive, isAvailable, isFinished, isReady, isTerminating, nextAvailable } from "../pods/facts.ts";
import type { World } from "./replicaset.ts";

type Status = NonNullable<ReplicaSet["status"]>;

export function statusOf({ set, pods, failure }: World, now: Instant): StatusValue<typeof ReplicaSet> {
  const { minReadySeconds, template } = set.spec ?? {};
  const active = pods.mine.filter(isActive);
  const labels = { matchLabels: template?.metadata?.labels ?? {} };
  const ready = active.filter(isReady);
  const status: Status = {
    replicas: active.length,
    ...counted({
      fullyLabeledReplicas: active.filter((pod) => matchesSelector(labels, pod.metadata?.labels)).length,
      readyReplicas: ready.length,
      availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
      observedGeneration: set.metadata?.generation ?? 0,
    }),
    terminatingReplicas: pods.mine.filter(isLeaving).length,
    ...conditions(set, failure, now),
  };
  const wakeAt = nextAvailable(ready, minReadySeconds, now);
  return {
    status,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(failure === undefined ? {} : { retry: true }),
  };
}

const isLeaving = (pod: Pod): boolean => isTerminating(pod) && !isFinished(pod);

/** A failure that stays is said once. */
function conditions(set: ReplicaSet, failure: World["failure"], now: Instant): Pick<Status, "conditions"> {
  const before = set.status?.conditions;
  const after =
    failure === undefined
      ? without(before, "ReplicaFailure")
      : before?.some(({ type }) => type === "ReplicaFailure")
        ? [...before]
        : withCondition(before, { type: "ReplicaFailure", status: "True", ...failure }, now);
  return after.length === 0 ? {} : { conditions: after };
}
