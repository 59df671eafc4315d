// Which snapshot came from which (3.6, "Tree"). The parent is stored, everything else follows from it. Pure.
import type { SnapshotRef, VirtualMachine, VMSnapshot } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { byBirth } from "./retention.ts";

export function refOf({ metadata }: VMSnapshot): SnapshotRef {
  const { name = "", namespace, uid } = metadata;
  return { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
}

/** What a new snapshot of the machine comes from: where the machine stands now, if that is a snapshot. */
export function parentFor(vm: VirtualMachine, siblings: readonly VMSnapshot[]): SnapshotRef | undefined {
  const name = vm.metadata.annotations?.[annotations.currentSnapshot];
  const found = siblings.find((it) => it.metadata.name === name && it.status?.phase === "Ready");
  return found === undefined || found.metadata.deletionTimestamp !== undefined ? undefined : refOf(found);
}

/** Oldest first. */
export function childrenOf({ metadata }: VMSnapshot, siblings: readonly VMSnapshot[]): readonly VMSnapshot[] {
  const { uid } = metadata;
  return siblings.filter(({ status }) => uid !== undefined && status?.parent?.uid === uid).sort(byBirth);
}
