// Whose a pod is: by its owners, as labels can be anybody's; and by their uids, as others may have their names by now.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Deployment, type Pod, ReplicaSet } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import type { Bind9Instance } from "../kinds/index.ts";
import { labels } from "../names.ts";

export const isPodOf = (pod: Pod, instance: Bind9Instance, look: Pick<Look, "get">): boolean =>
  claimOf(pod, instance, look) === "its";

/**
 * `doubtful`: one of its owners has not been heard of, or is gone. `orphaned`: its Deployment names the instance and is nobody's,
 * as after a deletion that leaves behind what was made.
 */
export type Claim = "its" | "another's" | "doubtful" | "orphaned";

export function claimOf(pod: Pod, instance: Bind9Instance, look: Pick<Look, "get">): Claim {
  let object: KubeObject = pod;
  for (const kind of [ReplicaSet, Deployment] as readonly KindRef[]) {
    const ref = controllerOf(object);
    if (ref?.kind !== kind.kind) return "another's";
    const owner = look.get(kind, { namespace: pod.metadata?.namespace ?? "", name: ref.name });
    if (owner?.metadata?.uid !== ref.uid) return "doubtful";
    object = owner;
  }
  return claimOn(object, instance);
}

export function claimOn(deployment: KubeObject | undefined, { metadata: { uid, name } }: Bind9Instance): Claim {
  const owner = controllerOf(deployment);
  if (owner !== undefined) return owner.uid === uid ? "its" : "another's";
  return deployment?.metadata?.labels?.[labels.appInstance] === name ? "orphaned" : "another's";
}

export const controllerOf = (object: KubeObject | undefined) =>
  object?.metadata?.ownerReferences?.find(({ controller }) => controller === true);
