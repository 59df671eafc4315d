// From a TypeBox schema to the structural OpenAPI schema that a CRD holds, and the rules that such a schema must keep.
// A schema that the API server would refuse is refused here, with the kind and the field in the message.
import type { Complain } from "./errors.ts";
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
  "type", "format", "description", "default", "enum", "nullable", "minimum", "maximum", "multipleOf", "minLength",
  "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations",
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
  const node = schema as Loose;
  for (const [key, fix] of Object.entries(refused)) {
    if (node[key] !== undefined && node[key] !== false) complain(path, `"${key}" is not allowed in a CRD`, fix);
  }
  const union = flattenUnion(node, path, complain);
  if (union !== undefined) return union;
  if (Array.isArray(node["allOf"]) && node["type"] === undefined && node["x-kubernetes-int-or-string"] !== true) {
    return merge(node, node["allOf"] as TSchema[], path, complain);
  }
  const out: Structural = {};
  const fields = out as Loose;
  for (const key of copied) if (node[key] !== undefined) fields[key] = node[key];
  if (node["const"] !== undefined) {
    out.enum = [node["const"]];
    out.type = typeof node["const"] === "string" ? "string" : typeof node["const"];
  }
  if (Array.isArray(out.enum) && out.type === undefined) out.type = typeOfAll(out.enum);
  const pattern = node["pattern"];
  if (pattern instanceof RegExp) out.pattern = pattern.source;
  else if (typeof pattern === "string") out.pattern = pattern;
  bound(node, out, "exclusiveMinimum", "minimum");
  bound(node, out, "exclusiveMaximum", "maximum");
  for (const key of ["anyOf", "oneOf"] as const) {
    if (Array.isArray(node[key])) out[key] = (node[key] as Structural[]).map((branch) => ({ ...branch }));
  }
  if (node["not"] !== undefined) out.not = node["not"] as Structural;
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
  if (node["items"] !== undefined) out.items = toStructural(node["items"] as TSchema, `${path}[]`, complain);
  if (Object.keys(out).filter((key) => key !== "description" && key !== "default").length === 0) {
    out["x-kubernetes-preserve-unknown-fields"] = true; // TypeBox's Any and Unknown
  }
  return out;
}

function mapValue(node: Loose): TSchema | undefined {
  if (typeof node["additionalProperties"] === "object") return node["additionalProperties"] as TSchema;
  const patterns = node["patternProperties"];
  return typeof patterns === "object" && patterns !== null ? (Object.values(patterns)[0] as TSchema) : undefined;
}

/** JSON Schema gives the exclusive bound itself, OpenAPI 3.0 a flag on the plain bound. */
function bound(node: Loose, out: Structural, key: "exclusiveMinimum" | "exclusiveMaximum", plain: "minimum" | "maximum") {
  if (typeof node[key] === "number") {
    out[plain] = node[key];
    out[key] = true;
  }
}

function typeOfAll(values: readonly unknown[]): string {
  if (values.every((v) => typeof v === "string")) return "string";
  if (values.every((v) => Number.isInteger(v))) return "integer";
  return values.every((v) => typeof v === "number") ? "number" : "boolean";
}

/** A union of literals is an enum, a union with null is nullable; any other union has no structural form. */
function flattenUnion(node: Loose, path: string, complain: Complain): Structural | undefined {
  const branches = node["anyOf"];
  if (!Array.isArray(branches) || node["type"] !== undefined || node["x-kubernetes-int-or-string"] === true) return;
  const rest = branches.filter((b: Loose) => b["type"] !== "null");
  const outer: Structural = rest.length < branches.length ? { nullable: true } : {};
  if (typeof node["description"] === "string") outer.description = node["description"];
  if (node["default"] !== undefined) outer.default = node["default"];
  const words = rest.map((b: Loose) => b["const"]);
  if (words.every((w) => w !== undefined)) return { type: typeOfAll(words), enum: words, ...outer };
  const only = rest[0];
  if (rest.length === 1 && only !== undefined) return { ...toStructural(only, path, complain), ...outer };
  return complain(path, "a union of different shapes is not structural", "use one object with optional fields and a CEL rule, or Anything()");
}

/** Fragments joined with Intersect become one object. */
function merge(node: Loose, parts: TSchema[], path: string, complain: Complain): Structural {
  const out: Structural = { type: "object", properties: {} };
  if (typeof node["description"] === "string") out.description = node["description"];
  const required = new Set<string>();
  const rules: Rule[] = [...((node["x-kubernetes-validations"] as Rule[] | undefined) ?? [])];
  for (const part of parts) {
    const s = toStructural(part, path, complain);
    if (s.type !== "object") complain(path, "only objects can be joined", "give each part of Intersect the type object");
    for (const [name, child] of Object.entries(s.properties ?? {})) {
      if (out.properties?.[name] !== undefined) complain(`${path}.${name}`, "is declared by two joined parts", "keep it in one");
      out.properties = { ...out.properties, [name]: child };
    }
    for (const name of s.required ?? []) required.add(name);
    rules.push(...(s["x-kubernetes-validations"] ?? []));
  }
  if (required.size > 0) out.required = [...required];
  if (rules.length > 0) out["x-kubernetes-validations"] = rules;
  return out;
}

/** The rules of structural schemas that a declaration can break. */
export function checkStructural(s: Structural, path: string, complain: Complain): void {
  const free = s["x-kubernetes-int-or-string"] === true || s["x-kubernetes-preserve-unknown-fields"] === true;
  if (s.type === undefined && !free) complain(path, "has no type", "give it one, or use Anything()");
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
    if (r.message === "" || /[\r\n]/.test(r.message)) complain(path, "has a CEL rule without a one-line message", "say what is wrong in one line");
  }
  if (s.default !== undefined) {
    const problem = misfit(s, s.default, "");
    if (problem !== undefined) complain(path, `has a default that its own schema refuses (${problem})`, "correct the default");
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
  if (kind !== "map") return;
  if (s.items?.type !== "object") complain(path, "is a list-map whose items are no objects", "use ListSet or List");
  for (const key of s["x-kubernetes-list-map-keys"] ?? []) {
    const field = s.items?.properties?.[key];
    if (field === undefined) complain(`${path}[].${key}`, "is a list-map key that does not exist", "declare it in the items");
    else if (field.default === undefined && !s.items?.required?.includes(key)) {
      complain(`${path}[].${key}`, "is a list-map key that may be absent", "make it required or give it a default");
    }
  }
}

function checkPattern(pattern: string, path: string, complain: Complain): void {
  // The server uses RE2: what RE2 cannot do must not be asked for.
  if (/\(\?<?[=!]|\\[1-9]/.test(pattern)) {
    complain(path, `the pattern ${pattern} uses a look-around or a back-reference`, "RE2 has neither: write it without, or use a CEL rule");
  }
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    complain(path, `the pattern ${pattern} does not compile (${error instanceof Error ? error.message : error})`, "correct it");
  }
}

/** The first way in which a value does not fit a schema, or undefined. Enough for defaults; not the API server's validation. */
export function misfit(s: Structural, value: unknown, at: string): string | undefined {
  const here = at === "" ? "it" : at;
  if (value === null) return s.nullable === true ? undefined : `${here} is null`;
  if (s["x-kubernetes-int-or-string"] === true) {
    return Number.isInteger(value) || typeof value === "string" ? undefined : `${here} is neither integer nor string`;
  }
  if (s.type !== undefined && !fitsType(s.type, value)) return `${here} is not of type ${s.type}`;
  if (s.enum !== undefined && !s.enum.includes(value)) return `${here} is not one of ${s.enum.join(", ")}`;
  if (typeof value === "number") {
    if (s.minimum !== undefined && value < s.minimum) return `${here} is below ${s.minimum}`;
    if (s.maximum !== undefined && value > s.maximum) return `${here} is above ${s.maximum}`;
  }
  if (typeof value === "string") {
    if (s.maxLength !== undefined && value.length > s.maxLength) return `${here} is longer than ${s.maxLength}`;
    if (s.minLength !== undefined && value.length < s.minLength) return `${here} is shorter than ${s.minLength}`;
    if (s.pattern !== undefined && !new RegExp(s.pattern, "u").test(value)) return `${here} does not match ${s.pattern}`;
  }
  if (Array.isArray(value)) {
    if (s.maxItems !== undefined && value.length > s.maxItems) return `${here} has more than ${s.maxItems} items`;
    for (const [i, item] of value.entries()) {
      const problem = s.items && misfit(s.items, item, `${at}[${i}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  return typeof value === "object" ? misfitObject(s, value as Loose, at) : undefined;
}

function misfitObject(s: Structural, value: Loose, at: string): string | undefined {
  for (const name of s.required ?? []) {
    if (value[name] === undefined && s.properties?.[name]?.default === undefined) return `${at}.${name} is missing`;
  }
  for (const [name, member] of Object.entries(value)) {
    const child = s.properties?.[name] ?? s.additionalProperties;
    if (child === undefined) {
      if (s["x-kubernetes-preserve-unknown-fields"] === true) continue;
      return `${at}.${name} is not a field`;
    }
    const problem = misfit(child, member, `${at}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fitsType(type: string, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** The schema at a plain dotted path, or undefined when there is none. Free-form parts answer for everything below. */
export function schemaAt(s: Structural, path: readonly string[]): Structural | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return s;
  const child = s.properties?.[head] ?? s.additionalProperties;
  if (child !== undefined) return schemaAt(child, rest);
  return s["x-kubernetes-preserve-unknown-fields"] === true ? s : undefined;
}
