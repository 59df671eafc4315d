// A machine as its set sees it. What is read of an object is kept as long as the object is: of a thousand machines, a pass looks
// anew only at those that changed.
import { type Instant, instant, parseTime } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import type { VirtualMachine } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { type MachineState, machineStateOf } from "./machine-state.ts";
import { parsedName } from "./objects.ts";

export interface Member {
  readonly vm: VirtualMachine;
  readonly name: string;
  readonly ordinal: number;
  /** The hash of the revision that it was made of, or changed to. */
  readonly revision: string;
  readonly isLeaving: boolean;
  readonly state: MachineState;
  /** Since when it is ready, or is not. */
  readonly since: Instant;
  readonly bornAt: Instant;
  /** When it was made, or last changed where it is. */
  readonly updatedAt: Instant;
  readonly phase: NonNullable<VirtualMachine["status"]>["phase"];
  /** Why it is not ready. */
  readonly reason: string;
  readonly message: string;
}

const seen = new WeakMap<VirtualMachine, Member>();

export function memberOf(vm: VirtualMachine): Member {
  const known = seen.get(vm);
  if (known !== undefined) return known;
  const fresh = read(vm);
  seen.set(vm, fresh);
  return fresh;
}

function read(vm: VirtualMachine): Member {
  const { metadata, status } = vm;
  const { name = "", creationTimestamp, deletionTimestamp } = metadata;
  const ready = findCondition(status?.conditions, "Ready");
  const bornAt = parseTime(creationTimestamp) ?? instant(0);
  const changedAt = parseTime(metadata.annotations?.[annotations.lastUpdateTime]) ?? bornAt;
  return {
    vm,
    name,
    ordinal: parsedName(name)?.ordinal ?? -1,
    revision: metadata.labels?.[labels.revision] ?? "",
    isLeaving: deletionTimestamp !== undefined,
    state: machineStateOf(vm),
    since: parseTime(ready?.lastTransitionTime) ?? bornAt,
    bornAt,
    updatedAt: instant(Math.max(bornAt, changedAt)),
    phase: status?.phase,
    reason: ready === undefined || ready.status === "True" ? "" : ready.reason,
    message: ready === undefined || ready.status === "True" ? "" : ready.message,
  };
}
