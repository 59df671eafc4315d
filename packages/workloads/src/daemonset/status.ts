// What a DaemonSet says of its nodes. Pure.
import type { Instant } from "@telltale/kinds";
import type { DaemonSet } from "@telltale/kinds/builtin";
import { counted, isAvailable, isReady, nextAvailable } from "../pods/facts.ts";
import type { View } from "./view.ts";

type Status = NonNullable<DaemonSet["status"]>;

/** Of several pods on a node the first counts. */
export function statusOf({ set, places }: View, collisions: number | undefined, now: Instant): Status {
  const homes = places.filter(({ fit }) => fit === "home");
  const manned = homes.flatMap(({ pods: [pod], updated }) => (pod === undefined ? [] : [{ pod, updated }]));
  const ready = manned.filter(({ pod }) => isReady(pod));
  const available = ready.filter(({ pod }) => isAvailable(pod, set.spec?.minReadySeconds, now)).length;
  const { conditions } = set.status ?? {};
  return {
    currentNumberScheduled: manned.length,
    desiredNumberScheduled: homes.length,
    numberMisscheduled: places.filter(({ fit, pods }) => fit !== "home" && pods.length > 0).length,
    numberReady: ready.length,
    ...counted({
      observedGeneration: set.metadata?.generation ?? 0,
      updatedNumberScheduled: manned.filter(({ pod, updated }) => updated.has(pod)).length,
      numberAvailable: available,
      numberUnavailable: homes.length - available,
      collisionCount: collisions ?? 0,
    }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

/** When the next ready pod becomes available. */
export function dueAt({ set, places }: View, now: Instant): Instant | undefined {
  return nextAvailable(
    places.flatMap(({ pods }) => pods),
    set.spec?.minReadySeconds,
    now,
  );
}
