// What is announced of a set: that it grows or shrinks, that an update waits, and that it is through. Pure.
import type { Condition } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import type { VMSetStatus } from "../kinds/index.ts";

export interface Announced {
  readonly type: "Normal" | "Warning";
  readonly reason: "ScalingUp" | "ScalingDown" | "UpdateComplete" | "UpdateWaiting";
  readonly message: string;
}

export function eventsOf(before: VMSetStatus, after: VMSetStatus): readonly Announced[] {
  const told: Announced[] = [];
  const [was, is] = [findCondition(before.conditions, "Scaling"), findCondition(after.conditions, "Scaling")];
  const isOther = is?.status === "True" && (was?.status !== "True" || was.reason !== is.reason);
  if (isOther && (is.reason === "ScalingUp" || is.reason === "ScalingDown")) {
    told.push({ type: "Normal", reason: is.reason, message: is.message });
  }
  const waits = waitOf(after);
  if (waits !== undefined && waitOf(before) === undefined) {
    told.push({ type: "Warning", reason: "UpdateWaiting", message: waits.message });
  }
  const { phase, message = "" } = after.updateStatus ?? {};
  const isThrough = phase === "Completed" && before.updateStatus?.completionTime !== after.updateStatus?.completionTime;
  if (isThrough) told.push({ type: "Normal", reason: "UpdateComplete", message });
  return told;
}

/** That an update waits for the state of machines. */
function waitOf({ conditions }: VMSetStatus): Condition | undefined {
  const found = findCondition(conditions, "Progressing");
  const isUpdating = findCondition(conditions, "UpdateInProgress")?.status === "True";
  return isUpdating && found?.reason === "MachineStateUnknown" ? found : undefined;
}
