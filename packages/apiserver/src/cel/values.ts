// Values at run time. JSON is not copied: lists and maps are views that convert a member when it is asked for.
import { type Json, type JsonObject, member } from "../json.ts";
import { parseDuration, parseSpan, parseTimestamp } from "./time.ts";
import { dyn, type Merge, type Type, typeName } from "./types.ts";

export type Value =
  | null
  | boolean
  | bigint // int
  | number // double
  | Uint
  | string
  | Uint8Array
  | Timestamp
  | Duration
  | List
  | Mapping
  | Optional
  | TypeValue
  | Opaque;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that only functions of a library can look into: a quantity, a URL. */
export abstract class Opaque {
  abstract readonly typeName: string;
  abstract equals(other: Value): boolean;
}

export class List {
  readonly length: number;
  readonly merge: Merge | undefined;
  readonly #at: (index: number) => Value;

  constructor(length: number, at: (index: number) => Value, merge?: Merge) {
    this.length = length;
    this.#at = at;
    this.merge = merge;
  }

  static of(items: readonly Value[], merge?: Merge): List {
    return new List(items.length, (i) => items[i] as Value, merge);
  }

  at(index: number): Value {
    return this.#at(index);
  }

  *[Symbol.iterator](): Iterator<Value> {
    for (let i = 0; i < this.length; i++) yield this.#at(i);
  }
}

export abstract class Mapping {
  /** The name of a declared object type; undefined for maps. */
  readonly object: string | undefined = undefined;
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

/** A map that an expression made. */
export class BuiltMap extends Mapping {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  get size(): number {
    return this.#entries.size;
  }
  get(key: Value): Value | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }
  set(key: Value, value: Value): void {
    this.#entries.set(keyText(key), [key, value]);
  }
  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
}

/** Keys are equal across numeric types. */
function keyText(key: Value): string {
  if (key instanceof Uint) return `n${key.value}`;
  return typeof key === "bigint" || typeof key === "number" ? `n${key}` : `${typeof key}:${String(key)}`;
}

class JsonMap extends Mapping {
  readonly #raw: JsonObject;
  readonly #value: Type;
  constructor(raw: JsonObject, value: Type) {
    super();
    this.#raw = raw;
    this.#value = value;
  }
  get size(): number {
    return Object.keys(this.#raw).length;
  }
  get(key: Value): Value | undefined {
    const inner = typeof key === "string" ? member(this.#raw, key) : undefined;
    return inner === undefined ? undefined : view(inner, this.#value);
  }
  keys(): Iterable<Value> {
    return Object.keys(this.#raw);
  }
}

/** An object by its declared type; asked for by the names that expressions use. */
class JsonStruct extends Mapping {
  override readonly object: string;
  readonly #raw: JsonObject;
  readonly #type: Type & { kind: "object" };
  constructor(raw: JsonObject, type: Type & { kind: "object" }) {
    super();
    this.object = type.name;
    this.#raw = raw;
    this.#type = type;
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    const field = this.#type.fields.get(key);
    const inner = member(this.#raw, field === undefined ? key : field.name);
    // A null property is as good as absent.
    return inner === undefined || inner === null ? undefined : view(inner, field?.type ?? dyn);
  }
  keys(): string[] {
    const shown = new Map([...this.#type.fields].map(([key, field]) => [field.name, key]));
    return Object.keys(this.#raw)
      .filter((name) => (shown.has(name) || this.#type.fields.size === 0) && this.#raw[name] !== null)
      .map((name) => shown.get(name) ?? name);
  }
}

/** A failure of an evaluation. `fatal` ones are not absorbed by `||` and `&&`. */
export class CelError extends Error {
  readonly fatal: boolean;
  constructor(message: string, fatal = false) {
    super(message);
    this.name = "CelError";
    this.fatal = fatal;
  }
}

/** JSON as a value of its declared type. */
export function view(raw: Json, type: Type): Value {
  if (raw === null) return null;
  switch (type.kind) {
    case "list":
      if (Array.isArray(raw)) return new List(raw.length, (i) => view(raw[i] ?? null, type.of), type.merge);
      break;
    case "map":
      if (typeof raw === "object" && !Array.isArray(raw)) return new JsonMap(raw, type.value);
      break;
    case "object":
      if (typeof raw === "object" && !Array.isArray(raw)) return new JsonStruct(raw, type);
      break;
    case "int":
      if (typeof raw === "bigint") return raw;
      if (typeof raw === "number" && Number.isInteger(raw)) return BigInt(raw);
      break;
    case "double":
      if (typeof raw === "number" || typeof raw === "bigint") return Number(raw);
      break;
    case "bytes":
      if (typeof raw === "string") return new Uint8Array(Buffer.from(raw, "base64"));
      break;
    case "timestamp":
      if (typeof raw === "string") return timeOf(raw);
      break;
    case "duration":
      if (typeof raw === "string") return spanOf(raw);
      break;
    default:
      return untyped(raw);
  }
  throw new CelError(`invalid data, expected ${typeName(type)}`);
}

function untyped(raw: Json): Value {
  if (Array.isArray(raw)) return new List(raw.length, (i) => view(raw[i] ?? null, dyn));
  if (typeof raw === "number") return Number.isSafeInteger(raw) ? BigInt(raw) : raw;
  return typeof raw === "object" && raw !== null ? new JsonMap(raw, dyn) : raw;
}

function timeOf(text: string): Timestamp {
  const nanos = parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (nanos === undefined) throw new CelError(`Invalid date or date-time formatted string ${text}`);
  return new Timestamp(nanos);
}

function spanOf(text: string): Duration {
  const nanos = parseDuration(text) ?? parseSpan(text);
  if (nanos === undefined) throw new CelError(`Invalid duration ${text}`);
  return new Duration(nanos);
}

/** The name that `type(x)` has. */
export function kindOf(value: Value): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
  }
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof List) return "list";
  if (value instanceof Mapping) return value.object ?? "map";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Optional) return "optional_type";
  if (value instanceof TypeValue) return "type";
  return value.typeName;
}
