// What a pass over a network or a control plane comes to: the row that was seen, the failure that is remembered, and the clocks, in
// this order. Readiness goes before timeouts. Pure.
import { type Condition, type Instant, type Ms, plus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { deadline, inMinutes, type Wait } from "../deadlines.ts";
import { isTimeout, type Verdict } from "../failure.ts";
import { isUnpaused, type ProviderWorld } from "./world.ts";

/** `S`: what was seen, `T`: the tokens of failures. */
export type Decision<S, T> = { readonly is: "troubled" } | Made<S, T>; // a request failed: what is known stays

export type Made<S, T> =
  | { readonly is: "failed"; readonly seen: S; readonly isRecoverable: boolean } // for good: only looked at
  | { readonly is: "failing"; readonly seen: S; readonly failure: Failure<T>; readonly isTerminal: boolean }
  | { readonly is: "overdue"; readonly seen: S; readonly failure: Failure<T> } // still, under the policy degraded
  | { readonly is: "going"; readonly seen: S; readonly wakeAt: Instant | undefined };

export interface Failure<T> {
  readonly token: T;
  readonly message: SafeText;
}

/** What the two do not have in common. */
export interface Rules<S, T, W extends Wait> {
  readonly seen: S & { readonly failure?: Failure<T>; readonly again?: Ms };
  readonly verdict: Verdict;
  readonly waits: readonly W[];
  /** Whether what was waited for is there, although it has failed. */
  readonly isArrived: (token: string) => boolean;
  /** It is ready, or was once: nothing is waited for. */
  readonly isDone: boolean;
  /** The conditions that clocks look at. */
  readonly said: () => readonly Pick<Condition, "type" | "status">[];
  readonly failureOf: (token: W["reason"], limit: string) => Failure<T>;
}

export function decideBy<S, T, W extends Wait>(
  { it, policy, limits, ...world }: ProviderWorld,
  { seen, verdict, waits, isArrived, isDone, said, failureOf }: Rules<S, T, W>,
  now: Instant,
): Made<S, T> {
  const { standing, isReset } = verdict;
  if (standing.is === "failed") {
    return { is: "failed", seen, isRecoverable: isTimeout(standing.token) && isArrived(standing.token) };
  }
  if (seen.failure !== undefined) return { is: "failing", seen, failure: seen.failure, isTerminal: true };
  const wake = seen.again === undefined ? undefined : plus(now, seen.again);
  if (isDone) return { is: "going", seen, wakeAt: wake };
  if (standing.is === "overdue") {
    // It was a token of ours when it was written.
    return { is: "overdue", seen, failure: { token: standing.token as T, message: text`${standing.message}` } };
  }
  const timeline = {
    before: it.status?.conditions ?? [],
    next: said(),
    madeAt: it.metadata.creationTimestamp,
    isRestarted: isReset || isUnpaused({ it, policy, limits, ...world }),
  };
  const { expired, wakeAt } = deadline(waits, timeline, limits, now);
  if (expired === undefined) return { is: "going", seen, wakeAt: earlier(wake, wakeAt) };
  const failure = failureOf(expired.reason, inMinutes(expired.limitOf(limits)));
  return { is: "failing", seen, failure, isTerminal: policy === "terminal" };
}

/** The moment at which a failure is looked at again. */
export const failureWake = (now: Instant): Instant => plus(now, 60_000);

/** What is remembered of a failure that only a person ends. */
export function failureFields<T>(decision: Made<unknown, T>): {
  readonly failureReason: T | undefined;
  readonly failureMessage: SafeText | undefined;
} {
  const failure = decision.is === "failing" && decision.isTerminal ? decision.failure : undefined;
  return { failureReason: failure?.token, failureMessage: failure?.message };
}

const earlier = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;
