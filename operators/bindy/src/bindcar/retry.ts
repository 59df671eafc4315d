// Whether a call of a Bindcar is made again, and when (6.3). Pure: what happened goes in, a delay or nothing comes out.
import { jitter, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Trouble } from "./outcome.ts";

export interface Attempted {
  readonly trouble: Trouble;
  /** A second copy does no harm. */
  readonly idempotent: boolean;
  /** Attempts so far, this one included. */
  readonly attempts: number;
  /** Since the first one began. */
  readonly elapsed: Ms;
  /** The token was read anew since the last 401. */
  readonly renewed: boolean;
}

export const retryPolicy = {
  first: 50,
  factor: 2,
  longest: 10_000,
  share: 0.1,
  /** Of one call, after which it is given up and its object comes again. */
  total: 15_000,
} as const;

/** How long to wait before the next attempt, or undefined when there is none. */
export function retryDelay(attempted: Attempted, random: Random): Ms | undefined {
  const { trouble, attempts, elapsed, renewed } = attempted;
  if (isUnauthorized(trouble)) return renewed ? undefined : 0; // nothing was done: safe for any request
  if (!isRetryable(attempted)) return undefined;
  const { first, factor, longest, share, total } = retryPolicy;
  const pause = jitter(random, Math.min(longest, first * factor ** (attempts - 1)), share);
  const asked = trouble.at === "answered" && trouble.status === 429 ? (trouble.retryAfter ?? 1_000) : 0;
  const delay = Math.max(pause, asked);
  return elapsed + delay > total ? undefined : delay;
}

export const isUnauthorized = (trouble: Trouble): boolean => trouble.at === "answered" && trouble.status === 401;

function isRetryable({ trouble, idempotent }: Attempted): boolean {
  switch (trouble.at) {
    case "aborted":
      return false;
    case "unreachable":
      return idempotent || trouble.why === "refused"; // what was refused never left
    case "answered":
      if (trouble.status === 429) return true; // turned away at the door
      return idempotent && [500, 502, 503, 504].includes(trouble.status) && trouble.code !== "RNDC_AUTH";
  }
}
