// How many pods a budget is about: those that are there, or those that their controllers want.
import type { Pod, PodDisruptionBudget } from "@telltale/kinds/builtin";
import { Deployment, ReplicaSet, StatefulSet } from "@telltale/kinds/builtin";
import type { MapLook } from "@telltale/runtime";
import { controllerOf, nameOf, type OwnerReference } from "../pods/facts.ts";

export type Expected =
  | { readonly is: "known"; readonly count: number; readonly unmanaged: readonly Pod[] } // pods that nobody counts
  | { readonly is: "unknown"; readonly why: string };

/** A number of pods that must be there needs no controllers; a share of all, or a number that may be missing, does. */
export function expectedOf({ spec }: PodDisruptionBudget, pods: readonly Pod[], look: Pick<MapLook, "get">): Expected {
  if (typeof spec?.minAvailable === "number") return { is: "known", count: pods.length, unmanaged: [] };
  const wanted = new Map<string, number>();
  const seen = new Set<string>();
  const unmanaged: Pod[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) unmanaged.push(pod);
    if (owner === undefined || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const found = scaleOf(owner, pod, look);
    if ("why" in found) return { is: "unknown", why: found.why };
    wanted.set(found.uid, found.replicas);
  }
  const count = [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
  return { is: "known", count, unmanaged };
}

type Scale = { readonly uid: string; readonly replicas: number } | { readonly why: string };

function scaleOf(owner: OwnerReference, pod: Pod, look: Pick<MapLook, "get">): Scale {
  const namespace = pod.metadata?.namespace ?? "";
  const missing = { why: `found no controllers for pod ${JSON.stringify(nameOf(pod))}` };
  const of = (it: Scaled | undefined, uid: string): Scale =>
    it?.metadata?.uid === uid ? { uid, replicas: it.spec?.replicas ?? 1 } : missing;
  const [group = ""] = owner.apiVersion.split("/");
  const place = { namespace, name: owner.name };
  if (group === "apps" && owner.kind === "StatefulSet") return of(look.get(StatefulSet, place), owner.uid);
  if (group === "apps" && owner.kind === "ReplicaSet") {
    const set = look.get(ReplicaSet, place);
    const above = set?.metadata?.uid === owner.uid ? controllerOf(set) : undefined;
    if (above?.kind !== "Deployment") return of(set, owner.uid);
    return of(look.get(Deployment, { namespace, name: above.name }), above.uid);
  }
  const resource = `${owner.kind.toLowerCase()}s${group === owner.apiVersion ? "" : `.${group}`}`;
  // Only kinds of a cluster itself are known to have none.
  return isOfCluster(group === owner.apiVersion ? "" : group)
    ? { why: `${resource} does not implement the scale subresource` }
    : { why: `the scale of ${resource} is not read here; set minAvailable to a number of pods` };
}

/** Groups of Kubernetes have no dot, or end in its own domain. */
export const isOfCluster = (group: string): boolean => !group.includes(".") || group.endsWith(".k8s.io");

interface Scaled {
  readonly metadata?: { readonly uid?: string };
  readonly spec?: { readonly replicas?: number };
}
