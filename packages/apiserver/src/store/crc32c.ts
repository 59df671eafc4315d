// CRC-32C (Castagnoli), four bytes a step: Node.js has only the other polynomial.

const [zero, one, two, three] = tables();

/** The checksum of a part of some bytes, going on from that of what came before. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, before = 0): number {
  let crc = ~before;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    crc ^= byte(bytes, i) | (byte(bytes, i + 1) << 8) | (byte(bytes, i + 2) << 16) | (byte(bytes, i + 3) << 24);
    crc =
      word(three, crc & 0xff) ^ word(two, (crc >>> 8) & 0xff) ^ word(one, (crc >>> 16) & 0xff) ^ word(zero, crc >>> 24);
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ word(zero, (crc ^ byte(bytes, i)) & 0xff);
  return ~crc >>> 0;
}

function byte(bytes: Uint8Array, i: number): number {
  return bytes[i] ?? 0;
}

function word(table: Uint32Array, i: number): number {
  return table[i] ?? 0;
}

/** Table k: what a byte does to the checksum k bytes later. */
function tables(): [Uint32Array, Uint32Array, Uint32Array, Uint32Array] {
  const first = Uint32Array.from({ length: 256 }, (_, value) => {
    let crc = value;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    return crc;
  });
  const next = (table: Uint32Array) => table.map((crc) => (crc >>> 8) ^ word(first, crc & 0xff));
  const second = next(first);
  const third = next(second);
  return [first, second, third, next(third)];
}
