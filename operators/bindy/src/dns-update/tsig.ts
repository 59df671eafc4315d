// Signatures of messages (TSIG, RFC 8945). Pure: who signs says what time it is.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "@telltale/status";
import { type Reply, readName, uint16, uint32 } from "./message.ts";
import { wireName } from "./rdata.ts";

export interface TsigKey {
  readonly name: string;
  /** `hmac-sha256` */
  readonly algorithm: string;
  /** In base64. */
  readonly secret: Secret;
}

const fudgeSeconds = 300;

export interface Signed {
  readonly message: Buffer;
  readonly mac: Buffer;
}

export function sign(message: Buffer, key: TsigKey, seconds: number): Signed {
  const mac = hmac(key, [message, variables(key, seconds, 0, Buffer.alloc(0))]);
  const data = Buffer.concat([
    wireName(key.algorithm),
    uint48(seconds),
    uint16(fudgeSeconds),
    uint16(mac.length),
    mac,
    message.subarray(0, 2),
    uint16(0),
    uint16(0),
  ]);
  const record = Buffer.concat([wireName(key.name), uint16(250), uint16(255), uint32(0), uint16(data.length), data]);
  const signed = Buffer.concat([message, record]);
  signed.writeUInt16BE(message.readUInt16BE(10) + 1, 10);
  return { message: signed, mac };
}

/** What the server has against the signature; 0: nothing. Undefined: the reply has none. */
export function errorIn(message: Buffer, { tsig }: Reply): number | undefined {
  if (tsig === undefined) return undefined;
  const { end } = readName(message, tsig.dataStart);
  return message.readUInt16BE(end + 10 + message.readUInt16BE(end + 8) + 2);
}

/** Whether the reply is from who has the key, and to this request. */
export function isFrom(message: Buffer, { tsig }: Reply, key: TsigKey, requestMac: Buffer, seconds: number): boolean {
  if (tsig === undefined) return false;
  try {
    const { end } = readName(message, tsig.dataStart);
    const time = message.readUIntBE(end, 6);
    const fudge = message.readUInt16BE(end + 6);
    const size = message.readUInt16BE(end + 8);
    const mac = message.subarray(end + 10, end + 10 + size);
    const rest = end + 10 + size;
    const [error, otherSize] = [message.readUInt16BE(rest + 2), message.readUInt16BE(rest + 4)];
    const other = message.subarray(rest + 6, rest + 6 + otherSize);
    const unsigned = Buffer.from(message.subarray(0, tsig.start));
    message.copy(unsigned, 0, rest, rest + 2);
    unsigned.writeUInt16BE(message.readUInt16BE(10) - 1, 10);
    const expected = hmac(key, [
      uint16(requestMac.length),
      requestMac,
      unsigned,
      variables(key, time, error, other, fudge),
    ]);
    return mac.length === expected.length && timingSafeEqual(mac, expected) && Math.abs(time - seconds) <= fudge;
  } catch {
    return false; // cut off
  }
}

function variables(key: TsigKey, seconds: number, error: number, other: Buffer, fudge = fudgeSeconds): Buffer {
  return Buffer.concat([
    wireName(key.name),
    uint16(255),
    uint32(0),
    wireName(key.algorithm),
    uint48(seconds),
    uint16(fudge),
    uint16(error),
    uint16(other.length),
    other,
  ]);
}

function hmac({ algorithm, secret }: TsigKey, parts: readonly Buffer[]): Buffer {
  const mac = createHmac(algorithm.replace(/^hmac-/, ""), Buffer.from(secret.reveal(), "base64"));
  for (const part of parts) mac.update(part);
  return mac.digest();
}

function uint48(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}
