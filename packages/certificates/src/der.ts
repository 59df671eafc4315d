// DER, as far as certificates need it: tag, length, content; first to write it, then to read it.

export type Der = Uint8Array;

export function tagged(tag: number, ...content: readonly Uint8Array[]): Der {
  const size = content.reduce((n, c) => n + c.length, 0);
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...length), ...content]);
}

export const sequence = (...items: readonly Der[]): Der => tagged(0x30, ...items);
export const set = (...items: readonly Der[]): Der => tagged(0x31, ...items);
export const octets = (bytes: Uint8Array): Der => tagged(0x04, bytes);
export const bits = (bytes: Uint8Array, unused = 0): Der => tagged(0x03, Uint8Array.of(unused), bytes);
export const utf8 = (text: string): Der => tagged(0x0c, Buffer.from(text));
export const yes: Der = tagged(0x01, Uint8Array.of(0xff));
/** A member of a CHOICE or an optional field, by its number in the context. */
export const context = (number: number, constructed: boolean, ...content: readonly Uint8Array[]): Der =>
  tagged((constructed ? 0xa0 : 0x80) | number, ...content);

/** A positive integer; a leading bit would make it negative. */
export function integer(bytes: Uint8Array): Der {
  const lead = (bytes[0] ?? 0) & 0x80 ? [Uint8Array.of(0)] : [];
  return tagged(0x02, ...lead, bytes);
}

/** `2.5.4.3` */
export function oid(text: string): Der {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const out = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    out.push(...groups);
  }
  return tagged(0x06, Uint8Array.from(out));
}

/** UTCTime until 2049, GeneralizedTime after. */
export function time(at: Date): Der {
  const digits = at.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return at.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tagged(0x18, Buffer.from(`${digits}Z`));
}

export function pem(label: string, der: Der): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

export const tagOf = (der: Der): number => der[0] ?? 0;

/** What is between the length and the end. */
export function contentOf(der: Der): Uint8Array {
  const { start, end } = extent(der, 0);
  return der.subarray(start, end);
}

/** The values in a sequence or a set, each whole. */
export function members(der: Der): Der[] {
  const found: Der[] = [];
  const { start, end } = extent(der, 0);
  for (let at = start; at < end; ) {
    const next = extent(der, at).end;
    found.push(der.subarray(at, next));
    at = next;
  }
  return found;
}

function extent(der: Der, at: number): { readonly start: number; readonly end: number } {
  const first = der[at + 1] ?? 0;
  const size = first < 0x80 ? 0 : first & 0x7f;
  let length = size === 0 ? first : 0;
  for (let i = 0; i < size; i += 1) length = length * 0x100 + (der[at + 2 + i] ?? 0);
  const start = at + 2 + size;
  if (start + length > der.length)
    throw new RangeError(`DER ends at byte ${der.length}, before the value at ${at} does`);
  return { start, end: start + length };
}
