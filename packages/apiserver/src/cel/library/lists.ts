// Lists, sets and optionals.
import { compare, equal } from "../compare.ts";
import { functions, type Overload } from "../function.ts";
import { CelError, Duration, List, Mapping, Optional, Timestamp, Uint, type Value } from "../values.ts";
import { int64 } from "./arithmetic.ts";

const isSorted = (list: List): boolean => {
  for (let i = 1; i < list.length; i++) if (compare(list.at(i - 1), list.at(i)) > 0) return false;
  return true;
};

function extreme(list: List, name: string, better: (order: number) => boolean): Value {
  if (list.length === 0) throw new CelError(`${name} called on empty list`);
  let best = list.at(0);
  for (const item of list) if (better(compare(item, best))) best = item;
  return best;
}

const found = (index: number): bigint => BigInt(index);

function slice(list: List, from: bigint, to: bigint): List {
  if (from < 0n || to < 0n) throw new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to)
    throw new CelError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > BigInt(list.length)) throw new CelError(`cannot slice(${from}, ${to}), list is length ${list.length}`);
  return List.of([...list].slice(Number(from), Number(to)));
}

function flatten(list: List, depth = 1n): List {
  if (depth < 0n) throw new CelError("level must be non-negative");
  const items: Value[] = [];
  for (const item of list) {
    if (item instanceof List && depth > 0n) items.push(...flatten(item, depth - 1n));
    else items.push(item);
  }
  return List.of(items);
}

/** Sorted by keys, one of each element; equal keys keep their order. */
export function sortBy(items: readonly Value[], keys: readonly Value[]): List {
  const order = items.map((item, i) => ({ item, key: keys[i] ?? null }));
  return List.of(order.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item));
}

function range(size: bigint): List {
  if (size > 1_000_000n) throw new CelError("operation cancelled: actual cost limit exceeded", true);
  return new List(Number(size < 0n ? 0n : size), (i) => BigInt(i));
}

function distinct(list: List): List {
  const seen: Value[] = [];
  const scalars = new Set<string>();
  for (const item of list) {
    const scalar = typeof item === "string" || typeof item === "bigint" || typeof item === "boolean";
    const key = `${typeof item}:${String(item)}`;
    if (scalar ? scalars.has(key) : seen.some((other) => equal(item, other))) continue;
    if (scalar) scalars.add(key);
    seen.push(item);
  }
  return List.of(seen);
}

const contains = (list: List, item: Value): boolean => {
  for (const other of list) if (equal(item, other)) return true;
  return false;
};
const containsAll = (list: List, items: List): boolean => [...items].every((item) => contains(list, item));

function summed(): Overload[] {
  const add: Readonly<Record<string, readonly [Value, (a: never, b: never) => Value]>> = {
    int: [0n, (a: bigint, b: bigint) => int64(a + b)],
    uint: [new Uint(0n), (a: Uint, b: Uint) => new Uint(a.value + b.value)],
    double: [0, (a: number, b: number) => a + b],
    duration: [new Duration(0n), (a: Duration, b: Duration) => new Duration(a.nanos + b.nanos)],
  };
  return Object.entries(add).flatMap(([type, [zero, plus]]) =>
    functions({
      [`list(${type}) -> sum(): ${type}`]: (list: List) => {
        let sum = zero;
        for (const item of list) sum = plus(sum as never, item as never);
        return sum;
      },
    }),
  );
}

function orderedLists(): Overload[] {
  const types = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
  return types.flatMap((type) =>
    functions({
      [`list(${type}) -> isSorted(): bool`]: isSorted,
      [`list(${type}) -> min(): ${type}`]: (list: List) => extreme(list, "min", (order) => order < 0),
      [`list(${type}) -> max(): ${type}`]: (list: List) => extreme(list, "max", (order) => order > 0),
      [`list(${type}) -> sort(): list(${type})`]: (list: List) => sortBy([...list], [...list]),
    }),
  );
}

const isZero = (value: Value): boolean =>
  value === null ||
  value === false ||
  value === 0n ||
  value === 0 ||
  value === "" ||
  (value instanceof Uint && value.value === 0n) ||
  ((value instanceof Uint8Array || value instanceof List) && value.length === 0) ||
  (value instanceof Mapping && value.size === 0) ||
  ((value instanceof Duration || value instanceof Timestamp) && value.nanos === 0n) ||
  (value instanceof Optional && value.value === undefined);

function unwrap(opt: Optional): Value {
  if (opt.value === undefined) throw new CelError("optional.none() dereference");
  return opt.value;
}

const present = (list: List): List =>
  List.of([...list].flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])));

export const lists: readonly Overload[] = [
  ...orderedLists(),
  ...summed(),
  ...functions({
    "list(A) -> indexOf(A): int": (list: List, item: Value) =>
      found([...list].findIndex((other) => equal(item, other))),
    "list(A) -> lastIndexOf(A): int": (list: List, item: Value) =>
      found([...list].findLastIndex((other) => equal(item, other))),
    "list(A) -> slice(int, int): list(A)": slice,
    "list(list(A)) -> flatten(): list(A)": flatten,
    "list(dyn) -> flatten(int): list(dyn)": flatten,
    "list(A) -> reverse(): list(A)": (list: List) => List.of([...list].reverse()),
    "list(A) -> distinct(): list(A)": distinct,
    "list(A) -> first(): optional_type(A)": (list: List) =>
      list.length === 0 ? Optional.none : new Optional(list.at(0)),
    "list(A) -> last(): optional_type(A)": (list: List) =>
      list.length === 0 ? Optional.none : new Optional(list.at(list.length - 1)),
    "lists.range(int): list(int)": range,
    "sets.contains(list(A), list(A)): bool": containsAll,
    "sets.equivalent(list(A), list(A)): bool": (a: List, b: List) => containsAll(a, b) && containsAll(b, a),
    "sets.intersects(list(A), list(A)): bool": (a: List, b: List) => [...a].some((item) => contains(b, item)),
    "optional.of(A): optional_type(A)": (value: Value) => new Optional(value),
    "optional.none(): optional_type(A)": () => Optional.none,
    "optional.ofNonZeroValue(A): optional_type(A)": (value: Value) =>
      isZero(value) ? Optional.none : new Optional(value),
    "optional.unwrap(list(optional_type(A))): list(A)": present,
    "list(optional_type(A)) -> unwrapOpt(): list(A)": present,
    "optional_type(A) -> hasValue(): bool": (opt: Optional) => opt.value !== undefined,
    "optional_type(A) -> value(): A": unwrap,
    "optional_type(A) -> or(optional_type(A)): optional_type(A)": (a: Optional, b: Optional) =>
      a.value === undefined ? b : a,
    "optional_type(A) -> orValue(A): A": (opt: Optional, other: Value) => (opt.value === undefined ? other : opt.value),
  }),
];
