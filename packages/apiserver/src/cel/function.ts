// How a library declares its functions: a signature and what it does. `list(A) -> indexOf(A): int` is a method, `size(string): int` a function.
import * as t from "./types.ts";
import { Duration, List, Mapping, Opaque, Optional, Timestamp, TypeValue, Uint, type Value } from "./values.ts";

export interface Overload {
  readonly name: string;
  readonly signature: string;
  readonly member: boolean;
  /** The receiver of a method comes first. */
  readonly args: readonly t.Type[];
  readonly result: t.Type;
  readonly run: (args: readonly Value[]) => Value;
}

export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** What a signature does; called only with values of the signature's types. */
type Handler = (...args: never[]) => Value;

export function functions(table: Readonly<Record<string, Handler>>): Overload[] {
  return Object.entries(table).map(([signature, handler]) => overload(signature, handler));
}

export function collect(...libraries: readonly (readonly Overload[])[]): Functions {
  const all = new Map<string, Overload[]>();
  for (const one of libraries.flat()) {
    const known = all.get(one.name);
    if (known === undefined) all.set(one.name, [one]);
    else known.push(one);
  }
  return all;
}

function overload(signature: string, handler: Handler): Overload {
  const match = /^(?:(.+) -> )?([^\s(]+)\((.*)\): (.+)$/.exec(signature);
  if (match === null) throw new Error(`signature ${signature}: not understood`);
  const [, receiver, name = "", args = "", result = ""] = match;
  const given = splitTypes(args).map(readType);
  const run = handler as (...args: Value[]) => Value;
  return {
    name,
    signature,
    member: receiver !== undefined,
    args: receiver === undefined ? given : [readType(receiver), ...given],
    result: readType(result),
    run: (values) => run(...values),
  };
}

const named: Readonly<Record<string, t.Type>> = {
  int: t.int,
  uint: t.uint,
  double: t.double,
  bool: t.bool,
  string: t.string,
  bytes: t.bytes,
  null: t.nullType,
  dyn: t.dyn,
  timestamp: t.timestamp,
  duration: t.duration,
};

function readType(text: string): t.Type {
  const simple = Object.hasOwn(named, text) ? named[text] : undefined;
  if (simple !== undefined) return simple;
  if (/^[A-Z]$/.test(text)) return { kind: "param", name: text };
  const match = /^([\w.]+)(?:\((.*)\))?$/.exec(text);
  if (match === null) throw new Error(`type ${text}: not understood`);
  const [, name = "", inner = ""] = match;
  const params = splitTypes(inner).map(readType);
  const [first = t.dyn, second = t.dyn] = params;
  if (name === "list") return t.list(first);
  if (name === "map") return t.map(first, second);
  if (name === "type") return { kind: "type", of: first };
  return t.opaque(name, ...params);
}

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const c of text) {
    if (c === "(") depth++;
    if (c === ")") depth--;
    if (c === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += c;
  }
  return part.trim() === "" ? parts : [...parts, part.trim()];
}

/** Whether a value may be passed for a parameter; looks no deeper than the value itself. */
export function fits(value: Value, type: t.Type): boolean {
  switch (type.kind) {
    case "int":
      return typeof value === "bigint";
    case "uint":
      return value instanceof Uint;
    case "double":
      return typeof value === "number";
    case "bool":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "null":
      return value === null;
    case "timestamp":
      return value instanceof Timestamp;
    case "duration":
      return value instanceof Duration;
    case "list":
      return value instanceof List && (value.length === 0 || type.of.kind === "param" || fits(value.at(0), type.of));
    case "map":
    case "object":
      return value instanceof Mapping;
    case "opaque":
      return type.name === "optional_type"
        ? value instanceof Optional
        : value instanceof Opaque && value.typeName === type.name;
    case "type":
      return value instanceof TypeValue;
    default:
      return true;
  }
}
