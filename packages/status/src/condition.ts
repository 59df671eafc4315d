// One condition in a list: the one merge rule, and how to read one.
import { type Condition, type ConditionStatus, formatTime, type Instant, parseTime } from "@telltale/kinds";

/** A condition as a pass states it; its time and generation are filled in by the merge. */
export interface NewCondition<Type extends string = string, Reason extends string = string> {
  readonly type: Type;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly severity?: string;
}

export interface MergeOptions {
  /** Moves the transition time although the status stays: a reset or an unpause that restarts a clock. */
  readonly restamp?: boolean;
  /** The transition time to take over: a mirror keeps its source's, a moved child its own. */
  readonly at?: string;
}

/**
 * Puts a condition into a list in place, as `meta.SetStatusCondition` does, and says whether anything changed. The
 * transition time moves when the status does (rule 15), and never backwards (rule 17).
 */
export function setCondition(list: Condition[], next: NewCondition, now: Instant, options?: MergeOptions): boolean {
  const index = list.findIndex((c) => c.type === next.type);
  const old = list[index];
  const merged = mergeCondition(old, next, formatTime(now), options);
  if (merged === old) return false;
  if (old === undefined) list.push(merged);
  else list[index] = merged;
  return true;
}

/** What the stored condition becomes; the very same object when nothing changes. `now` is in wire form. */
export function mergeCondition(
  old: Condition | undefined,
  next: NewCondition,
  now: string,
  options: MergeOptions = {},
): Condition {
  const moved = old === undefined || old.status !== next.status || options.restamp === true;
  const time =
    readable(options.at) ?? (moved ? later(old?.lastTransitionTime, now) : (readable(old.lastTransitionTime) ?? now));
  if (
    old !== undefined &&
    old.status === next.status &&
    old.reason === next.reason &&
    old.message === next.message &&
    old.lastTransitionTime === time &&
    old.observedGeneration === next.observedGeneration &&
    old.severity === next.severity
  ) {
    return old;
  }
  const merged: { -readonly [F in keyof Condition]: Condition[F] } = {
    type: next.type,
    status: next.status,
    reason: next.reason,
    message: next.message,
    lastTransitionTime: time,
  };
  if (next.observedGeneration !== undefined) merged.observedGeneration = next.observedGeneration;
  if (next.severity !== undefined) merged.severity = next.severity;
  return merged;
}

/** A clock that jumped back must not take a condition's time with it. */
function later(stored: string | undefined, now: string): string {
  const at = parseTime(stored);
  return stored === undefined || at === undefined || at <= (parseTime(now) ?? at) ? now : stored;
}

/** A time that the server would refuse would lose the whole write (rule 8). */
function readable(time: string | undefined): string | undefined {
  return parseTime(time) === undefined ? undefined : time;
}

export function findCondition(list: readonly Condition[] | undefined, type: string): Condition | undefined {
  return Array.isArray(list) ? list.find((c) => c?.type === type) : undefined;
}

/** The status of a condition; one that is not there is Unknown (rule 34). */
export function statusOf(list: readonly Condition[] | undefined, type: string): ConditionStatus {
  return findCondition(list, type)?.status ?? "Unknown";
}

export const isTrue = (list: readonly Condition[] | undefined, type: string): boolean =>
  statusOf(list, type) === "True";
export const isFalse = (list: readonly Condition[] | undefined, type: string): boolean =>
  statusOf(list, type) === "False";

/** When a condition took its present status. */
export function since(list: readonly Condition[] | undefined, type: string): Instant | undefined {
  return parseTime(findCondition(list, type)?.lastTransitionTime);
}
