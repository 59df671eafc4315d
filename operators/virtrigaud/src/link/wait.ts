// When to ask again after a failure (2.7). Pure.
import { jitter, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Failure } from "./failure.ts";

const second = 1_000;
const minute = 60 * second;

/** Doubles with each attempt, from the first (1) on. */
export const doubling = (first: Ms, most: Ms, attempt: number): Ms =>
  Math.min(most, first * 2 ** Math.max(0, Math.min(attempt, 64) - 1));

/** When a busy machine is asked again, by how long it has been waited for: sooner at first, every minute in the end. */
export const busyDelay = (waited: Ms): Ms => Math.min(minute, Math.max(10 * second, waited));

/** Undefined: not before something else changes. */
export function waitFor(
  { failure, after }: { readonly failure: Failure; readonly after?: Ms },
  attempt: number,
  random: Random,
): Ms | undefined {
  switch (failure) {
    case "NotFound":
    case "InvalidSpec":
    case "NotSupported":
      return undefined;
    case "Unauthorized":
      return minute;
    case "Conflict":
    case "FailedPrecondition":
    case "Busy":
      return 15 * second;
    case "QuotaExceeded":
      return doubling(minute, 10 * minute, attempt);
    case "RateLimit":
      return after ?? 30 * second;
    case "Unavailable":
    case "Timeout":
    case "Retryable":
      return jitter(random, doubling(5 * second, minute, attempt), 0.1);
    case "Internal":
      return doubling(5 * second, 5 * minute, attempt);
  }
}
