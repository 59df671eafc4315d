// When a step fails: one union of failures, what a kind's table makes of one, how a terminal failure is remembered and
// reset, and how often something is tried again. Waiting for a dependency is not an error.
import {
  bugReason,
  type FailureClass,
  type FailureEffect,
  type Instant,
  type Kind,
  type Ms,
  parseTime,
  plus,
} from "@telltale/kinds";
import type { NewCondition } from "./condition.ts";
import { type SafeText, sanitize } from "./text.ts";

export interface Failure<R extends string = string> {
  readonly class: FailureClass;
  readonly reason: R;
  readonly message: SafeText;
  /** How long the other side asked us to wait. */
  readonly retryAfter?: Ms;
}

/** A failure to throw: it names the reason, says what happened, and the way out. */
export class Failed extends Error {
  readonly failure: Failure;
  readonly fix: string | undefined;

  constructor(failure: Failure, options: { fix?: string; cause?: unknown } = {}) {
    super(options.fix === undefined ? failure.message : `${failure.message}; ${options.fix}`, { cause: options.cause });
    this.name = "Failed";
    this.failure = failure;
    this.fix = options.fix;
  }
}

/** The failure behind anything that was thrown. What nobody declared is a bug, and its text is made safe to show. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failed) return thrown.failure;
  return {
    class: "bug",
    reason: bugReason,
    message: sanitize(thrown, { max: 1024, firstLineOnly: true, stable: true }),
  };
}

/** When the object is looked at again. */
export type Requeue = { readonly in: "backoff"; readonly atLeast: Ms } | { readonly in: "never" } | { readonly in: Ms };

/** What a failure does to an object. */
export interface Effect {
  readonly class: FailureClass;
  readonly phase: string;
  readonly condition?: NewCondition;
  readonly requeue: Requeue;
  readonly write: boolean;
  readonly failureFields: boolean;
  /** What `status.message` becomes, where the kind wants it said there. */
  readonly message?: SafeText;
}

/** What the kind's table says about a failure. */
export function effectOf(kind: Kind, failure: Failure): Effect {
  const row = kind.failures[failure.class];
  const wait = failure.retryAfter ?? 0;
  return {
    class: failure.class,
    phase: row.phase,
    ...(row.condition === undefined ? {} : { condition: said(row.condition, failure) }),
    requeue:
      row.requeue === "never"
        ? { in: "never" }
        : row.requeue === "backoff"
          ? { in: "backoff", atLeast: wait }
          : { in: Math.max(row.requeue, wait) },
    write: row.write,
    failureFields: row.failureFields ?? false,
    ...(row.message === true ? { message: failure.message } : {}),
  };
}

function said({ type, status, before = "" }: NonNullable<FailureEffect["condition"]>, failure: Failure): NewCondition {
  return { type, status, reason: failure.reason, message: `${before}${failure.message}` };
}

export interface FailureState {
  /** A terminal failure holds: nothing is done but observing. */
  readonly stuck: boolean;
  /** A person asked to try again: clear the failure, restart the clocks. */
  readonly resetNow: boolean;
  /** What `status.lastResetToken` becomes, in every write. Undefined: it is removed. */
  readonly nextToken: string | undefined;
}

/**
 * Whether a terminal failure holds. It is bound to the generation that was observed when it was set: an edit of the spec
 * ends it, and so does a new value of the reset annotation.
 */
export function failureState(
  status: { failureReason?: string; observedGeneration?: number; lastResetToken?: string } | undefined,
  metadata: { generation?: number; annotations?: Record<string, string> } | undefined,
  resetAnnotation: string,
  failed: boolean = status?.failureReason !== undefined,
): FailureState {
  const nextToken = metadata?.annotations?.[resetAnnotation];
  if (!failed) return { stuck: false, resetNow: false, nextToken };
  const edited = (metadata?.generation ?? 0) > (status?.observedGeneration ?? -1);
  const asked = nextToken !== undefined && nextToken !== status?.lastResetToken;
  return { stuck: !edited && !asked, resetNow: edited || asked, nextToken };
}

export interface Budget {
  /** Retries that were made. The first try is none. */
  readonly count: number;
  readonly max: number;
  /** When the last try ended, as it is stored. */
  readonly since: string | undefined;
  readonly delay: Ms;
  readonly factor?: number;
  readonly cap?: Ms;
}

/** When the next try may begin: `delay * factor^count` after the last one ended, computed from what is stored, so that a restart neither forgets nor hurries a retry. */
export function nextAttempt(budget: Budget, now: Instant): { readonly retryAt?: Instant; readonly exhausted: boolean } {
  const { count, max, since, delay, factor = 2, cap = Number.POSITIVE_INFINITY } = budget;
  if (count >= max) return { exhausted: true };
  const start = parseTime(since);
  const from = start === undefined || start > now ? now : start;
  return { retryAt: plus(from, Math.min(delay * factor ** count, cap)), exhausted: false };
}
