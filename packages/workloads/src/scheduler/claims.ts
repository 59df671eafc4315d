// Claims that a pod has to wait for before it can be anywhere. Pure.
import type { PersistentVolumeClaim, Pod, StorageClass } from "@telltale/kinds/builtin";

export interface Claims {
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
  readonly storageClass: (name: string) => StorageClass | undefined;
}

/** What keeps a pod from being placed on any node. Undefined: nothing. */
export function unclaimed(pod: Pod, { claim, storageClass }: Claims): string | undefined {
  let isUnbound = false;
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec?.volumes ?? []) {
    const wanted = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${pod.metadata?.name ?? ""}-${name}`;
    if (wanted === undefined) continue;
    const found = claim(wanted);
    if (found === undefined) return `persistentvolumeclaim "${wanted}" not found`;
    if (found.status?.phase === "Lost")
      return `persistentvolumeclaim "${wanted}" bound to non-existent persistentvolume ""`;
    if (found.metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim "${wanted}" is being deleted`;
    const isBound = (found.spec?.volumeName ?? "") !== "" && found.status?.phase === "Bound";
    const mode = storageClass(found.spec?.storageClassName ?? "")?.volumeBindingMode;
    if (!isBound && mode !== "WaitForFirstConsumer") isUnbound = true;
  }
  return isUnbound ? "pod has unbound immediate PersistentVolumeClaims" : undefined;
}
