// Moments, some of which may not come, and how long to wait between tries. Pure.
import { type Instant, instant, type Ms, parseTime, plus } from "@telltale/kinds";

/** The first of those that come. */
export function earliest(...moments: readonly (Instant | undefined)[]): Instant | undefined {
  const known = moments.filter((it) => it !== undefined);
  return known.length === 0 ? undefined : instant(Math.min(...known));
}

/** What children say within it is one pass (7.8). */
export const coalesced: Ms = 1_000;

/** When an object is looked at again though nothing has changed (8.1). */
export const nextLook = (isReady: boolean, now: Instant): Instant =>
  plus(now, isReady ? nextLookMs.ready : nextLookMs.notReady);
export const nextLookMs = { ready: 300_000, notReady: 30_000 } as const;

const first: Ms = 1_000;
const longest: Ms = 30_000;

/** After trouble that began then: as long as it has lasted, from one second to thirty. No count has to be remembered. */
export function nextTry(since: string | undefined, now: Instant): Instant {
  const lasted = now - (parseTime(since) ?? now);
  return plus(now, Math.min(Math.max(lasted, first), longest));
}
