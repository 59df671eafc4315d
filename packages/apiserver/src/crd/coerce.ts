// Metadata of custom resources, brought into the shape of ObjectMeta: unknown members go, wrong types are refused as Go's decoder
// refuses them. At the root and in every embedded resource.
import { formatTime, parseTime } from "@telltale/kinds";
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import { shown } from "../status.ts";
import { isUsualTime, timeProblem } from "./go-time.ts";
import { itemsOf, memberOf, type Schema } from "./schema.ts";

export type Coerced =
  | { readonly value: JsonObject /** `metadata.bogus` */; readonly unknown: string[] }
  | { /** What the decoder said; the caller puts the kind before it. */ readonly refused: string };

/** An object with its own metadata coerced. `lenient` drops what is wrong: for stored data. */
export function coerceRoot(object: JsonObject, lenient = false): Coerced {
  return coerced(lenient, (walk) => coerceResource(object, "", walk));
}

/** An object with the metadata of all embedded resources coerced, not its own. */
export function coerceEmbedded(schema: Schema, object: JsonObject, lenient = false): Coerced {
  // Below an object stands an object again.
  return coerced(lenient, (walk) => coerceBelow(schema, object, "", walk) as JsonObject);
}

function coerced(lenient: boolean, walk: (walk: Walk) => JsonObject): Coerced {
  const unknown: string[] = [];
  try {
    const value = walk({ unknown, lenient });
    return { value, unknown: unknown.sort() };
  } catch (problem) {
    if (problem instanceof Refusal) return { refused: problem.message };
    throw problem;
  }
}

interface Walk {
  readonly unknown: string[];
  readonly lenient: boolean;
}

class Refusal extends Error {}

/** Walks down to the embedded resources; the node itself has been seen to. */
function coerceBelow(schema: Schema | undefined, value: Json, path: string, walk: Walk): Json {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return value;
    const out = value.map((item, i) => coerceNode(items, item, `${path}[${i}]`, walk));
    return out.some((item, i) => item !== value[i]) ? out : value;
  }
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  let changed = false;
  for (const [name, inner] of Object.entries(value)) {
    const child = memberOf(schema, name);
    const kept = child === undefined ? inner : coerceNode(child, inner, path === "" ? name : `${path}.${name}`, walk);
    changed ||= kept !== inner;
    put(out, name, kept);
  }
  return changed ? out : value;
}

function coerceNode(schema: Schema, value: Json, path: string, walk: Walk): Json {
  const embedded = schema["x-kubernetes-embedded-resource"] === true && isObject(value);
  return coerceBelow(schema, embedded ? coerceResource(value, path, walk) : value, path, walk);
}

/** apiVersion and kind are strings, metadata is an ObjectMeta. */
function coerceResource(object: JsonObject, path: string, walk: Walk): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const here = path === "" ? name : `${path}.${name}`;
    if (name === "apiVersion" || name === "kind") {
      if (typeof value === "string") put(out, name, value);
      else if (!walk.lenient) throw new Refusal(`${here}: Invalid value: ${shown(value)}: must be a string`);
    } else if (name === "metadata") {
      try {
        put(out, name, decodeObject(objectMeta, value, here, "", walk));
      } catch (problem) {
        if (!(problem instanceof Refusal)) throw problem;
        if (walk.lenient) put(out, name, {});
        else if (path === "") throw problem;
        else throw new Refusal(`${here}: Invalid value: ${shown(value)}: ${problem.message}`);
      }
    } else put(out, name, value);
  }
  return out;
}

// --- Go's types, as far as ObjectMeta needs them

type GoType =
  | { readonly go: "string"; readonly name: string }
  | { readonly go: "int64" }
  | { readonly go: "bool" }
  | { readonly go: "time" }
  | { readonly go: "any" }
  | { readonly go: "map" }
  | { readonly go: "list"; readonly of: GoType }
  | Struct;

interface Struct {
  readonly go: "struct";
  readonly name: string;
  readonly fields: ReadonlyMap<string, GoType>;
}

const string: GoType = { go: "string", name: "string" };
const time: GoType = { go: "time" };
const struct = (name: string, fields: Record<string, GoType>): Struct => ({
  go: "struct",
  name,
  fields: new Map(Object.entries(fields)),
});

const ownerReference = struct("OwnerReference", {
  apiVersion: string,
  kind: string,
  name: string,
  uid: { go: "string", name: "types.UID" },
  controller: { go: "bool" },
  blockOwnerDeletion: { go: "bool" },
});

const managedFieldsEntry = struct("ManagedFieldsEntry", {
  manager: string,
  operation: { go: "string", name: "v1.ManagedFieldsOperationType" },
  apiVersion: string,
  time,
  fieldsType: string,
  fieldsV1: { go: "any" },
  subresource: string,
});

const objectMeta = struct("ObjectMeta", {
  name: string,
  generateName: string,
  namespace: string,
  selfLink: string,
  uid: { go: "string", name: "types.UID" },
  resourceVersion: string,
  generation: { go: "int64" },
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: { go: "int64" },
  labels: { go: "map" },
  annotations: { go: "map" },
  ownerReferences: { go: "list", of: ownerReference },
  finalizers: { go: "list", of: string },
  managedFields: { go: "list", of: managedFieldsEntry },
});

function typeName(type: GoType): string {
  switch (type.go) {
    case "string":
      return type.name;
    case "map":
      return "map[string]string";
    case "list":
      return `[]${typeName(type.of)}`;
    case "struct":
      return `v1.${type.name}`;
    case "time":
      return "string";
    default:
      return type.go;
  }
}

/** `field` is what the message names: `ObjectMeta.labels`, or nothing at the top. */
function decode(type: GoType, value: Json, path: string, field: string, walk: Walk): Json {
  const refuse = (wanted: string, found: string): never => {
    throw new Refusal(
      `json: cannot unmarshal ${found} into ${field === "" ? "Go value" : `Go struct field ${field}`} of type ${wanted}`,
    );
  };
  switch (type.go) {
    case "any":
      return value;
    case "string":
      return typeof value === "string" ? value : refuse(typeName(type), jsonType(value));
    case "bool":
      return typeof value === "boolean" ? value : refuse("bool", jsonType(value));
    case "int64":
      if (typeof value !== "number" && typeof value !== "bigint") return refuse("int64", jsonType(value));
      return typeof value === "bigint" || Number.isSafeInteger(value) ? value : refuse("int64", `number ${value}`);
    case "time":
      return typeof value === "string" ? decodeTime(value) : refuse("string", jsonType(value));
    case "map": {
      if (!isObject(value)) return refuse("map[string]string", jsonType(value));
      const out: JsonObject = {};
      for (const [name, member] of Object.entries(value)) {
        put(out, name, member === null ? "" : decode(string, member, `${path}.${name}`, field, walk));
      }
      return out;
    }
    case "list":
      if (!Array.isArray(value)) return refuse(typeName(type), jsonType(value));
      return value.map((item, i) =>
        item === null ? zero(type.of) : decode(type.of, item, `${path}[${i}]`, field, walk),
      );
    case "struct":
      return decodeObject(type, value, path, field, walk);
  }
}

function decodeObject(type: Struct, value: Json, path: string, field: string, walk: Walk): JsonObject {
  if (value === null) return {};
  if (!isObject(value)) {
    const target = field === "" ? "Go value" : `Go struct field ${field}`;
    throw new Refusal(`json: cannot unmarshal ${jsonType(value)} into ${target} of type ${typeName(type)}`);
  }
  const out: JsonObject = {};
  // The path inside the message starts at the outermost struct, the struct is the innermost: `OwnerReference.ownerReferences.uid`.
  const outer = field === "" ? "" : `.${field.slice(field.indexOf(".") + 1)}`;
  for (const [name, member] of Object.entries(value)) {
    const inner = type.fields.get(name);
    if (inner === undefined) walk.unknown.push(`${path}.${name}`);
    else if (member !== null) {
      const decoded = decode(inner, member, `${path}.${name}`, `${type.name}${outer}.${name}`, walk);
      if (!isEmpty(inner, decoded)) put(out, name, decoded);
    }
  }
  if (type === ownerReference) for (const name of ["apiVersion", "kind", "name", "uid"]) out[name] ??= "";
  return out;
}

/** What Go leaves out when it writes: empty texts, zeros, empty lists and maps; not what is behind a pointer. */
function isEmpty(type: GoType, value: Json): boolean {
  if (type.go === "map") return isObject(value) && Object.keys(value).length === 0;
  if (type.go === "list") return Array.isArray(value) && value.length === 0;
  return type.go === "string" && value === "";
}

function zero(type: GoType): Json {
  return type.go === "struct" ? decodeObject(type, {}, "", "", { unknown: [], lenient: false }) : "";
}

function decodeTime(value: string): string {
  if (isUsualTime(value)) return value;
  const problem = timeProblem(value);
  const at = parseTime(value);
  if (problem !== undefined || at === undefined) throw new Refusal(`parsing time ${JSON.stringify(value)}${problem}`);
  return formatTime(at);
}

function jsonType(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
