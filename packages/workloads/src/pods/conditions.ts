// Conditions of built-in kinds: a list that keeps the time of the last change, where what changes goes to the end.
import { formatTime, type Instant } from "@telltale/kinds";

interface Told {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** What is said. Times are put by `withCondition`. */
export type Say = Pick<Told, "type" | "status" | "reason" | "message">;

export const find = <C extends Told>(conditions: readonly C[] | undefined, type: string): C | undefined =>
  conditions?.find((it) => it.type === type);

/** The same status and reason: nothing is said anew, whatever the message. `times`: beside the time of the transition. */
export function withCondition<C extends Told>(
  conditions: readonly C[] | undefined,
  say: Say,
  now: Instant,
  times: readonly ("lastUpdateTime" | "lastProbeTime")[] = [],
): C[] {
  const before = find(conditions, say.type);
  if (before?.status === say.status && before.reason === say.reason) return [...(conditions ?? [])];
  const at = formatTime(now);
  const transition = before?.status === say.status ? before.lastTransitionTime : at;
  const next = {
    ...say,
    lastTransitionTime: transition ?? at,
    ...Object.fromEntries(times.map((name) => [name, at])),
  };
  // The kinds' conditions differ in such times only.
  return [...without(conditions, say.type), next as unknown as C];
}

export const without = <C extends Told>(conditions: readonly C[] | undefined, type: string): C[] =>
  (conditions ?? []).filter((it) => it.type !== type);
