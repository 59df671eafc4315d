// The three times of a lease, and what has to hold between them.
import type { Ms } from "@telltale/kinds";

export interface Times {
  /** How long others wait after our last renewal before they take the lease. In the Lease, in whole seconds. */
  readonly duration: Ms;
  /** How long after a renewal was sent we act on it. What is left to `duration` is for clocks that run unevenly, and for
   * requests that were sent at the last moment. */
  readonly renewDeadline: Ms;
  /** Between two renewals. */
  readonly retry: Ms;
}

export const defaultTimes: Times = { duration: 15_000, renewDeadline: 10_000, retry: 2_000 };

export function checkTimes({ duration, renewDeadline, retry }: Times, identity: string): Times {
  if (identity === "") throw new TypeError("a lease needs to know who holds it: give `identity`");
  if (!(retry > 0 && renewDeadline > 2 * retry && duration > renewDeadline)) {
    throw new TypeError(
      `a lease with duration ${duration} ms, renewDeadline ${renewDeadline} ms and retry ${retry} ms cannot be kept; ` +
        "duration has to be longer than renewDeadline, and renewDeadline longer than two times retry",
    );
  }
  return { duration, renewDeadline, retry };
}
