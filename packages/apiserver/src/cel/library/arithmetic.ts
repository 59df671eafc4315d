// Operators: arithmetic with int64 and uint64 bounds, comparison, membership, indexing.
import { compare, equal, sameKeys } from "../compare.ts";
import { functions, type Overload } from "../function.ts";
import { CelError, Duration, List, type Mapping, Optional, Timestamp, Uint, type Value } from "../values.ts";

const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

export function int64(value: bigint): bigint {
  if (value < least || value > most) throw new CelError("integer overflow");
  return value;
}

function uint64(value: bigint): Uint {
  if (value < 0n || value >= 2n ** 64n) throw new CelError("unsigned integer overflow");
  return new Uint(value);
}

function divisor(value: bigint, text: string): bigint {
  if (value === 0n) throw new CelError(text);
  return value;
}

const span = (nanos: bigint): Duration => {
  if (nanos < least || nanos > most) throw new CelError("duration overflow");
  return new Duration(nanos);
};

const moment = (nanos: bigint): Timestamp => {
  const seconds = nanos / 1_000_000_000n;
  if (seconds < -62_135_596_800n || seconds > 253_402_300_799n) throw new CelError("timestamp overflow");
  return new Timestamp(nanos);
};

function concat(a: List, b: List): List {
  const { merge } = a;
  if (merge === undefined) return new List(a.length + b.length, (i) => (i < a.length ? a.at(i) : b.at(i - a.length)));
  const items = [...a];
  for (const item of b) {
    const known = items.findIndex((x) => (merge.by === "value" ? equal(x, item) : sameKeys(x, item, merge.keys)));
    if (known < 0) items.push(item);
    else items[known] = item;
  }
  return List.of(items, merge);
}

function element(list: List, index: bigint | number | Uint): Value {
  const at = Number(index instanceof Uint ? index.value : index);
  if (at < 0 || at >= list.length) throw new CelError(`index out of bounds: ${at}`);
  return list.at(at);
}

function entry(map: Mapping, key: Value): Value {
  const value = map.get(key);
  if (value === undefined) throw new CelError(`no such key: ${key instanceof Uint ? key.value : String(key)}`);
  return value;
}

const maybeElement = (list: List, index: bigint): Optional =>
  index < 0n || index >= BigInt(list.length) ? Optional.none : new Optional(list.at(Number(index)));
const maybeEntry = (map: Mapping, key: Value): Optional => new Optional(map.get(key));
const through = <T extends Value, K>(opt: Optional, key: K, get: (value: T, key: K) => Value): Optional =>
  opt.value === undefined ? opt : new Optional(get(opt.value as T, key));

const ordered = ["bool", "string", "bytes", "timestamp", "duration"];
const numeric = ["int", "uint", "double"];

function comparisons(): Overload[] {
  const pairs = [
    ...ordered.map((type) => [type, type]),
    ...numeric.flatMap((left) => numeric.map((right) => [left, right])),
  ];
  const tests: Record<string, (order: number) => boolean> = {
    "_<_": (order) => order < 0,
    "_<=_": (order) => order <= 0,
    "_>_": (order) => order > 0,
    "_>=_": (order) => order >= 0,
  };
  return pairs.flatMap(([left, right]) =>
    Object.entries(tests).flatMap(([name, test]) =>
      functions({ [`${name}(${left}, ${right}): bool`]: (a: Value, b: Value) => test(compare(a, b)) }),
    ),
  );
}

export const arithmetic: readonly Overload[] = [
  ...functions({
    "_+_(int, int): int": (a: bigint, b: bigint) => int64(a + b),
    "_+_(uint, uint): uint": (a: Uint, b: Uint) => uint64(a.value + b.value),
    "_+_(double, double): double": (a: number, b: number) => a + b,
    "_+_(string, string): string": (a: string, b: string) => a + b,
    "_+_(bytes, bytes): bytes": (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b])),
    "_+_(list(A), list(A)): list(A)": concat,
    "_+_(timestamp, duration): timestamp": (a: Timestamp, b: Duration) => moment(a.nanos + b.nanos),
    "_+_(duration, timestamp): timestamp": (a: Duration, b: Timestamp) => moment(a.nanos + b.nanos),
    "_+_(duration, duration): duration": (a: Duration, b: Duration) => span(a.nanos + b.nanos),
    "_-_(int, int): int": (a: bigint, b: bigint) => int64(a - b),
    "_-_(uint, uint): uint": (a: Uint, b: Uint) => uint64(a.value - b.value),
    "_-_(double, double): double": (a: number, b: number) => a - b,
    "_-_(timestamp, timestamp): duration": (a: Timestamp, b: Timestamp) => span(a.nanos - b.nanos),
    "_-_(timestamp, duration): timestamp": (a: Timestamp, b: Duration) => moment(a.nanos - b.nanos),
    "_-_(duration, duration): duration": (a: Duration, b: Duration) => span(a.nanos - b.nanos),
    "_*_(int, int): int": (a: bigint, b: bigint) => int64(a * b),
    "_*_(uint, uint): uint": (a: Uint, b: Uint) => uint64(a.value * b.value),
    "_*_(double, double): double": (a: number, b: number) => a * b,
    "_/_(int, int): int": (a: bigint, b: bigint) => int64(a / divisor(b, "division by zero")),
    "_/_(uint, uint): uint": (a: Uint, b: Uint) => uint64(a.value / divisor(b.value, "division by zero")),
    "_/_(double, double): double": (a: number, b: number) => a / b,
    "_%_(int, int): int": (a: bigint, b: bigint) => a % divisor(b, "modulus by zero"),
    "_%_(uint, uint): uint": (a: Uint, b: Uint) => uint64(a.value % divisor(b.value, "modulus by zero")),
    "-_(int): int": (a: bigint) => int64(-a),
    "-_(double): double": (a: number) => -a,
    "!_(bool): bool": (a: boolean) => !a,
    "_==_(A, A): bool": equal,
    "_!=_(A, A): bool": (a: Value, b: Value) => !equal(a, b),
    "@in(A, list(A)): bool": (item: Value, list: List) => {
      for (const other of list) if (equal(item, other)) return true;
      return false;
    },
    "@in(A, map(A, B)): bool": (key: Value, map: Mapping) => map.get(key) !== undefined,
    "_[_](list(A), int): A": element,
    "_[_](map(A, B), A): B": entry,
    "_[_](optional_type(list(A)), int): optional_type(A)": (opt: Optional, i: bigint) => through(opt, i, element),
    "_[_](optional_type(map(A, B)), A): optional_type(B)": (opt: Optional, k: Value) => through(opt, k, entry),
    "_[?_](list(A), int): optional_type(A)": maybeElement,
    "_[?_](map(A, B), A): optional_type(B)": maybeEntry,
    "_[?_](optional_type(list(A)), int): optional_type(A)": (opt: Optional, i: bigint) =>
      opt.value === undefined ? opt : maybeElement(opt.value as List, i),
    "_[?_](optional_type(map(A, B)), A): optional_type(B)": (opt: Optional, k: Value) =>
      opt.value === undefined ? opt : maybeEntry(opt.value as Mapping, k),
    // These three are evaluated by the interpreter, which need not look at all arguments.
    "_&&_(bool, bool): bool": (a: boolean, b: boolean) => a && b,
    "_||_(bool, bool): bool": (a: boolean, b: boolean) => a || b,
    "_?_:_(bool, A, A): A": (test: boolean, yes: Value, no: Value) => (test ? yes : no),
  }),
  ...comparisons(),
];
