// What is told as Kubernetes Events: each flip of `Ready`, after the status that carries it was written (8.1). Pure.
import type { Condition } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import { CONDITION_TYPE_READY, REASON_CONFIGURATION_INVALID, REASON_CONFIGURATION_VALID } from "./reasons.ts";

export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface Said {
  readonly conditions?: readonly Condition[];
}

export function flipsOf(before: Said, after: Said): readonly Told[] {
  const was = findCondition(before.conditions, CONDITION_TYPE_READY);
  const is = findCondition(after.conditions, CONDITION_TYPE_READY);
  if (is === undefined) return [];
  const told: Told[] = [];
  const { reason, message } = is;
  if (was?.reason === REASON_CONFIGURATION_INVALID && reason !== REASON_CONFIGURATION_INVALID) {
    told.push({ type: "Normal", reason: REASON_CONFIGURATION_VALID, message: "The configuration is valid again" });
  }
  if (is.status === was?.status) {
    const isNowInvalid = reason === REASON_CONFIGURATION_INVALID && was.reason !== reason;
    return isNowInvalid ? [...told, { type: "Warning", reason, message }] : told;
  }
  if (is.status === "True") told.push({ type: "Normal", reason, message });
  // What has just begun has not turned.
  else if (was !== undefined || reason === REASON_CONFIGURATION_INVALID)
    told.push({ type: "Warning", reason, message });
  return told;
}
