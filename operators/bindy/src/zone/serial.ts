// Serials of a zone: unsigned, of 32 bits, and compared around the end of them as DNS does (RFC 1982). Pure.

/** Whether a server that has `b` takes `a` for news. BIND ignores what is not, without a word. */
export const isNewer = (a: number, b: number): boolean => a !== b && (a - b) >>> 0 < 2 ** 31;

/** After the last one comes 1. */
export const following = (serial: number): number => (serial >= 2 ** 32 - 1 ? 1 : serial + 1);

export const newest = (serials: readonly number[]): number | undefined =>
  serials.reduce<number | undefined>((best, it) => (best === undefined || isNewer(it, best) ? it : best), undefined);

/** A primary as far as the serial depends on it. */
export interface Standing {
  /** Absent: it does not have the zone. */
  readonly serial?: number;
  /** How many transactions bring it to what is wanted. 0: it has just that. */
  readonly steps: number;
}

export interface SerialInput {
  /** What the spec asks for at least. */
  readonly least: number;
  /** What all primaries had when somebody last looked. */
  readonly stored: number | undefined;
  readonly primaries: readonly Standing[];
  /** What secondaries have, of primaries that may be gone. */
  readonly followed?: readonly number[];
}

/**
 * The one serial that all primaries are brought to: a secondary that followed the faster one must not take the other for old.
 * It grows when the content does. A primary that only catches up with one that has the content gets the serial of that one.
 */
export function targetSerial({ least, stored, primaries, followed = [] }: SerialInput): number {
  const seen = [...primaries.flatMap(({ serial }) => serial ?? []), ...followed];
  const known = newest(stored === undefined ? seen : [...seen, stored]);
  const floor = Math.max(least, 1);
  if (known === undefined) return floor;
  const isSettled = primaries.every(({ steps }) => steps === 0);
  const isThere = primaries.some(({ steps, serial }) => steps === 0 && serial === known);
  // Each transaction takes a serial of its own; the last one is that which all end with.
  const reached = primaries.flatMap(({ serial, steps }) => (serial === undefined ? [] : advance(serial, steps)));
  const wanted = isSettled || isThere ? known : following(known);
  return newest([wanted, ...reached, ...(isNewer(floor, known) ? [floor] : [])]) ?? wanted;
}

function advance(serial: number, steps: number): number {
  let it = serial;
  for (let i = 0; i < steps; i += 1) it = following(it);
  return it;
}

/** The serials of so many transactions that end with `last`. */
export function serialsUpTo(last: number, steps: number): readonly number[] {
  const before = (serial: number) => (serial <= 1 ? 2 ** 32 - 1 : serial - 1);
  const serials = [last];
  while (serials.length < steps) serials.unshift(before(serials[0] ?? last));
  return serials;
}
