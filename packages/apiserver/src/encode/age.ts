// How long ago something was, as `kubectl get` shows it: two units at most, the smaller one only where it says something.
import { type Instant, type Ms, parseTime } from "@telltale/kinds";
import type { Json } from "../json.ts";

/** The age of a timestamp; none, or one that cannot be read, is `<unknown>`. */
export function age(timestamp: Json | undefined, now: Instant): string {
  const since = typeof timestamp === "string" ? parseTime(timestamp) : undefined;
  return since === undefined ? "<unknown>" : humanDuration(now - since);
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** `45s`, `3m12s`, `5h10m`, `2d3h`, `400d`, `3y12d`. */
export function humanDuration(length: Ms): string {
  // As Go does: whole seconds, cut towards zero.
  const seconds = Math.trunc(length / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return pair(seconds, minute, "m", 1, "s");
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 8 * hour) return pair(seconds, hour, "h", minute, "m");
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return pair(seconds, day, "d", hour, "h");
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`;
  if (seconds < 8 * year) return pair(seconds, year, "y", day, "d");
  return `${Math.floor(seconds / year)}y`;
}

function pair(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeUnit}${rest === 0 ? "" : `${rest}${smallUnit}`}`;
}
