// What kstatus says of an object, and the few ways to say it. No rules.

export type StatusName = "Current" | "InProgress" | "Failed" | "Terminating" | "NotFound" | "Unknown";

/** A condition that kstatus would put on the object. Both are abnormal-true: absent when there is nothing to report. */
export interface StandardCondition {
  readonly type: "Reconciling" | "Stalled";
  readonly status: "True";
  readonly reason: string;
  readonly message: string;
}

/**
 * The computed status of one object.
 * - `Current`: it is what its spec asks for, as far as anyone can see
 * - `InProgress`: somebody is still working on it; `conditions` holds Reconciling
 * - `Failed`: it will not get there without help; `conditions` holds Stalled
 * - `Terminating`: it is being deleted
 * - `NotFound`: there is no such object
 * - `Unknown`: it says something that no rule can read
 */
export interface ComputedStatus {
  readonly status: StatusName;
  readonly message: string;
  readonly reason?: string;
  readonly conditions: readonly StandardCondition[];
}

export function current(message: string): ComputedStatus {
  return { status: "Current", message, conditions: [] };
}

export function terminating(message: string): ComputedStatus {
  return { status: "Terminating", message, conditions: [] };
}

export function notFound(message: string): ComputedStatus {
  return { status: "NotFound", message, conditions: [] };
}

export function unknown(message: string): ComputedStatus {
  return { status: "Unknown", message, conditions: [] };
}

export function inProgress(reason: string, message: string): ComputedStatus {
  return abnormal("InProgress", message, { type: "Reconciling", status: "True", reason, message });
}

/** `detail` is for the condition, where the object has more to say than the summary. */
export function failed(reason: string, message: string, detail = message): ComputedStatus {
  return abnormal("Failed", message, { type: "Stalled", status: "True", reason, message: detail });
}

function abnormal(status: StatusName, message: string, condition: StandardCondition): ComputedStatus {
  const { reason } = condition;
  return { status, message, ...(reason !== "" && { reason }), conditions: [condition] };
}
