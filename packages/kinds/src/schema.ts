// The schema vocabulary of Kubernetes on top of TypeBox: what a field may be, and what the API server is told about it.
// Everything here is a JSON Schema value; `structural.ts` turns it into what a CRD holds.
import type {
  Static,
  TArray,
  TInteger,
  TNumber,
  TObject,
  TProperties,
  TRecord,
  TSchema,
  TString,
  TUnsafe,
} from "typebox";
import { Type } from "./type.ts";

export { type Static, type TObject, type TProperties, type TSchema, Type };

/** A CEL rule. A rule that names `oldSelf` is checked on updates only. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

interface Common {
  readonly description?: string;
  readonly default?: unknown;
  readonly rules?: readonly Rule[];
}
interface NumberBounds extends Common {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly enum?: readonly number[];
}
interface StringBounds extends Common {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string | RegExp;
  readonly format?: string;
}
interface ListBounds extends Common {
  readonly minItems?: number;
  readonly maxItems?: number;
}
interface MapBounds extends Common {
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** Options as they stand in the schema: `rules` is ours, `x-kubernetes-validations` is theirs. */
function wire<O extends Common>(options: O, more: Record<string, unknown> = {}): Record<string, unknown> {
  const { rules, ...rest } = options;
  return { ...more, ...rest, ...(rules && rules.length > 0 ? { "x-kubernetes-validations": rules } : {}) };
}

const safe = Number.MAX_SAFE_INTEGER;

export const Int32 = (options: NumberBounds = {}): TInteger => Type.Integer(wire(options, { format: "int32" }));
/** 64 bits on the wire; values beyond ±2^53 cannot be read exactly and are refused (rule 11). */
export const Int64 = (options: NumberBounds = {}): TInteger =>
  Type.Integer(wire(options, { format: "int64", minimum: -safe, maximum: safe }));
/** Kubernetes has no unsigned types: a range on 64 bits. */
export const UInt32 = (options: NumberBounds = {}): TInteger =>
  Type.Integer(wire(options, { format: "int64", minimum: 0, maximum: 4_294_967_295 }));
export const Double = (options: NumberBounds = {}): TNumber => Type.Number(wire(options, { format: "double" }));
export const Text = (options: StringBounds = {}): TString => Type.String(wire(options));
export const Flag = (options: Common = {}) => Type.Boolean(wire(options));

/** `2026-01-19T22:00:00Z` (rule 8: whole seconds). */
export const Time = (options: Common = {}): TString => Type.String(wire(options, { format: "date-time" }));
/** `2026-01-19T22:00:00.000000Z`: the same to the API server, more digits to us. */
export const MicroTime = (options: Common = {}): TString => Time(options);

/** A Go duration, `1h30m`. `0` and a sign are allowed; there is no day. */
export const Duration = (options: StringBounds = {}): TString =>
  Type.String(
    wire(options, {
      pattern: "^[+-]?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$|^[+-]?0$",
      maxLength: 64,
    }),
  );

/** One of a closed set of words (rule 12). */
export function Enum<const V extends string>(values: readonly [V, ...V[]], options: Common = {}): TUnsafe<V> {
  return Type.Unsafe<V>({ type: "string", enum: [...values], ...wire(options) });
}

/** `500m`, `2Gi` or a number. */
export const Quantity = (options: Common = {}): TUnsafe<string | number> =>
  Type.Unsafe<string | number>({
    anyOf: [{ type: "integer" }, { type: "string" }],
    pattern:
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
    "x-kubernetes-int-or-string": true,
    ...wire(options),
  });

/** A number, or a text such as `25%`. */
export const IntOrString = (options: StringBounds = {}): TUnsafe<number | string> =>
  Type.Unsafe<number | string>({
    anyOf: [{ type: "integer" }, { type: "string" }],
    "x-kubernetes-int-or-string": true,
    ...wire(options),
  });

/** A list that is replaced as a whole. */
export const List = <T extends TSchema>(item: T, options: ListBounds = {}): TArray<T> =>
  Type.Array(item, wire(options, { "x-kubernetes-list-type": "atomic" }));
/** A list of different scalars. */
export const ListSet = <T extends TSchema>(item: T, options: ListBounds = {}): TArray<T> =>
  Type.Array(item, wire(options, { "x-kubernetes-list-type": "set" }));
/** A list of objects told apart by `keys`. */
export const ListMap = <T extends TSchema>(
  item: T,
  keys: readonly [string, ...string[]],
  options: ListBounds = {},
): TArray<T> =>
  Type.Array(item, wire(options, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] }));

/** Any keys, one kind of value. */
export const Dictionary = <T extends TSchema>(value: T, options: MapBounds = {}): TRecord<string, T> =>
  Type.Record(Type.String(), value, wire(options)) as TRecord<string, T>;
/** A map that is replaced as a whole by server-side apply. */
export const AtomicDictionary = <T extends TSchema>(value: T, options: MapBounds = {}): TRecord<string, T> =>
  Dictionary(value, { ...options, "x-kubernetes-map-type": "atomic" } as MapBounds);

/** An object; `rules` are CEL rules on it. */
export function Fields<P extends TProperties>(properties: P, options: MapBounds = {}): TObject<P> {
  return Type.Object(properties, wire(options));
}

/** An object whose fields nobody here knows. */
export const Opaque = <T = Record<string, unknown>>(options: Common = {}): TUnsafe<T> =>
  Type.Unsafe<T>({ type: "object", "x-kubernetes-preserve-unknown-fields": true, ...wire(options) });
/** Any JSON value at all: map, list or scalar at one path. */
export const Anything = <T = unknown>(options: Common = {}): TUnsafe<T> =>
  Type.Unsafe<T>({ "x-kubernetes-preserve-unknown-fields": true, ...wire(options) });
/** A whole Kubernetes object inside another. */
export const EmbeddedResource = <T = Record<string, unknown>>(options: Common = {}): TUnsafe<T> =>
  Type.Unsafe<T>({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
    ...wire(options),
  });

/** `null` is allowed, and kept. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ ...schema, nullable: true });
}

/** Cannot be changed once set. */
export function Immutable<T extends TSchema>(schema: T, message = "cannot be changed"): T {
  const rules = (schema as { "x-kubernetes-validations"?: readonly Rule[] })["x-kubernetes-validations"] ?? [];
  return keepHidden(schema, {
    "x-kubernetes-validations": [...rules, { rule: "self == oldSelf", message }],
  });
}

/** The same schema with another description. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return keepHidden(schema, { description });
}

/** TypeBox marks schemas with hidden members; a copy has to carry them. */
function keepHidden<T extends TSchema>(schema: T, more: Record<string, unknown>): T {
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema));
  for (const [key, value] of Object.entries(more)) {
    Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return copy as T;
}

/** The spec of another kind, every field optional: for templates and overrides. */
export const AllOptional = Type.Partial;
export const Optional = Type.Optional;
