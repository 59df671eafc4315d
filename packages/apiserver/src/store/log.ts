// One write as bytes of the log, and back: u32 length | u32 crc32c | u64 revision | u8 op | key | 0x00 | json.
// Little-endian; length and checksum are of what follows the checksum.
import { crc32c } from "./crc32c.ts";
import type { JournalEntry } from "./store.ts";

const header = 8;
const fixed = 9;
const put = 1;
const del = 2;

export function encode({ revision, key, json }: JournalEntry): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const length = fixed + keyBytes + 1 + Buffer.byteLength(json ?? "");
  const frame = Buffer.allocUnsafe(header + length);
  frame.writeUInt32LE(length, 0);
  frame.writeBigUInt64LE(BigInt(revision), header);
  frame[header + 8] = json === undefined ? del : put;
  frame.write(key, header + fixed);
  frame[header + fixed + keyBytes] = 0;
  frame.write(json ?? "", header + fixed + keyBytes + 1);
  frame.writeUInt32LE(crc32c(frame, header), 4);
  return frame;
}

/** Hands on every entry up to the first that is not whole. Gives the offset at which the good ones end. */
export function decode(bytes: Buffer, take: (entry: JournalEntry) => void): number {
  let offset = 0;
  for (;;) {
    const end = frameEnd(bytes, offset);
    if (end === undefined) return offset;
    const key = offset + header + fixed;
    const zero = bytes.indexOf(0, key);
    take({
      revision: Number(bytes.readBigUInt64LE(offset + header)),
      key: bytes.toString("utf8", key, zero),
      json: bytes[key - 1] === del ? undefined : bytes.toString("utf8", zero + 1, end),
    });
    offset = end;
  }
}

/** Where the frame at an offset ends, or undefined when it is cut short, damaged, or none at all. */
function frameEnd(bytes: Buffer, offset: number): number | undefined {
  if (offset + header > bytes.length) return undefined;
  const length = bytes.readUInt32LE(offset);
  const end = offset + header + length;
  // A file that grew before its content came reads as zeros: no frame is shorter than its fixed part.
  if (length <= fixed || end > bytes.length) return undefined;
  return crc32c(bytes, offset + header, end) === bytes.readUInt32LE(offset + 4) ? end : undefined;
}
