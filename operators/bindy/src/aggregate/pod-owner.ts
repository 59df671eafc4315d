// Whose a pod is: by its owners, as labels can be anybody's; and by their uids, as others may have their names by now.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Deployment, type Pod, ReplicaSet } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import type { Bind9Instance } from "../kinds/index.ts";

export function isPodOf(pod: Pod, instance: Bind9Instance, look: Pick<Look, "get">): boolean {
  const owner = <T extends KubeObject>(kind: KindRef<T>, of: KubeObject | undefined): T | undefined => {
    const ref = controllerOf(of);
    if (ref?.kind !== kind.kind) return undefined;
    const found = look.get(kind, { namespace: of?.metadata?.namespace ?? "", name: ref.name });
    return found?.metadata?.uid === ref.uid ? found : undefined;
  };
  return controllerOf(owner(Deployment, owner(ReplicaSet, pod)))?.uid === instance.metadata.uid;
}

const controllerOf = (object: KubeObject | undefined) =>
  object?.metadata?.ownerReferences?.find(({ controller }) => controller === true);
