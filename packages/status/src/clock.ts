// Deadlines. A clock has no memory of its own: its start is a time that is stored anyway (a transition, a start time, a
// child's creation), so that a restart resets no clock.
import { type Instant, type Ms, plus } from "@telltale/kinds";

/** A wait that must not last for ever. `S` is the status, `W` the world that the pass saw. */
export interface Clock<S, W = void, R extends string = string> {
  readonly name: string;
  /** When the wait began. Undefined: it begins now. */
  readonly start: (status: S, world: W) => Instant | undefined;
  readonly limit: Ms | ((status: S, world: W) => Ms);
  /** Whether it runs at all. Not when final, paused, deleting, or when what it waits for is there. */
  readonly runs: (status: S, world: W) => boolean;
  /** What is said when it expires. */
  readonly reason: R;
  /** Of several that expired in one pass the lowest rank is reported: the most specific one. */
  readonly rank: number;
}

export function clock<S, W = void, const R extends string = string>(c: Clock<S, W, R>): Clock<S, W, R> {
  return c;
}

export interface Due<C> {
  readonly expired?: C;
  /** When the next one expires: one second later than its limit, so that the pass finds it expired. */
  readonly wakeAt?: Instant;
}

/** Which clock has expired, and when the next one will. Expired means: `now - start >= limit`. */
export function dueClocks<S, W, C extends Clock<S, W>>(
  clocks: readonly C[],
  status: S,
  world: W,
  now: Instant,
): Due<C> {
  let expired: C | undefined;
  let wakeAt: Instant | undefined;
  for (const c of clocks) {
    if (!c.runs(status, world)) continue;
    const limit = typeof c.limit === "number" ? c.limit : c.limit(status, world);
    const stored = c.start(status, world);
    const start = stored === undefined || stored > now ? now : stored; // a start in the future is now
    if (now - start >= limit) {
      if (expired === undefined || c.rank < expired.rank) expired = c;
      continue;
    }
    const at = plus(start, limit + 1000);
    if (at < (wakeAt ?? Number.POSITIVE_INFINITY)) wakeAt = at;
  }
  return { ...(expired === undefined ? {} : { expired }), ...(wakeAt === undefined ? {} : { wakeAt }) };
}

/** The one clock that lives in memory: when this process first saw something. Losing it only lengthens a wait. */
export interface Sightings {
  readonly seen: ReadonlyMap<string, Instant>;
}

/** Notes what is seen now and forgets what is not; the time of what was already seen stays. */
export function sighting(before: Sightings | undefined, keys: readonly string[], now: Instant): Sightings {
  return { seen: new Map(keys.map((key) => [key, before?.seen.get(key) ?? now])) };
}

/** Whether a key has been in sight for as long as the limit. */
export function seenFor(s: Sightings, key: string, limit: Ms, now: Instant): boolean {
  const first = s.seen.get(key);
  return first !== undefined && now - first >= limit;
}
