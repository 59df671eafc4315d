// Writes protobuf's wire format, as clients of the server do.
export class WireWriter {
  readonly #parts: Uint8Array[] = [];

  varint(number: number, value: bigint): void {
    this.#parts.push(encodeVarint(BigInt(number) << 3n), encodeVarint(BigInt.asUintN(64, value)));
  }

  double(number: number, value: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#parts.push(encodeVarint((BigInt(number) << 3n) | 1n), bytes);
  }

  bytes(number: number, value: Uint8Array): void {
    this.#parts.push(encodeVarint((BigInt(number) << 3n) | 2n), encodeVarint(BigInt(value.length)), value);
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

function encodeVarint(value: bigint): Uint8Array {
  const out: number[] = [];
  let left = value;
  do {
    const more = left >> 7n;
    out.push(Number(left & 0x7fn) | (more > 0n ? 0x80 : 0));
    left = more;
  } while (left > 0n);
  return Uint8Array.from(out);
}
