// What is announced of a set: that it grows or shrinks, and that an update is through. Pure.
import { findCondition } from "@telltale/status";
import type { VMSetStatus } from "../kinds/index.ts";

export interface Announced {
  readonly reason: "ScalingUp" | "ScalingDown" | "UpdateComplete";
  readonly message: string;
}

export function eventsOf(before: VMSetStatus, after: VMSetStatus): readonly Announced[] {
  const told: Announced[] = [];
  const [was, is] = [findCondition(before.conditions, "Scaling"), findCondition(after.conditions, "Scaling")];
  const isOther = is?.status === "True" && (was?.status !== "True" || was.reason !== is.reason);
  if (isOther && (is.reason === "ScalingUp" || is.reason === "ScalingDown")) {
    told.push({ reason: is.reason, message: is.message });
  }
  const { phase, message = "" } = after.updateStatus ?? {};
  const isThrough = phase === "Completed" && before.updateStatus?.completionTime !== after.updateStatus?.completionTime;
  if (isThrough) told.push({ reason: "UpdateComplete", message });
  return told;
}
