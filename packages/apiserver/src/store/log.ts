// One write as bytes of the log, and back: u32 length | u32 crc32c | u64 revision | u8 op | key | 0x00 | json.
// Little-endian; length and checksum are of what follows the checksum.
import { crc32c } from "./crc32c.ts";
import type { JournalEntry } from "./store.ts";

const header = 8;
const fixed = 9;
const put = 1;
const del = 2;
/** Added to the operation where revisions were skipped before this write: elsewhere a gap means that records are lost. */
const afterGap = 4;

/** A write as it stands in the log. */
export interface LogEntry extends JournalEntry {
  /** Revisions were skipped before this write, on purpose. */
  readonly skipped?: true;
}

export function encode({ revision, key, json, skipped }: LogEntry): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const length = fixed + keyBytes + 1 + Buffer.byteLength(json ?? "");
  const frame = Buffer.allocUnsafe(header + length);
  frame.writeUInt32LE(length, 0);
  frame.writeBigUInt64LE(BigInt(revision), header);
  frame[header + 8] = (json === undefined ? del : put) + (skipped === true ? afterGap : 0);
  frame.write(key, header + fixed);
  frame[header + fixed + keyBytes] = 0;
  frame.write(json ?? "", header + fixed + keyBytes + 1);
  frame.writeUInt32LE(crc32c(frame, header), 4);
  return frame;
}

/** Hands on every entry from an offset up to the first that is not whole. Gives the offset at which the good ones end. */
export function decode(bytes: Buffer, take: (entry: LogEntry) => void, from = 0): number {
  let offset = from;
  for (;;) {
    const end = frameEnd(bytes, offset);
    if (end === undefined) return offset;
    const key = offset + header + fixed;
    const operation = bytes[key - 1] ?? 0;
    const zero = bytes.indexOf(0, key);
    take({
      revision: Number(bytes.readBigUInt64LE(offset + header)),
      key: bytes.toString("utf8", key, zero),
      json: (operation & del) === del ? undefined : bytes.toString("utf8", zero + 1, end),
      ...((operation & afterGap) === afterGap ? { skipped: true as const } : {}),
    });
    offset = end;
  }
}

/** What stands behind the last whole entry of a log file. */
export type Tail =
  | { readonly kind: "whole" } // nothing
  | { readonly kind: "torn" } // a write that was cut short: it was never acknowledged
  | { readonly kind: "damaged"; readonly next: number | undefined }; // was whole once; `next` is where whole entries go on

/**
 * A write that is cut short leaves the beginning of its last frame, or zeros where the file grew before its content came.
 * Everything else was written whole, and has changed since.
 */
export function tailOf(bytes: Buffer, end: number): Tail {
  if (end === bytes.length) return { kind: "whole" };
  const next = nextFrame(bytes, end + 1);
  if (next !== undefined) return { kind: "damaged", next };
  const rest = bytes.length - end;
  if (rest < header || endsInZeros(bytes)) return { kind: "torn" };
  const isCutShort = end + header + bytes.readUInt32LE(end) > bytes.length;
  // Whole but for a length that is too long.
  const isWholeToTheEnd = crc32c(bytes, end + header) === bytes.readUInt32LE(end + 4);
  return isCutShort && !isWholeToTheEnd ? { kind: "torn" } : { kind: "damaged", next: undefined };
}

/** No JSON ends with a zero, and a deletion with a single one. */
const endsInZeros = (bytes: Buffer): boolean => bytes.at(-1) === 0 && bytes.at(-2) === 0;

/** The next offset at which a whole frame begins. */
function nextFrame(bytes: Buffer, from: number): number | undefined {
  for (let offset = from; offset + header + fixed < bytes.length; offset++) {
    const operation = (bytes[offset + header + 8] ?? 0) & ~afterGap;
    if ((operation === put || operation === del) && frameEnd(bytes, offset) !== undefined) return offset;
  }
  return undefined;
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
