// What a snapshot is called on the hypervisor: no two of one machine the same, and the same on every attempt. Pure.
import type { VMSnapshot } from "../kinds/index.ts";

/** The name that is asked for. Where another one of the machine has it, five characters of the uid make it another. */
export function hintFor(snapshot: VMSnapshot, siblings: readonly VMSnapshot[]): string {
  const wanted = baseOf(snapshot);
  const isTaken = siblings.some((it) => baseOf(it) === wanted || sentOf(it) === wanted);
  return isTaken ? `${wanted}-${(snapshot.metadata.uid ?? "").replaceAll("-", "").slice(0, 5)}` : wanted;
}

const baseOf = ({ spec, metadata }: VMSnapshot): string => spec.snapshotConfig?.name ?? metadata.name ?? "";

/** What was sent, on whichever provider: it is stored before it is sent. */
const sentOf = ({ status }: VMSnapshot): string | undefined => Object.values(status?.providerStatus ?? {})[0]?.path;
