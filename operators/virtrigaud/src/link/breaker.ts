// The circuit breaker of one provider (4.8): after ten counted failures in a row nothing is sent for a minute, then three calls decide.
// Values and pure functions.
import type { Instant, Ms } from "@telltale/kinds";

/** Every arrow between the states is in `admit` and `heard`. `era` tells apart what was sent before the last arrow. */
export type Breaker =
  | { readonly at: "closed"; readonly era: number; readonly failures: number } // failures in a row
  | { readonly at: "open"; readonly era: number; readonly since: Instant } // nothing is sent
  | {
      readonly at: "halfOpen";
      readonly era: number;
      readonly since: Instant;
      readonly sent: number;
      readonly well: number;
    };

const longestRow = 10;
const pause: Ms = 60_000;
const trials = 3;

export const closed: Breaker = { at: "closed", era: 0, failures: 0 };

/** Whether one more call may be sent. The one that finds the pause over is the first of the trials. */
export function admit(breaker: Breaker, now: Instant): { readonly breaker: Breaker; readonly isLet: boolean } {
  switch (breaker.at) {
    case "closed":
      return { breaker, isLet: true };
    case "open":
      if (now - breaker.since < pause) return { breaker, isLet: false };
      return { breaker: { at: "halfOpen", era: breaker.era + 1, since: now, sent: 1, well: 0 }, isLet: true };
    case "halfOpen": {
      if (breaker.sent < trials) return { breaker: { ...breaker, sent: breaker.sent + 1 }, isLet: true };
      // Trials that are still under way, a long copy for example, hold nobody up for longer than a pause.
      if (now - breaker.since < pause) return { breaker, isLet: false };
      return { breaker: { ...breaker, since: now, sent: breaker.well + 1 }, isLet: true };
    }
  }
}

/** How a call ended: `none` is an answer that says nothing about the provider's health. */
export type Verdict = "well" | "badly" | "none";

export function heard(breaker: Breaker, era: number, verdict: Verdict, now: Instant): Breaker {
  if (era !== breaker.era || breaker.at === "open") return breaker;
  if (breaker.at === "closed") {
    if (verdict === "none") return breaker;
    const failures = verdict === "well" ? 0 : breaker.failures + 1;
    return failures >= longestRow ? { at: "open", era: era + 1, since: now } : { at: "closed", era, failures };
  }
  if (verdict === "badly") return { at: "open", era: era + 1, since: now };
  if (verdict === "none") return { ...breaker, sent: Math.max(0, breaker.sent - 1) };
  const well = breaker.well + 1;
  return well >= trials ? { at: "closed", era: era + 1, failures: 0 } : { ...breaker, well };
}
