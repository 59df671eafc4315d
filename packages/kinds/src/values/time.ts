// Moments. An `Instant` is a moment in milliseconds, so that it cannot be mixed up with a duration or a count.
// Kubernetes writes moments as `Time` (whole seconds) or `MicroTime` (six digits), always in UTC.

declare const instantBrand: unique symbol;

/** A moment: milliseconds since the epoch. */
export type Instant = number & { readonly [instantBrand]: true };

/** A length of time in milliseconds. */
export type Ms = number;

export function instant(ms: number): Instant {
  return ms as Instant;
}

export function plus(at: Instant, ms: Ms): Instant {
  return (at + ms) as Instant;
}

/** `2026-01-19T22:00:00Z`: what `metav1.Time` is on the wire. Milliseconds are cut, never rounded. */
export function formatTime(at: Instant): string {
  const second = Math.floor(at / 1000);
  if (second !== formatted.second) {
    formatted = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return formatted.text;
}

/** Most moments that are written are now, and most that are read are those of the same write. */
let formatted: { readonly second: number; readonly text: string } = { second: Number.NaN, text: "" };
let parsed: { readonly text: string; readonly at: Instant | undefined } = { text: "", at: undefined };

/** `2026-01-19T22:00:00.123000Z`: what `metav1.MicroTime` is on the wire. */
export function formatMicroTime(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 23)}000Z`;
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The moment that an RFC 3339 text names, or undefined when it is none. */
export function parseTime(text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined;
  if (text !== parsed.text) {
    const ms = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
    parsed = { text, at: Number.isNaN(ms) ? undefined : (ms as Instant) };
  }
  return parsed.at;
}
