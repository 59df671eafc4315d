// Lengths of time as texts: Go durations (`1h0m5s`) and spans (`12h`, `30d`, `2w`). Not moments; those are in time.ts.

import type { Ms } from "./time.ts";

/** The length that a Go duration names, as `time.ParseDuration` reads it, or undefined when it is none. `30d` is none. */
export function parseGoDuration(text: string): Ms | undefined {
  const signed = /^([+-]?)(.+)$/.exec(text);
  if (signed === null) return undefined;
  const [, sign, rest = ""] = signed;
  if (rest === "0") return 0;

  let nanos = 0n;
  let at = 0;
  while (at < rest.length) {
    part.lastIndex = at;
    const match = part.exec(rest);
    if (match === null) return undefined;
    const [all, whole = "", fraction = "", unit = ""] = match;
    const size = nanosIn.get(unit);
    if (size === undefined || (whole === "" && fraction === "")) return undefined;
    nanos += BigInt(whole) * size + (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
    at += all.length;
  }
  // Go counts in 64 bits, which hold one more below zero than above.
  if (nanos > (sign === "-" ? 1n << 63n : (1n << 63n) - 1n)) return undefined;
  if (nanos === 0n) return 0;
  return (sign === "-" ? -1 : 1) * (Number(nanos / 1_000_000n) + Number(nanos % 1_000_000n) / 1_000_000);
}

/** Whole seconds in Go style: `45s`, `1m30s`, `1h0m5s`, `0s`. What is less than a second is cut. */
export function formatGoDuration(ms: Ms): string {
  const total = Math.trunc(Math.abs(ms) / 1000);
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = total % 60;
  const sign = ms < 0 && total > 0 ? "-" : "";
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`;
  if (minutes > 0) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${seconds}s`;
}

/** The length that `<digits>h|d|w` names, or undefined when the text is none or the length lies outside the bounds. */
export function parseSpan(text: string, bounds: { min?: Ms; max?: Ms } = {}): Ms | undefined {
  const match = /^(\d+)([hdw])$/.exec(text);
  if (match === null) return undefined;
  const [, count = "", unit = ""] = match;
  const ms = Number(count) * hour * (unit === "w" ? 168 : unit === "d" ? 24 : 1);
  if (!Number.isSafeInteger(ms)) return undefined;
  return ms < (bounds.min ?? 0) || ms > (bounds.max ?? Number.MAX_SAFE_INTEGER) ? undefined : ms;
}

const hour: Ms = 3_600_000;
const part = /(\d*)(?:\.(\d*))?([a-zµμ]+)/y;
const nanosIn: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n], // the micro sign, U+00B5
  ["μs", 1_000n], // the Greek letter, U+03BC
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
