// The typed view of an object that apply works with: what is a scalar, how a list merges, which fields a struct declares.
// Built from the type table for built-in kinds and from the structural schema for custom ones, lazily: types may be recursive.
import type { Structural } from "@telltale/kinds";
import { type Field, type FieldType, type Message, message } from "@telltale/kinds/core";
import { type Json, type JsonObject, put } from "../json.ts";

export type TypedSchema = ScalarSchema | ListSchema | MapSchema | DeducedSchema;

/** Whatever the value is: lists are replaced as a whole, maps merge unless they are `atomic`. */
export interface DeducedSchema {
  readonly of: "deduced";
  readonly atomic: boolean;
}

/** `untyped`: any scalar, as a quantity or a port that may have a name. */
export interface ScalarSchema {
  readonly of: "scalar";
  readonly scalar: "string" | "numeric" | "boolean" | "untyped";
}

export type ListSchema = {
  readonly of: "list";
  readonly item: () => TypedSchema;
} & (
  | { readonly merge: "atomic" | "set" }
  | { readonly merge: "map"; readonly keys: readonly string[]; readonly keyDefaults: () => JsonObject }
);

/** A struct (declared fields), a map (`value` for every other member), or both. */
export interface MapSchema {
  readonly of: "map";
  readonly atomic: boolean;
  readonly fields: () => ReadonlyMap<string, TypedSchema>;
  /** What undeclared members are; without it there may be none. */
  readonly value: (() => TypedSchema) | undefined;
  /** What the server's own type holds before anything is set. Members that are always there are owned by nobody. */
  readonly zero: () => JsonObject;
}

/** Of a kind that has no schema at all. */
export const deducedSchema: TypedSchema = { of: "deduced", atomic: false };

const untyped: TypedSchema = { of: "scalar", scalar: "untyped" };
const string: TypedSchema = { of: "scalar", scalar: "string" };
const numeric: TypedSchema = { of: "scalar", scalar: "numeric" };
const boolean: TypedSchema = { of: "scalar", scalar: "boolean" };
const nothing = (): JsonObject => ({});

/** The schema of a message of the type table, `apps.Deployment`; deduced when the table has none of that name. */
export function builtinSchema(name: string): TypedSchema {
  let found = builtin.get(name);
  if (found === undefined) {
    const known = message(name);
    found = known === undefined ? deducedSchema : ofMessage(known);
    builtin.set(name, found);
  }
  return found;
}

const builtin = new Map<string, TypedSchema>();

/** Messages that write their JSON themselves. */
const scalarMessages = new Set([
  "meta.Time",
  "meta.MicroTime",
  "meta.Duration",
  "resource.Quantity",
  "intstr.IntOrString",
]);

/** Have metadata but are no kinds. */
const templates = new Set(["core.PodTemplateSpec", "batch.JobTemplateSpec", "core.PersistentVolumeClaimTemplate"]);

/** The published schema has these rules, the type table has not. */
const listKeys: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "core.EphemeralContainerCommon": {
    ports: ["containerPort", "protocol"],
    env: ["name"],
    volumeMounts: ["mountPath"],
    volumeDevices: ["devicePath"],
  },
};

function ofMessage(m: Message): TypedSchema {
  if (scalarMessages.has(m.name)) return untyped;
  if (m.fields.some((f) => f.name === "-")) return { of: "deduced", atomic: true };
  if (m.fields.length > 0 && m.fields.every((f) => f.wireOnly)) return deducedSchema;
  return {
    of: "map",
    atomic: m.atomic,
    value: undefined,
    fields: once(() => {
      const fields = new Map(declaredFields(m));
      const isKind = fields.get("metadata") === builtinSchema("meta.ObjectMeta") && !templates.has(m.name);
      if (isKind) fields.set("apiVersion", string).set("kind", string);
      return fields;
    }),
    zero: () => zeroOf(m),
  };
}

function* declaredFields(m: Message): Iterable<[string, TypedSchema]> {
  for (const f of m.fields) {
    const inner = f.inline && f.type.of === "message" ? message(f.type.message) : undefined;
    if (inner !== undefined) yield* declaredFields(inner);
    else yield [f.name, ofField(m, f)];
  }
}

function ofField(m: Message, f: Field): TypedSchema {
  if (f.type.of === "list") {
    const { item } = f.type;
    const keys = f.listMapKeys ?? listKeys[m.name]?.[f.name];
    if (keys !== undefined)
      return listMap(
        keys,
        () => ofType(item),
        () => itemDefaults(item, keys),
      );
    return { of: "list", merge: f.set === true ? "set" : "atomic", item: once(() => ofType(item)) };
  }
  const type = ofType(f.type);
  return f.atomic === true && type.of === "map" ? { ...type, atomic: true } : type;
}

function ofType(type: FieldType): TypedSchema {
  switch (type.of) {
    case "scalar":
      if (type.scalar === "bool") return boolean;
      return type.scalar === "string" || type.scalar === "bytes" ? string : numeric;
    case "message":
      return builtinSchema(type.message);
    case "list":
      return { of: "list", merge: "atomic", item: once(() => ofType(type.item)) };
    case "map":
      return openMap(false, () => ofType(type.value));
  }
}

function itemDefaults(item: FieldType, keys: readonly string[]): JsonObject {
  const out: JsonObject = {};
  const fields = item.of === "message" ? (message(item.message)?.fields ?? []) : [];
  for (const f of fields) if (keys.includes(f.name) && f.default !== undefined) put(out, f.name, f.default);
  return out;
}

/** What a zero value of the server's type is in JSON: structs are there even when they are empty, pointers are not. */
function zeroOf(m: Message): JsonObject {
  const out: JsonObject = {};
  for (const f of m.fields) {
    if (f.pointer || f.wireOnly) continue;
    const inner = f.type.of === "message" ? message(f.type.message) : undefined;
    if (f.inline && inner !== undefined) Object.assign(out, zeroOf(inner));
    else if (inner !== undefined) put(out, f.name, builtinSchema(inner.name).of === "map" ? zeroOf(inner) : null);
    else if (f.always) put(out, f.name, zeroScalar(f.type));
  }
  return out;
}

function zeroScalar(type: FieldType): Json {
  if (type.of !== "scalar") return null;
  if (type.scalar === "string") return "";
  if (type.scalar === "bytes") return null;
  return type.scalar === "bool" ? false : 0;
}

/** The schema of a custom resource's version. */
export function structuralSchema(root: Structural): TypedSchema {
  let found = structural.get(root);
  if (found === undefined) {
    found = withObjectFields(ofStructural(root));
    structural.set(root, found);
  }
  return found;
}

const structural = new WeakMap<Structural, TypedSchema>();

/** What every object has, and every embedded one. */
function withObjectFields(schema: TypedSchema): TypedSchema {
  const map = schema.of === "map" ? schema : openMap(false, () => deducedSchema);
  return {
    ...map,
    fields: once(() =>
      new Map(map.fields())
        .set("apiVersion", string)
        .set("kind", string)
        .set("metadata", builtinSchema("meta.ObjectMeta")),
    ),
  };
}

function ofStructural(s: Structural): TypedSchema {
  if (s["x-kubernetes-embedded-resource"] === true) return withObjectFields(ofPlain(s));
  return ofPlain(s);
}

function ofPlain(s: Structural): TypedSchema {
  switch (s.type) {
    case "object":
      return ofObject(s);
    case "array":
      return ofArray(s);
    case "string":
      return s.format === undefined || s.format === "" || s.format === "byte" ? string : untyped;
    case "integer":
    case "number":
      return numeric;
    case "boolean":
      return boolean;
    default:
      return deducedSchema;
  }
}

function ofObject(s: Structural): TypedSchema {
  const properties = s.properties ?? {};
  const names = Object.keys(properties);
  const values = s.additionalProperties as Structural | boolean | undefined;
  const value =
    typeof values === "object"
      ? once(() => ofStructural(values))
      : s["x-kubernetes-preserve-unknown-fields"] === true || values === true || names.length === 0
        ? () => deducedSchema
        : undefined;
  return {
    of: "map",
    atomic: s["x-kubernetes-map-type"] === "atomic",
    value,
    fields: once(() => new Map(names.map((name) => [name, ofStructural(properties[name] ?? {})] as const))),
    zero: nothing,
  };
}

function ofArray(s: Structural): TypedSchema {
  const items = s.items ?? {};
  const item = once(() => ofStructural(items));
  if (s["x-kubernetes-list-type"] === "set") return { of: "list", merge: "set", item };
  if (s["x-kubernetes-list-type"] !== "map") return { of: "list", merge: "atomic", item };
  const keys = s["x-kubernetes-list-map-keys"] ?? [];
  return listMap(keys, item, () => {
    const out: JsonObject = {};
    for (const key of keys) {
      const preset = items.properties?.[key]?.default;
      if (preset !== undefined) put(out, key, preset as Json);
    }
    return out;
  });
}

function listMap(keys: readonly string[], item: () => TypedSchema, keyDefaults: () => JsonObject): ListSchema {
  return { of: "list", merge: "map", keys: [...keys].sort(), item: once(item), keyDefaults: once(keyDefaults) };
}

function openMap(atomic: boolean, value: () => TypedSchema): MapSchema {
  const fields = new Map<string, TypedSchema>();
  return { of: "map", atomic, value: once(value), fields: () => fields, zero: nothing };
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
