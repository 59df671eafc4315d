// From a TypeBox schema to the structural OpenAPI schema that a CRD holds, and the rules that such a schema must keep.
// A schema that the API server would refuse is refused here, with the kind and the field in the message.
import { applyDefaults } from "./defaults.ts";
import { type Complain, complainOf } from "./errors.ts";
import { misfit } from "./misfit.ts";
import type { Rule, TSchema } from "./schema.ts";

/** A node of a structural schema: what `JSONSchemaProps` may hold in a CRD. */
export interface Structural {
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Structural>;
  additionalProperties?: Structural;
  items?: Structural;
  allOf?: Structural[];
  anyOf?: Structural[];
  oneOf?: Structural[];
  not?: Structural;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-validations"?: Rule[];
}

type Loose = Record<string, unknown>;

const copied = [
  "type",
  "format",
  "description",
  "default",
  "enum",
  "nullable",
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;

const refused: Readonly<Record<string, string>> = {
  $ref: "write the schema in place",
  $defs: "write the schema in place",
  definitions: "write the schema in place",
  dependencies: "use a CEL rule",
  dependentRequired: "use a CEL rule",
  dependentSchemas: "use a CEL rule",
  if: "use a CEL rule",
  prefixItems: "use an object with named fields",
  uniqueItems: "use ListSet or ListMap",
  additionalItems: "use one schema for all items",
  unevaluatedProperties: "leave it out: unknown fields are pruned",
};

/** The structural form of a schema. `path` is where it stands, for messages. */
export function toStructural(schema: TSchema, path: string, complain: Complain): Structural {
  const out = translate(schema as Loose, path, complain);
  // The server checks a default before it fills in the defaults below it, so we do that for it.
  if (out.default !== undefined) out.default = applyDefaults(out, out.default);
  return out;
}

/** The structural form of a schema that stands by itself: for defaults, in conversions and tests. */
export function structuralOf(name: string, schema: TSchema): Structural {
  return toStructural(schema, name, complainOf(name));
}

function translate(node: Loose, path: string, complain: Complain): Structural {
  for (const [key, fix] of Object.entries(refused)) {
    if (node[key] !== undefined && node[key] !== false) complain(path, `"${key}" is not allowed in a CRD`, fix);
  }
  const union = flattenUnion(node, path, complain);
  if (union !== undefined) return union;
  if (Array.isArray(node["allOf"]) && node["type"] === undefined && node["x-kubernetes-int-or-string"] !== true) {
    return merge(node, node["allOf"] as TSchema[], path, complain);
  }
  const out = plain(node);
  if (node["const"] !== undefined) out.enum = [node["const"]];
  if (Array.isArray(out.enum) && out.type === undefined) out.type = typeOfAll(out.enum, path, complain);
  allowNull(out, path, complain);
  const pattern = node["pattern"];
  if (pattern instanceof RegExp) out.pattern = pattern.source;
  else if (typeof pattern === "string") out.pattern = pattern;
  bound(node, out, "exclusiveMinimum", "minimum");
  bound(node, out, "exclusiveMaximum", "maximum");
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    if (Array.isArray(node[key])) out[key] = structuredClone(node[key]) as Structural[];
  }
  if (node["not"] !== undefined) out.not = structuredClone(node["not"]) as Structural;
  if (node["properties"] !== undefined) {
    out.properties = {};
    for (const [name, child] of Object.entries(node["properties"] as Record<string, TSchema>)) {
      out.properties[name] = toStructural(child, `${path}.${name}`, complain);
    }
  }
  const required = node["required"];
  if (Array.isArray(required) && required.length > 0) out.required = [...required].map(String);
  const value = mapValue(node);
  if (value !== undefined) out.additionalProperties = toStructural(value, `${path}{}`, complain);
  if (node["additionalProperties"] === true) out["x-kubernetes-preserve-unknown-fields"] = true;
  if (Array.isArray(node["items"])) complain(path, "is a tuple", "use an object with named fields");
  if (node["items"] !== undefined) out.items = toStructural(node["items"] as TSchema, `${path}[]`, complain);
  if (Object.keys(out).filter((key) => key !== "description" && key !== "default").length === 0) {
    out["x-kubernetes-preserve-unknown-fields"] = true; // TypeBox's Any and Unknown
  }
  return out;
}

/** What is the same in both languages, as a copy. */
function plain(node: Loose): Structural {
  const out: Loose = {};
  for (const key of copied) if (node[key] !== undefined) out[key] = structuredClone(node[key]);
  return out;
}

/** The server refuses null wherever there is an enum, even one that lists null; a pattern it does not ask of null. */
function allowNull(s: Structural, path: string, complain: Complain): void {
  if (s.nullable !== true || s.enum === undefined) return;
  if (s.type !== "string") complain(path, "is a nullable choice of other things than texts", "use a choice of texts");
  const words = s.enum
    .filter((word) => word !== null)
    .map((word) => String(word).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  s.pattern = `^(?:${words.join("|")})$`;
  delete s.enum;
}

function mapValue(node: Loose): TSchema | undefined {
  if (typeof node["additionalProperties"] === "object") return node["additionalProperties"] as TSchema;
  const patterns = node["patternProperties"];
  return typeof patterns === "object" && patterns !== null ? (Object.values(patterns)[0] as TSchema) : undefined;
}

/** JSON Schema gives the exclusive bound itself, OpenAPI 3.0 a flag on the plain bound. */
function bound(
  node: Loose,
  out: Structural,
  key: "exclusiveMinimum" | "exclusiveMaximum",
  plain: "minimum" | "maximum",
) {
  if (typeof node[key] === "number") {
    out[plain] = node[key];
    out[key] = true;
  }
}

function typeOfAll(values: readonly unknown[], path: string, complain: Complain): string {
  if (values.length > 0 && values.every((v) => Number.isInteger(v))) return "integer";
  for (const type of ["string", "number", "boolean"]) {
    if (values.length > 0 && values.every((v) => typeof v === type)) return type;
  }
  return complain(path, "is a choice of values of different types", "use values of one type");
}

/** A union of literals is an enum, a union with null is nullable; any other union has no structural form. */
function flattenUnion(node: Loose, path: string, complain: Complain): Structural | undefined {
  const branches = node["anyOf"];
  if (!Array.isArray(branches) || node["type"] !== undefined || node["x-kubernetes-int-or-string"] === true) return;
  const rest = branches.filter((b: Loose) => b["type"] !== "null");
  const outer: Structural = { ...plain(node), ...(rest.length < branches.length ? { nullable: true } : {}) };
  const words = rest.map((b: Loose) => b["const"]);
  if (words.every((w) => w !== undefined)) {
    const choice: Structural = { type: typeOfAll(words, path, complain), enum: words, ...outer };
    allowNull(choice, path, complain);
    return choice;
  }
  if (rest.length === 1) return toStructural({ ...rest[0], ...outer }, path, complain);
  return complain(
    path,
    "a union of different shapes is not structural",
    "use one object with optional fields and a CEL rule, or Anything()",
  );
}

/** Fragments joined with Intersect become one object. */
function merge(node: Loose, parts: TSchema[], path: string, complain: Complain): Structural {
  const out: Structural = { type: "object", ...plain(node), properties: {} };
  const required = new Set<string>();
  const rules: Rule[] = [...((node["x-kubernetes-validations"] as Rule[] | undefined) ?? [])];
  for (const part of parts) {
    const s = toStructural(part, path, complain);
    if (s.type !== "object")
      complain(path, "only objects can be joined", "give each part of Intersect the type object");
    for (const [name, child] of Object.entries(s.properties ?? {})) {
      if (out.properties?.[name] !== undefined)
        complain(`${path}.${name}`, "is declared by two joined parts", "keep it in one");
      out.properties = { ...out.properties, [name]: child };
    }
    for (const name of s.required ?? []) required.add(name);
    rules.push(...(s["x-kubernetes-validations"] ?? []));
    if (s["x-kubernetes-preserve-unknown-fields"] === true) out["x-kubernetes-preserve-unknown-fields"] = true;
  }
  if (required.size > 0) out.required = [...required];
  if (rules.length > 0) out["x-kubernetes-validations"] = rules;
  return out;
}

const types: readonly string[] = ["object", "array", "string", "integer", "number", "boolean"];

/** The rules of structural schemas that a declaration can break. */
export function checkStructural(s: Structural, path: string, complain: Complain): void {
  const free = s["x-kubernetes-int-or-string"] === true || s["x-kubernetes-preserve-unknown-fields"] === true;
  if (s.type === undefined && !free) complain(path, "has no type", "give it one, or use Anything()");
  if (s.type !== undefined && !types.includes(s.type))
    complain(path, `has the type ${s.type}`, `use one of ${types.join(", ")}`);
  if (s["x-kubernetes-int-or-string"] === true && s.type !== undefined) {
    complain(path, "is int-or-string and has a type", "leave the type out");
  }
  if (s.type === "array" && s.items === undefined) complain(path, "is a list without items", "say what its items are");
  if (s.type !== "object" && (s.properties !== undefined || s.additionalProperties !== undefined)) {
    complain(path, `has fields but the type ${s.type}`, "use the type object");
  }
  if (s.properties !== undefined && s.additionalProperties !== undefined) {
    complain(path, "has both named fields and free keys", "use one or the other");
  }
  for (const name of s.required ?? []) {
    if (s.properties?.[name] === undefined) complain(`${path}.${name}`, "is required but not declared", "declare it");
  }
  checkList(s, path, complain);
  if (s.pattern !== undefined) checkPattern(s.pattern, path, complain);
  for (const r of s["x-kubernetes-validations"] ?? []) {
    if (r.rule.trim() === "") complain(path, "has an empty CEL rule", "write the rule");
    if (r.message === "" || /[\r\n]/.test(r.message))
      complain(path, "has a CEL rule without a one-line message", "say what is wrong in one line");
  }
  if (s.default !== undefined) {
    const problem = misfit(s, s.default, "");
    if (problem !== undefined)
      complain(path, `has a default that its own schema refuses (${problem})`, "correct the default");
  }
  for (const [name, child] of Object.entries(s.properties ?? {})) checkStructural(child, `${path}.${name}`, complain);
  if (s.additionalProperties !== undefined) checkStructural(s.additionalProperties, `${path}{}`, complain);
  if (s.items !== undefined) checkStructural(s.items, `${path}[]`, complain);
}

function checkList(s: Structural, path: string, complain: Complain): void {
  const kind = s["x-kubernetes-list-type"];
  if (kind === undefined) return;
  if (s.type !== "array") complain(path, `is a list of type ${kind} but no list`, "use List, ListSet or ListMap");
  if (kind === "set" && s.items?.type === "object" && s.items["x-kubernetes-map-type"] !== "atomic") {
    complain(path, "is a set of objects", "use ListMap, or make the items atomic");
  }
  if (kind !== "atomic" && s.items?.nullable === true)
    complain(path, "has items that may be null", "leave Nullable out");
  if (kind !== "map") return;
  if (s.items?.type !== "object") complain(path, "is a list-map whose items are no objects", "use ListSet or List");
  for (const key of s["x-kubernetes-list-map-keys"] ?? []) {
    const field = s.items?.properties?.[key];
    if (field === undefined)
      complain(`${path}[].${key}`, "is a list-map key that does not exist", "declare it in the items");
    else if (field.type === "object" || field.type === "array" || field.type === undefined) {
      complain(`${path}[].${key}`, "is a list-map key that is no scalar", "use a text, a number or a flag");
    } else if (field.default === undefined && !s.items?.required?.includes(key)) {
      complain(`${path}[].${key}`, "is a list-map key that may be absent", "make it required or give it a default");
    }
  }
}

function checkPattern(pattern: string, path: string, complain: Complain): void {
  // The server uses RE2: what RE2 cannot do must not be asked for.
  if (/\(\?<?[=!]|\\[1-9]/.test(pattern)) {
    complain(
      path,
      `the pattern ${pattern} uses a look-around or a back-reference`,
      "RE2 has neither: write it without, or use a CEL rule",
    );
  }
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    complain(
      path,
      `the pattern ${pattern} does not compile (${error instanceof Error ? error.message : error})`,
      "correct it",
    );
  }
}

/** The schema at a plain dotted path, or undefined when there is none. Free-form parts answer for everything below. */
export function schemaAt(s: Structural, path: readonly string[]): Structural | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return s;
  const named = Object.hasOwn(s.properties ?? {}, head) ? s.properties?.[head] : undefined;
  const child = named ?? s.additionalProperties;
  if (child !== undefined) return schemaAt(child, rest);
  return s["x-kubernetes-preserve-unknown-fields"] === true ? s : undefined;
}
