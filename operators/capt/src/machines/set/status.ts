// What a CaptMachineSet says of itself. Pure.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, names, type SafeText, text } from "@telltale/status";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import type { CaptMachineSet } from "../../kinds/capt-machine-set.ts";
import { nothingReal } from "../../provider/words.ts";
import { recheck } from "../gate.ts";
import { awaited, isPretended, isReady, isSelecting, isStaying, stateOf, type World, wantedOf } from "./plan.ts";

/** How soon a machine is tried again that could not be made or taken away. */
const soon: Ms = 10_000;

export function status({ it, machines, trouble }: World, draft: Draft<typeof CaptMachineSet>, now: Instant): void {
  const staying = machines.filter(isStaying);
  const ready = staying.filter(isReady).length;
  const labelled = Object.entries(it.spec.template.metadata?.labels ?? {});
  const isLabelled = ({ metadata }: CaptMachine) =>
    labelled.every(([name, value]) => metadata.labels?.[name] === value);
  draft.set({
    replicas: staying.length,
    fullyLabeledReplicas: staying.filter(isLabelled).length,
    readyReplicas: ready,
    availableReplicas: ready,
  });
  const wanted = wantedOf(it);
  const refusal = trouble === undefined ? text`` : text`; ${trouble.message}`;
  if (trouble !== undefined) draft.wake(plus(now, Math.max(soon, trouble.retryAfter ?? 0)));
  if (!isSelecting(it)) {
    draft.condition("Ready", false, "InvalidSelector", "spec.selector does not select the labels of spec.template");
  } else if (staying.length < wanted) {
    draft.condition("Ready", false, "ScalingUp", text`${staying.length} of ${wanted} machines exist${refusal}`);
  } else if (machines.length > wanted) {
    const waits = awaited({ it, machines });
    const more = waits.length === 0 ? text`` : text`; waits: ${unknownStates(waits)}`;
    draft.condition(
      "Ready",
      false,
      "ScalingDown",
      text`${machines.length} machines exist, ${wanted} are wanted${more}${refusal}`,
    );
  } else if (ready < wanted) {
    const down = staying.filter((one) => stateOf(one) === "down");
    const unknown = staying.filter((one) => stateOf(one) === "unknown");
    if (down.length > 0) draft.condition("Ready", false, "MachinesNotReady", text`not ready: ${namesOf(down)}`);
    else draft.condition("Ready", "Unknown", "MachineStateUnknown", unknownStates(unknown));
  } else {
    const isReal = !staying.some(isPretended);
    const message = isReal ? text`${wanted} machines run` : text`${wanted} machines: ${nothingReal}`;
    draft.condition("Ready", true, isReal ? "Ready" : "Simulated", message);
  }
  if (staying.some(isPretended)) draft.condition("Simulated", true, "Simulated", text`machines: ${nothingReal}`);
  else draft.without("Simulated");
  draft
    .condition("Paused", false, "NotPaused", "not paused")
    .condition("Deleting", false, "NotDeleting", "not deleting")
    .wake(plus(now, recheck));
}

const namesOf = (machines: readonly CaptMachine[]): SafeText =>
  names(machines.map(({ metadata }) => metadata.name ?? ""));

/** Of machines that may run, or may not. */
export const unknownStates = (machines: readonly CaptMachine[]): SafeText =>
  text`it is not known whether these run: ${namesOf(machines)}`;
