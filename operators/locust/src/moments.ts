// Moments, some of which may not come.
import { type Instant, instant } from "@telltale/kinds";

/** The first of those that come. */
export function earliest(...moments: readonly (Instant | undefined)[]): Instant | undefined {
  const known = moments.filter((it) => it !== undefined);
  return known.length === 0 ? undefined : instant(Math.min(...known));
}

/** The last of those that come. */
export function latest(...moments: readonly (Instant | undefined)[]): Instant | undefined {
  const known = moments.filter((it) => it !== undefined);
  return known.length === 0 ? undefined : instant(Math.max(...known));
}
