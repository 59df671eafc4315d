// Pods that nobody counts any more: their Job is gone or has ended, and its finalizer would hold them for good.
import { Job, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Look, type MapLook, type Name } from "@telltale/runtime";
import { controllerOf, nameOf, uidOf } from "../pods/facts.ts";
import { withoutFinalizer } from "../pods/finalizers.ts";
import { isOurs, isTracked, outcomeOf, tracking } from "./facts.ts";

/** Pods with the finalizer, by the uid of their Job. */
const tracked = "tracked";

export function orphanedPods(): Controller {
  return controller(Pod, "job-orphan-controller")
    .on("finalizers", "ownerReferences")
    .index(Pod, tracked, (pod) => (isTracked(pod) ? [controllerOf(pod)?.uid ?? ""] : []))
    .watches(Job, ({ old, new: next }, look) => podsOf(old, next, look))
    .writes(Pod, "patch")
    .gate((pod, look) => (isTracked(pod) && !isCounted(pod, jobOf(pod, look)) ? "go" : "ignore"))
    .untilGone()
    .reconcile<Pod, undefined>({
      observe: (pod) => pod,
      async act(_, hands, pod) {
        // Before anything is lost for good: a cache that lags behind may not have the Job yet.
        const owner = controllerOf(pod);
        const namespace = pod.metadata?.namespace ?? "";
        const job = owner === undefined ? undefined : await hands.live(Job, { namespace, name: owner.name });
        if (!isCounted(pod, job)) await hands.patch(Pod, pod, withoutFinalizer(pod, tracking));
      },
      status: () => ({ status: undefined }),
    });
}

function jobOf(pod: Pod, look: Look): Job | undefined {
  const owner = controllerOf(pod);
  return owner === undefined
    ? undefined
    : look.get(Job, { namespace: pod.metadata?.namespace ?? "", name: owner.name });
}

/** Whether somebody will still see to its finalizer. Those of other owners are none of our business. */
export function isCounted(pod: Pod, job: Job | undefined): boolean {
  const owner = controllerOf(pod);
  if (owner === undefined) return false;
  if (owner.kind !== Job.kind || owner.apiVersion !== Job.apiVersion) return true;
  if (job === undefined || uidOf(job) !== owner.uid) return false;
  return !isOurs(job) || outcomeOf(job) === undefined;
}

/** The pods of a Job that is gone or has just ended. */
function* podsOf(old: Job | undefined, next: Job | undefined, look: MapLook): Iterable<Name> {
  const isGone = old !== undefined && (next === undefined || uidOf(next) !== uidOf(old));
  const ended = next !== undefined && outcomeOf(next) !== undefined ? [next] : [];
  for (const job of isGone ? [old, ...ended] : ended) {
    for (const pod of look.where(Pod, tracked, uidOf(job))) {
      yield { namespace: pod.metadata?.namespace ?? "", name: nameOf(pod) };
    }
  }
}
