// The functions of the language itself: sizes, conversions, basic strings, time.
import { functions, type Overload } from "../function.ts";
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "../time.ts";
import {
  CelError,
  Duration,
  kindOf,
  type List,
  type Mapping,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values.ts";
import { int64 } from "./arithmetic.ts";

const notConvertible = (type: string): CelError => new CelError(`type conversion error from 'string' to '${type}'`);

const length = (text: string): bigint => BigInt([...text].length);

function wholeNumber(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw notConvertible("int");
  return int64(BigInt(text));
}

function fromDouble(value: number): bigint {
  if (Number.isNaN(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new CelError("integer overflow");
  return BigInt(Math.trunc(value));
}

function unsigned(value: bigint): Uint {
  if (value < 0n || value >= 2n ** 64n) throw new CelError("unsigned integer overflow");
  return new Uint(value);
}

function parseDouble(text: string): number {
  const value = /^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)$/i.test(text)
    ? Number(text.replace(/inf(inity)?/i, "Infinity").replace(/nan/i, "NaN"))
    : undefined;
  if (value === undefined) throw notConvertible("double");
  return value;
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  TRUE: true,
  True: true,
  t: true,
  "1": true,
  false: false,
  FALSE: false,
  False: false,
  f: false,
  "0": false,
};

function parseBool(text: string): boolean {
  const value = Object.hasOwn(booleans, text) ? booleans[text] : undefined;
  if (value === undefined) throw notConvertible("bool");
  return value;
}

function toTimestamp(text: string): Timestamp {
  const nanos = parseTimestamp(text);
  if (nanos === undefined) throw notConvertible("google.protobuf.Timestamp");
  return new Timestamp(nanos);
}

function toDuration(text: string): Duration {
  const nanos = parseDuration(text);
  if (nanos === undefined) throw notConvertible("google.protobuf.Duration");
  return new Duration(nanos);
}

/** Doubles print as Go's shortest form does: an exponent from a million on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf("e") + 1));
  return exponent < -4 || exponent >= 6 ? text.replace(/e([+-])(\d)$/, "e$10$2") : String(value);
}

type Part = (date: Date, nanos: bigint) => bigint;
const dayOfYear = (d: Date): bigint =>
  BigInt(Math.floor((Date.UTC(2000, d.getUTCMonth(), d.getUTCDate()) - Date.UTC(2000, 0, 1)) / 86_400_000)) -
  (d.getUTCMonth() > 1 && new Date(Date.UTC(d.getUTCFullYear(), 1, 29)).getUTCMonth() !== 1 ? 1n : 0n);
const parts: Readonly<Record<string, Part>> = {
  getFullYear: (d) => BigInt(d.getUTCFullYear()),
  getMonth: (d) => BigInt(d.getUTCMonth()),
  getDate: (d) => BigInt(d.getUTCDate()),
  getDayOfMonth: (d) => BigInt(d.getUTCDate() - 1),
  getDayOfWeek: (d) => BigInt(d.getUTCDay()),
  getDayOfYear: dayOfYear,
  getHours: (d) => BigInt(d.getUTCHours()),
  getMinutes: (d) => BigInt(d.getUTCMinutes()),
  getSeconds: (d) => BigInt(d.getUTCSeconds()),
  getMilliseconds: (d) => BigInt(d.getUTCMilliseconds()),
};

function timeParts(): Overload[] {
  return Object.entries(parts).flatMap(([name, part]) =>
    functions({
      [`timestamp -> ${name}(): int`]: (at: Timestamp) => part(new Date(Number(at.nanos / 1_000_000n)), at.nanos),
      [`timestamp -> ${name}(string): int`]: (at: Timestamp, zone: string) =>
        part(new Date(Number(at.nanos / 1_000_000n) + offset(zone, at)), at.nanos),
    }),
  );
}

/** How far a time zone is from UTC, in ms: `+01:00` or a name of the tz database. */
function offset(zone: string, at: Timestamp): number {
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed !== null) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  const ms = Number(at.nanos / 1_000_000n);
  let text: string;
  try {
    text = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).format(new Date(ms));
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
  const named = /GMT([+-])(\d\d):(\d\d)/.exec(text);
  return named === null ? 0 : (named[1] === "-" ? -1 : 1) * (Number(named[2]) * 60 + Number(named[3])) * 60_000;
}

const identity = <T extends Value>(value: T): T => value;

export const standard: readonly Overload[] = [
  ...functions({
    "size(string): int": length,
    "size(bytes): int": (b: Uint8Array) => BigInt(b.length),
    "size(list(A)): int": (l: List) => BigInt(l.length),
    "size(map(A, B)): int": (m: Mapping) => BigInt(m.size),
    "string -> size(): int": length,
    "bytes -> size(): int": (b: Uint8Array) => BigInt(b.length),
    "list(A) -> size(): int": (l: List) => BigInt(l.length),
    "map(A, B) -> size(): int": (m: Mapping) => BigInt(m.size),
    "string -> contains(string): bool": (s: string, part: string) => s.includes(part),
    "string -> startsWith(string): bool": (s: string, part: string) => s.startsWith(part),
    "string -> endsWith(string): bool": (s: string, part: string) => s.endsWith(part),
    "dyn(A): dyn": identity,
    "type(A): type(A)": (value: Value) => new TypeValue(kindOf(value)),
    "int(int): int": identity,
    "int(uint): int": (n: Uint) => int64(n.value),
    "int(double): int": fromDouble,
    "int(string): int": wholeNumber,
    "int(timestamp): int": (at: Timestamp) => at.nanos / 1_000_000_000n,
    "uint(uint): uint": identity,
    "uint(int): uint": unsigned,
    "uint(double): uint": (n: number) => unsigned(fromDouble(n)),
    "uint(string): uint": (text: string) => {
      if (!/^\d+$/.test(text)) throw notConvertible("uint");
      return unsigned(BigInt(text));
    },
    "double(double): double": identity,
    "double(int): double": Number,
    "double(uint): double": (n: Uint) => Number(n.value),
    "double(string): double": parseDouble,
    "bool(bool): bool": identity,
    "bool(string): bool": parseBool,
    "string(string): string": identity,
    "string(bool): string": String,
    "string(int): string": String,
    "string(uint): string": (n: Uint) => String(n.value),
    "string(double): string": formatDouble,
    "string(bytes): string": (b: Uint8Array) => {
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(b);
      } catch {
        throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
      }
    },
    "string(timestamp): string": (at: Timestamp) => formatTimestamp(at.nanos),
    "string(duration): string": (d: Duration) => formatDuration(d.nanos),
    "bytes(bytes): bytes": identity,
    "bytes(string): bytes": (text: string) => new Uint8Array(Buffer.from(text)),
    "timestamp(timestamp): timestamp": identity,
    "timestamp(string): timestamp": toTimestamp,
    "timestamp(int): timestamp": (seconds: bigint) => new Timestamp(seconds * 1_000_000_000n),
    "duration(duration): duration": identity,
    "duration(string): duration": toDuration,
    "duration(int): duration": (nanos: bigint) => new Duration(nanos),
    "duration -> getHours(): int": (d: Duration) => d.nanos / 3_600_000_000_000n,
    "duration -> getMinutes(): int": (d: Duration) => d.nanos / 60_000_000_000n,
    "duration -> getSeconds(): int": (d: Duration) => d.nanos / 1_000_000_000n,
    "duration -> getMilliseconds(): int": (d: Duration) => d.nanos / 1_000_000n,
  }),
  ...timeParts(),
];
