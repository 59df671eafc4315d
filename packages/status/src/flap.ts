// Flapping: more flips of a condition within a window than its kind puts up with. Counted and reported; damped only where asked.
import { type Instant, type Ms, plus } from "@telltale/kinds";

export interface Flips {
  /** When the condition flipped, oldest first; nothing older than the window. */
  readonly at: readonly Instant[];
}

export interface FlapLimit {
  readonly max: number;
  readonly window: Ms;
}

/** Notes a flip and forgets the old ones. At most `max + 1` are kept. */
export function flip(before: Flips | undefined, now: Instant, limit: FlapLimit): Flips {
  const recent = (before?.at ?? []).filter((at) => at > now - limit.window && at <= now);
  return { at: [...recent, now].slice(-(limit.max + 1)) };
}

/** Whether it flaps now, and until when at least. */
export function flapping(
  flips: Flips | undefined,
  now: Instant,
  limit: FlapLimit,
): { readonly flapping: boolean; readonly until?: Instant } {
  const recent = (flips?.at ?? []).filter((at) => at > now - limit.window);
  const oldest = recent[recent.length - limit.max - 1];
  return oldest === undefined ? { flapping: false } : { flapping: true, until: plus(oldest, limit.window) };
}

/** Damping, where declared: while a condition flaps it stays at the bad value. */
export function damped<S extends string>(said: S, flaps: boolean, bad: S): S {
  return flaps ? bad : said;
}
