// Messages of dynamic updates (RFC 2136) and the little that is read of answers. Pure: bytes in, bytes out.
import type { RecordType } from "../bindcar/contract.ts";
import { signingCodes, typeCodes, wireData, wireName } from "./rdata.ts";

type Type = RecordType | "SOA";
const codes = { ...typeCodes, ...signingCodes };

/** What has to hold before anything is changed. All of it holds, or nothing is done. */
export type Prerequisite =
  | { readonly type: "exactly"; readonly name: string; readonly rrtype: Type; readonly values: readonly string[] } // these values and no others
  | { readonly type: "absent"; readonly name: string; readonly rrtype: Type };

export type Change =
  | { readonly type: "add"; readonly name: string; readonly rrtype: Type; readonly ttl: number; readonly value: string }
  | { readonly type: "deleteValue"; readonly name: string; readonly rrtype: Type; readonly value: string }
  | { readonly type: "deleteRRset"; readonly name: string; readonly rrtype: Type };

export interface Update {
  /** Without the trailing dot. */
  readonly zone: string;
  readonly prerequisites: readonly Prerequisite[];
  readonly changes: readonly Change[];
}

const classes = { in: 1, none: 254, any: 255 } as const;
const opcodeUpdate = 5;

export function updateMessage({ zone, prerequisites, changes }: Update, id: number): Buffer {
  const expected = prerequisites.flatMap(prerequisiteRecords);
  const head = header(id, opcodeUpdate << 11, [1, expected.length, changes.length, 0]);
  return Buffer.concat([head, question(`${zone}.`, "SOA"), ...expected, ...changes.map(changeRecord)]);
}

/** An ordinary question, without recursion. */
export const queryMessage = (name: string, type: keyof typeof codes, id: number): Buffer =>
  Buffer.concat([header(id, 0, [1, 0, 0, 0]), question(name, type)]);

function header(id: number, flags: number, counts: readonly number[]): Buffer {
  const bytes = Buffer.alloc(12);
  for (const [i, value] of [id, flags, ...counts].entries()) bytes.writeUInt16BE(value, i * 2);
  return bytes;
}

function question(name: string, type: keyof typeof codes): Buffer {
  return Buffer.concat([wireName(name), uint16(codes[type]), uint16(classes.in)]);
}

function prerequisiteRecords(prerequisite: Prerequisite): readonly Buffer[] {
  const { name, rrtype } = prerequisite;
  if (prerequisite.type === "absent") return [record(name, rrtype, classes.none, 0, undefined)];
  return prerequisite.values.map((value) => record(name, rrtype, classes.in, 0, value));
}

function changeRecord(change: Change): Buffer {
  const { name, rrtype } = change;
  if (change.type === "add") return record(name, rrtype, classes.in, change.ttl, change.value);
  if (change.type === "deleteRRset") return record(name, rrtype, classes.any, 0, undefined);
  return record(name, rrtype, classes.none, 0, change.value);
}

function record(name: string, type: Type, rrclass: number, ttl: number, value: string | undefined): Buffer {
  const data = value === undefined ? Buffer.alloc(0) : wireData(type, value);
  return Buffer.concat([
    wireName(name),
    uint16(typeCodes[type]),
    uint16(rrclass),
    uint32(ttl),
    uint16(data.length),
    data,
  ]);
}

export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Response codes that are told apart (RFC 2136, 2.2). */
export const rcodes = { noError: 0, nxDomain: 3, refused: 5, yxDomain: 6, yxRRset: 7, nxRRset: 8, notAuth: 9 } as const;

export interface Reply {
  readonly id: number;
  readonly rcode: number;
  readonly answers: readonly ReplyRecord[];
  /** The last record, where it is a TSIG. */
  readonly tsig?: ReplyRecord;
}

export interface ReplyRecord {
  readonly name: string;
  readonly type: number;
  readonly ttl: number;
  /** Where the record and its data begin in the message. */
  readonly start: number;
  readonly dataStart: number;
  readonly data: Buffer;
}

const tsigCode = 250;

/** Undefined: no message of DNS. */
export function readReply(message: Buffer): Reply | undefined {
  try {
    const count = (at: number) => message.readUInt16BE(4 + at * 2);
    let at = 12;
    for (let i = 0; i < count(0); i += 1) at = readName(message, at).end + 4;
    const records: ReplyRecord[] = [];
    for (let i = 0; i < count(1) + count(2) + count(3); i += 1) {
      const read = readRecord(message, at);
      records.push(read);
      at = read.dataStart + read.data.length;
    }
    const last = records.at(-1);
    return {
      id: message.readUInt16BE(0),
      rcode: message.readUInt16BE(2) & 15,
      answers: records.slice(0, count(1)),
      ...(last?.type === tsigCode && count(3) > 0 && { tsig: last }),
    };
  } catch {
    return undefined; // cut off, or no DNS at all
  }
}

function readRecord(message: Buffer, start: number): ReplyRecord {
  const { name, end } = readName(message, start);
  const size = message.readUInt16BE(end + 8);
  const dataStart = end + 10;
  if (dataStart + size > message.length) throw new RangeError("cut off");
  return {
    name,
    type: message.readUInt16BE(end),
    ttl: message.readUInt32BE(end + 4),
    start,
    dataStart,
    data: message.subarray(dataStart, dataStart + size),
  };
}

/** With the trailing dot, in lower case. Pointers lead backwards only, so that no message can keep us in a circle. */
export function readName(message: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let [at, end, limit] = [start, -1, start];
  for (;;) {
    const size = message.readUInt8(at);
    if (size === 0) break;
    if (size >= 192) {
      const target = message.readUInt16BE(at) & 0x3fff;
      if (target >= limit) throw new RangeError("a pointer that does not lead backwards");
      if (end < 0) end = at + 2;
      [at, limit] = [target, target];
      continue;
    }
    if (size > 63 || at + 1 + size > message.length) throw new RangeError("cut off");
    labels.push(message.toString("latin1", at + 1, at + 1 + size).toLowerCase());
    at += 1 + size;
  }
  return { name: `${labels.join(".")}.`, end: end < 0 ? at + 1 : end };
}
