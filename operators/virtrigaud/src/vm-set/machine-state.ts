// What is known of a machine, for decisions about its set: only a machine that is known not to run may be replaced without budget. Pure.
import { findCondition } from "@telltale/status";
import type { VirtualMachine } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";

export type MachineState =
  | "ready" // as its spec says
  | "notReady" // known not to be, and it may run
  | "down" // known not to be, and known not to run, or not to have come up yet
  | "notCreated" // its provider cannot be asked, and it does not exist there yet
  | "unobserved" // not observed since it was created or its spec changed: it may run
  | "unknown"; // its provider cannot be asked: it may run

export function machineStateOf(vm: VirtualMachine): MachineState {
  const { generation } = vm.metadata;
  const { conditions, observedGeneration = generation } = vm.status ?? {};
  const ready = findCondition(conditions, "Ready");
  if (ready === undefined) return "unobserved";
  if (ready.status === "Unknown") return mayExist(vm) ? "unknown" : "notCreated";
  if (generation !== undefined && (observedGeneration ?? 0) < generation) return "unobserved";
  if (ready.status === "True") return "ready";
  if (!mayExist(vm) || isBeingCreated(vm)) return "down";
  return isOff(vm) || isLost(vm, ready.reason) ? "down" : "notReady";
}

/** Nothing that runs is lost with it. */
export const isKnownDown = (state: MachineState): boolean => state === "down" || state === "notCreated";

/** An id, an attempt to create it whose outcome is not known, or an id that adoption is about to write. */
function mayExist({ metadata, status }: VirtualMachine): boolean {
  const { annotations: on = {}, labels: marks = {} } = metadata;
  if ((status?.id ?? on[annotations.providerId] ?? "") !== "" || marks[labels.adopted] === "true") return true;
  const isAttempted = on[annotations.pendingOp] !== undefined;
  return isAttempted && findCondition(status?.conditions, "Provisioning")?.status !== "False";
}

const isBeingCreated = ({ metadata, status }: VirtualMachine): boolean =>
  metadata.labels?.[labels.adopted] !== "true" && (status?.phase === "Pending" || status?.phase === "Provisioning");

/** Last seen off although it should be on. */
const isOff = ({ spec, status }: VirtualMachine): boolean =>
  (spec.powerState ?? "On") === "On" && status?.powerState === "Off";

/** One answer proves nothing: the phase changes when several agree. */
const isLost = ({ status }: VirtualMachine, reason: string): boolean =>
  status?.phase === "Failed" && reason === "VMNotFound";
