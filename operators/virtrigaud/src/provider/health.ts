// How often a provider is asked whether it is well, and how many answers count (3.2 step 8). Pure.
import type { Ms } from "@telltale/kinds";
import { lengthOr } from "../durations.ts";
import type { Provider } from "../kinds/index.ts";

export interface HealthCheck {
  readonly isEnabled: boolean;
  readonly interval: Ms;
  readonly timeout: Ms;
  /** In a row, to be taken for unhealthy. */
  readonly failures: number;
  /** In a row, to be taken for healthy. */
  readonly successes: number;
}

/** Whoever asks for less is asked this often: a provider is not to be flooded by a slip of the pen. */
const shortest: Ms = 1_000;
const longestTimeout: Ms = 300_000;

export function healthCheckOf({ spec }: Provider): HealthCheck {
  const { enabled = true, interval, timeout, failureThreshold = 3, successThreshold = 1 } = spec.healthCheck ?? {};
  return {
    isEnabled: enabled,
    interval: Math.max(shortest, lengthOr(interval, 30_000)),
    timeout: Math.min(longestTimeout, Math.max(shortest, lengthOr(timeout, 10_000))),
    failures: Math.max(1, failureThreshold),
    successes: Math.max(1, successThreshold),
  };
}
