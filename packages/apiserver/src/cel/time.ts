// Timestamps and durations as text, in nanoseconds.

/** RFC 3339, or undefined. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [, whole = "", fraction = "", zone = ""] = match;
  const ms = Date.parse(`${whole.toUpperCase()}${zone.toUpperCase()}`);
  if (Number.isNaN(ms)) return undefined;
  // Date.parse rolls 2020-02-30 over instead of refusing it.
  const days = new Date(Date.UTC(Number(whole.slice(0, 4)), Number(whole.slice(5, 7)), 0)).getUTCDate();
  if (Number(whole.slice(8, 10)) > days) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

export function formatTimestamp(nanos: bigint): string {
  const fraction = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number((nanos - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  const digits = fraction === 0n ? "" : `.${fraction.toString().padStart(9, "0").replace(/0+$/, "")}`;
  return `${seconds}${digits}Z`;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go's duration text (`1h2m3.5s`), or undefined. */
export function parseDuration(text: string): bigint | undefined {
  const sign = text.startsWith("-") ? -1n : 1n;
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  let nanos = 0n;
  while (rest !== "") {
    const match = /^(\d{0,19})(?:\.(\d{0,18})\d*)?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (match === null) return undefined;
    const [all, whole = "", fraction = "", unit = ""] = match;
    const size = units[unit];
    if (size === undefined || (whole === "" && fraction === "")) return undefined;
    nanos += BigInt(whole === "" ? "0" : whole) * size;
    if (fraction !== "") nanos += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
    rest = rest.slice(all.length);
  }
  return nanos > 2n ** 63n - 1n ? undefined : sign * nanos;
}

/** What the format `duration` takes beyond Go's text: one number with a longer unit (`1d`, `2 weeks`). */
export function parseSpan(text: string): bigint | undefined {
  const match = /^\s*(\d{1,9})\s*(d|days?|w|wks?|weeks?|hrs?|hours?|mins?|minutes?|secs?|seconds?)\s*$/.exec(text);
  if (match === null) return undefined;
  const [, count = "", unit = ""] = match;
  const hour = 3_600_000_000_000n;
  const sizes: Readonly<Record<string, bigint>> = {
    d: 24n * hour,
    w: 168n * hour,
    h: hour,
    m: hour / 60n,
    s: hour / 3600n,
  };
  return BigInt(count) * (sizes[unit.charAt(0)] ?? 0n);
}

/** CEL prints a duration in seconds: `3723.5s`. */
export function formatDuration(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = size % 1_000_000_000n;
  const digits = fraction === 0n ? "" : `.${fraction.toString().padStart(9, "0").replace(/0+$/, "")}`;
  return `${nanos < 0n ? "-" : ""}${size / 1_000_000_000n}${digits}s`;
}
