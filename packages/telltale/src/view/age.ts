// How long ago, in the words of kubectl: two units at most. Pure.
import type { Instant, Ms } from "@telltale/kinds";

export const age = (since: Instant, now: Instant): string => span(now - since);

export function span(length: Ms): string {
  const seconds = Math.max(0, Math.floor(length / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 8 ? two(days, "d", hours % 24, "h") : `${days}d`;
}

const two = (a: number, of: string, b: number, unit: string): string =>
  b === 0 ? `${a}${of}` : `${a}${of}${b}${unit}`;
