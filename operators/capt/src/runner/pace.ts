// When a Workspace is looked at again: at leisure after a success, later and later after failures. Pure but for chance.
import { jitter, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Outcome } from "./engine.ts";
import { errorClasses } from "./error-class.ts";

export const poll: Ms = 600_000;
const first: Ms = 10_000;
const longest: Ms = 300_000;
const soon: Ms = 1_000;

/** How long until the next run. Undefined: not before the Workspace changes. `failures` counts this one. */
export function pauseAfter(outcome: Outcome, failures: number, random: Random): Ms | undefined {
  if (outcome.as === "changes") return 0;
  if (outcome.as !== "failed" && outcome.as !== "stale") return jitter(random, poll, 0.1);
  const { retry } = outcome.as === "stale" ? { retry: "now" } : errorClasses[outcome.class];
  if (retry === "edit") return undefined;
  // What is over may be tried again at once; what comes back at once is no accident.
  const steps = retry === "now" ? failures - 2 : failures - 1;
  if (steps < 0) return soon;
  return Math.min(longest, jitter(random, Math.min(longest, first * 2 ** steps), 0.2));
}
