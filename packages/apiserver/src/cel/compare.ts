// Equality and order of values.
import {
  CelError,
  Duration,
  List,
  Mapping,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

/** Values of different types are unequal, except that numbers are compared by what they are worth. */
export function equal(a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof List) return b instanceof List && equalLists(a, b);
  if (a instanceof Mapping) return b instanceof Mapping && equalMaps(a, b);
  if (a instanceof Optional)
    return (
      b instanceof Optional && (a.value === undefined || b.value === undefined ? a === b : equal(a.value, b.value))
    );
  return a instanceof Opaque && a.equals(b);
}

function equalLists(a: List, b: List): boolean {
  if (a.length !== b.length) return false;
  const { merge } = a;
  if (merge === undefined) {
    for (let i = 0; i < a.length; i++) if (!equal(a.at(i), b.at(i))) return false;
    return true;
  }
  const others = [...b];
  if (merge.by === "value") return [...a].every((x) => others.some((y) => equal(x, y)));
  return [...a].every((x) => others.some((y) => sameKeys(x, y, merge.keys) && equal(x, y)));
}

function equalMaps(a: Mapping, b: Mapping): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const [x, y] = [a.get(key), b.get(key)];
    if (x === undefined || y === undefined || !equal(x, y)) return false;
  }
  return true;
}

/** Whether two items of a list map have the same keys. */
export function sameKeys(a: Value, b: Value, keys: readonly string[]): boolean {
  if (!(a instanceof Mapping && b instanceof Mapping)) return false;
  return keys.every((key) => {
    const [x, y] = [a.get(key), b.get(key)];
    return x === undefined || y === undefined ? x === y : equal(x, y);
  });
}

/** Negative, zero or positive; NaN where a double is none. */
export function compare(a: Value, b: Value): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos - b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos - b.nanos);
  throw new CelError("no such overload");
}

/** Go orders strings by bytes, JavaScript by UTF-16 units; they differ beyond the basic plane. */
function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const isNumber = (value: Value): value is bigint | number | Uint =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint;

function compareNumbers(a: bigint | number | Uint, b: bigint | number | Uint): number {
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  return x < y ? -1 : x > y ? 1 : 0;
}

const sign = (value: bigint): number => (value < 0n ? -1 : value > 0n ? 1 : 0);
