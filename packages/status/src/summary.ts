// The three verbs of roll-up that look at single conditions: sum up several of one object, mirror one of another object,
// and choose the worst of several causes. `aggregate.ts` is for many children.
import type { Condition, ConditionStatus, Polarity } from "@telltale/kinds";
import type { MergeOptions, NewCondition } from "./condition.ts";

export interface SummaryInput {
  readonly type: string;
  readonly polarity: Polarity;
  /** Absent counts as Unknown, with the reason NotYetReported (rule 34). */
  readonly condition: Pick<Condition, "status" | "reason" | "message"> | undefined;
}

export interface Said {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** Where an input stands after its polarity: an issue beats unknown beats fine (rule 40). */
function rank(input: SummaryInput): 0 | 1 | 2 {
  const status = input.condition?.status ?? "Unknown";
  if (input.polarity === "neutral") return 2;
  if (status === "Unknown") return 1;
  return (status === "True") === (input.polarity === "positive") ? 2 : 0;
}

/** True with `ok` when all inputs are good; otherwise what the highest-ranked input says (rule 50). Order breaks ties. */
export function summary(
  inputs: readonly SummaryInput[],
  ok: { readonly reason: string; readonly message: string },
): Said {
  let worst: SummaryInput | undefined;
  let lowest: 0 | 1 | 2 = 2;
  for (const input of inputs) {
    const r = rank(input);
    if (r < lowest) {
      lowest = r;
      worst = input;
    }
  }
  if (worst === undefined) return { status: "True", ...ok };
  const status = lowest === 0 ? "False" : "Unknown";
  if (worst.condition === undefined)
    return { status, reason: "NotYetReported", message: `${worst.type} is not yet reported` };
  return { status, reason: worst.condition.reason ?? "", message: worst.condition.message ?? "" };
}

/**
 * Repeats a condition of another object under a type of ours: its status, reason, message and transition time (rule 21);
 * the generation will be the target's. Without a source the fallback is stated.
 */
export function mirror<T extends string>(
  source: Condition | undefined,
  as: T,
  fallback: Said,
): { condition: NewCondition<T>; options: MergeOptions } {
  if (source === undefined) return { condition: { type: as, ...fallback }, options: {} };
  const { status, reason, message, lastTransitionTime } = source;
  return {
    condition: { type: as, status, reason: reason || fallback.reason, message: message ?? "" },
    options: lastTransitionTime ? { at: lastTransitionTime } : {},
  };
}

/** The cause that stands first in the ranking; one that is not ranked comes last. Undefined for no causes. */
export function worst<R extends string>(causes: readonly R[], ranking: readonly R[]): R | undefined {
  let best: R | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const cause of causes) {
    const at = ranking.indexOf(cause);
    const r = at < 0 ? ranking.length : at;
    if (r < bestRank) {
      best = cause;
      bestRank = r;
    }
  }
  return best;
}
