// What can go wrong, in one union of classes, and what each class does to an object of a kind.
import type { ConditionStatus } from "./object.ts";
import type { Ms } from "./values/time.ts";

/** Every way in which a pass can fail. */
export const failureClasses = [
  "waiting", // something that we depend on is not there yet: not an error
  "transient", // the same call may work later: network, 5xx, timeout
  "throttled", // the other side asked us to slow down
  "quota", // a limit that somebody has to raise
  "denied", // we are not allowed to
  "conflict", // somebody else was faster, or has the name
  "notFound", // the thing is not there
  "unsupported", // the other side cannot do this
  "invalid", // the spec cannot work
  "terminal", // it failed for good
  "bug", // nobody expected this
] as const;

export type FailureClass = (typeof failureClasses)[number];

/** What a failure of one class does. */
export interface FailureEffect<P extends string = string, T extends string = string> {
  /** The phase to enter, or `keep`. */
  readonly phase: "keep" | P;
  /** The condition that says so, with the failure's reason and its message; `before` stands in front of that. */
  readonly condition?: { readonly type: T; readonly status: ConditionStatus; readonly before?: string };
  /** `backoff`: grows with each try. A number: after that long. `never`: not until the object changes. */
  readonly requeue: "backoff" | "never" | Ms;
  /** Whether the pass writes status at all. */
  readonly write: boolean;
  /** Whether `failureReason` and `failureMessage` are set. */
  readonly failureFields?: boolean;
  /** Whether `status.message` says what went wrong. */
  readonly message?: boolean;
}

export type FailureTable<P extends string = string, T extends string = string> = Readonly<
  Record<FailureClass, FailureEffect<P, T>>
>;

/** The reason that a bug gives: every condition that a failure can set knows it. */
export const bugReason = "ReconcileFailed";

/** What holds where a kind says nothing else: keep the phase, say why on the top condition, and try again if it can help. */
export function standardFailures(top: string | undefined): FailureTable {
  const says = top === undefined ? {} : { condition: { type: top, status: "False" as const } };
  const keep = { phase: "keep" as const, write: true, ...says };
  return {
    waiting: { ...keep, requeue: 10_000 },
    transient: { ...keep, requeue: "backoff" },
    throttled: { phase: "keep", requeue: "backoff", write: false },
    quota: { ...keep, requeue: 60_000 },
    denied: { ...keep, requeue: 60_000 },
    conflict: { phase: "keep", requeue: 1_000, write: false },
    notFound: { ...keep, requeue: "backoff" },
    unsupported: { ...keep, requeue: "never" },
    invalid: { ...keep, requeue: "never" },
    terminal: { ...keep, requeue: "never" },
    bug: { ...keep, requeue: "backoff" },
  };
}
