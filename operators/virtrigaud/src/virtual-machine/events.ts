// What is told as an Event when a status has been written: what a person would ask about later.
import type { VirtualMachineStatus } from "../kinds/index.ts";
import type { VMHands } from "./act.ts";
import type { World } from "./world.ts";

export function tell({ rest, vm }: World, before: unknown, after: unknown, hands: VMHands): void {
  // What the kind's own draft has read and made.
  const [was, is] = [(before ?? {}) as VirtualMachineStatus, (after ?? {}) as VirtualMachineStatus];
  if (was.powerState !== undefined && is.powerState !== undefined && was.powerState !== is.powerState) {
    hands.event("Normal", "PowerChanged", `The machine is ${is.powerState === "On" ? "on" : "off"}`);
  }
  if (rest?.is === "nameTaken") hands.event("Warning", "NameConflict", rest.why);
  if (rest?.is === "lost") hands.event("Warning", "VMNotFound", rest.why);
  if (rest?.is === "absent" && was.message !== is.message) {
    hands.event("Warning", "VMNotFound", `The provider does not know ${vm.status?.id ?? "it"} any more: looking again`);
  }
}
