// Protobuf's wire format: fields by number. Knows nothing of messages.

/** The bytes are no protobuf; the message is that of Go's decoder. */
export class WireError extends Error {
  /** The envelope was well, the message in it is not. */
  inside = false;
}

export type WireValue =
  | { readonly as: "varint"; readonly value: bigint }
  | { readonly as: "bytes"; readonly value: Uint8Array }
  | { readonly as: "fixed"; readonly value: Uint8Array };

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

/** The fields of a message in the order of the wire. Groups are skipped. */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  let at = 0;
  let groups = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (shift >= 64n) throw new WireError("proto: integer overflow");
      const byte = bytes[at];
      if (byte === undefined) throw new WireError("unexpected EOF");
      at++;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new WireError("unexpected EOF");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const type = Number(tag & 7n);
    if (type === 3) {
      groups++;
      continue;
    }
    if (type === 4) {
      if (groups-- === 0) throw new WireError("proto: unexpected end of group");
      continue;
    }
    if (number === 0) throw new WireError(`proto: illegal tag 0 (wire type ${type})`);
    const value = readValue(type);
    if (groups === 0) yield { number, value };
  }
  if (groups > 0) throw new WireError("unexpected EOF");

  function readValue(type: number): WireValue {
    if (type === 0) return { as: "varint", value: varint() };
    if (type === 1) return { as: "fixed", value: take(8) };
    if (type === 5) return { as: "fixed", value: take(4) };
    if (type !== 2) throw new WireError(`proto: illegal wireType ${type}`);
    const length = varint();
    if (length > BigInt(bytes.length)) throw new WireError("unexpected EOF");
    return { as: "bytes", value: take(Number(length)) };
  }
}
