// The types that the checker knows, their names in messages, and the type of a schema node.
import type { Structural } from "@telltale/kinds";

export type Type =
  | { readonly kind: Simple }
  | { readonly kind: "list"; readonly of: Type; readonly merge?: Merge }
  | { readonly kind: "map"; readonly key: Type; readonly value: Type }
  | ObjectType
  | { readonly kind: "opaque"; readonly name: string; readonly params: readonly Type[] }
  | { readonly kind: "type"; readonly of: Type }
  | { readonly kind: "param"; readonly name: string };

export type Simple =
  | "int"
  | "uint"
  | "double"
  | "bool"
  | "string"
  | "bytes"
  | "null"
  | "dyn"
  | "error"
  | "timestamp"
  | "duration";

/** How two lists of the same declaration are compared and added. */
export type Merge = { readonly by: "value" } | { readonly by: "keys"; readonly keys: readonly string[] };

export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  /** By the name that expressions use; `name` is that in the JSON. */
  readonly fields: ReadonlyMap<string, Field>;
}

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly schema: Structural | undefined;
}

const simple = (kind: Simple): Type => ({ kind });
export const int = simple("int");
export const uint = simple("uint");
export const double = simple("double");
export const bool = simple("bool");
export const string = simple("string");
export const bytes = simple("bytes");
export const nullType = simple("null");
export const dyn = simple("dyn");
export const errorType = simple("error");
export const timestamp = simple("timestamp");
export const duration = simple("duration");
export const list = (of: Type): Type => ({ kind: "list", of });
export const map = (key: Type, value: Type): Type => ({ kind: "map", key, value });
export const opaque = (name: string, ...params: Type[]): Type => ({ kind: "opaque", name, params });
export const optional = (of: Type): Type => opaque("optional_type", of);

/** A type as messages name it. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case "list":
      return `list(${typeName(type.of)})`;
    case "map":
      return `map(${typeName(type.key)}, ${typeName(type.value)})`;
    case "object":
      return type.name;
    case "opaque":
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(typeName).join(", ")})`;
    case "type":
      return `type(${typeName(type.of)})`;
    case "param":
      return type.name;
    case "error":
      return "!error!";
    default:
      return type.kind;
  }
}

/** The type of a schema node, or undefined for one that expressions cannot see. `name` becomes that of object types. */
export function typeOf(schema: Structural, name: string, root = false): Type | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return dyn;
  switch (schema.type) {
    case "string":
      return stringType(schema.format);
    case "integer":
      return int;
    case "number":
      return double;
    case "boolean":
      return bool;
    case "array": {
      const of = schema.items === undefined ? undefined : typeOf(schema.items, `${name}.@idx`);
      if (of === undefined) return undefined;
      const merge = mergeOf(schema);
      return merge === undefined ? list(of) : { kind: "list", of, merge };
    }
    case "object":
      return objectType(schema, name, root);
    default:
      return undefined;
  }
}

function stringType(format: string | undefined): Type {
  switch (format) {
    case "byte":
      return bytes;
    case "duration":
      return duration;
    case "date":
    case "date-time":
      return timestamp;
    default:
      return string;
  }
}

function mergeOf(schema: Structural): Merge | undefined {
  if (schema["x-kubernetes-list-type"] === "set") return { by: "value" };
  if (schema["x-kubernetes-list-type"] === "map")
    return { by: "keys", keys: schema["x-kubernetes-list-map-keys"] ?? [] };
  return undefined;
}

function objectType(schema: Structural, name: string, root: boolean): Type | undefined {
  if (schema.additionalProperties !== undefined && typeof schema.additionalProperties === "object") {
    const value = typeOf(schema.additionalProperties, `${name}.@elem`);
    return value === undefined ? undefined : map(string, value);
  }
  const fields = new Map<string, Field>();
  const embedded = root || schema["x-kubernetes-embedded-resource"] === true;
  const properties: Record<string, Structural> = { ...schema.properties };
  if (embedded) Object.assign(properties, envelope(schema.properties?.["metadata"]));
  for (const [property, inner] of Object.entries(properties)) {
    const key = escapeProperty(property);
    const type = key === undefined ? undefined : typeOf(inner, `${name}.${property}`);
    if (key !== undefined && type !== undefined) fields.set(key, { name: property, type, schema: inner });
  }
  return { kind: "object", name, fields };
}

/** What a whole object shows of itself besides its own properties. */
function envelope(metadata: Structural | undefined): Record<string, Structural> {
  const own = metadata?.properties ?? {};
  return {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: {
      type: "object",
      properties: {
        name: own["name"] ?? { type: "string" },
        generateName: own["generateName"] ?? { type: "string" },
      },
    },
  };
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** A property as an identifier, or undefined where none can be made of it. */
export function escapeProperty(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  const escaped = name.replace(/__|[.\-/]/g, (part) => escapes[part] ?? part);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};
