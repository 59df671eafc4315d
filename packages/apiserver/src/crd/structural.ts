// What makes a schema structural: every node has a type, and what stands inside allOf, anyOf, oneOf and not only restricts.
// Section 12.2.
import { deepEqual } from "@telltale/kinds";
import { RE2JS } from "re2js";
import { type FieldError, forbiddenField, invalidField, required } from "../status.ts";
import { isTuple, itemsOf, propertyOf, type Schema, valuesOf } from "./schema.ts";

/** Everything that is not structural, sorted by its text as the server does. */
export function checkStructural(schema: Schema, path: string): FieldError[] {
  const text = (e: FieldError) => `${e.field}: ${e.body}`;
  return checkNode(schema, "root", path).sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Why a schema cannot even be read as a structural one, in the words of the server. */
export function unreadable(schema: Schema): string | undefined {
  const bad = unsupported.find((name) => schema[name] !== undefined && schema[name] !== "");
  if (bad !== undefined) return `OpenAPIV3Schema '${bad.replace("$", "")}' is not supported`;
  if (schema.items !== undefined && isTuple(schema.items))
    return "OpenAPIV3Schema 'items' must be an object, but is an array";
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...[valuesOf(schema), itemsOf(schema), schema.not].filter((s) => s !== undefined),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  for (const child of inner) {
    const why = unreadable(child);
    if (why !== undefined) return why;
  }
  return undefined;
}

const unsupported = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
  "externalDocs",
  "example",
] as const;

type Level = "root" | "item" | "field";

const missingType: Record<Level, string> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkNode(s: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = s.type ?? "";
  const items = itemsOf(s);
  const values = valuesOf(s);
  const intOrString = s["x-kubernetes-int-or-string"] === true;
  const free = s["x-kubernetes-preserve-unknown-fields"] === true;
  const embedded = s["x-kubernetes-embedded-resource"] === true;
  if (type === "array" && s.items === undefined) errors.push(required(`${path}.items`, "must be specified"));
  if (items !== undefined) errors.push(...checkNode(items, "item", `${path}.items`));
  for (const [name, child] of Object.entries(s.properties ?? {})) {
    errors.push(...checkNode(child, "field", `${path}.properties[${name}]`));
  }
  if (values !== undefined) errors.push(...checkNode(values, "field", `${path}.additionalProperties`));
  if (level === "root" && s.additionalProperties !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, "must not be used at the root"));
  }
  for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (intOrString && s[name] === true) {
      errors.push(invalidField(`${path}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
    }
  }
  errors.push(...checkValueRules(s, path, intOrString));
  const objectWanted = "must be object if x-kubernetes-embedded-resource is true";
  if (embedded && type === "") errors.push(required(`${path}.type`, objectWanted));
  else if (embedded && type !== "object") errors.push(invalidField(`${path}.type`, type, objectWanted));
  else if (type === "" && !intOrString && !free) errors.push(required(`${path}.type`, missingType[level]));
  if (embedded && s.additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbiddenField(`${path}.additionalProperties`, detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalidField(`${path}.type`, type, "must be object at the root"));
  }
  errors.push(...checkTypeMembers(s, level, path, level === "root" || embedded));
  if (embedded && !free && Object.keys(s.properties ?? {}).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, detail));
  }
  return errors;
}

/** apiVersion, kind and metadata of a resource: the first two are strings, of the last only the name may be restricted. */
function checkTypeMembers(s: Schema, level: Level, path: string, resource: boolean): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const child = propertyOf(s, name);
    if (resource && child !== undefined && child.type !== "string") {
      errors.push(invalidField(`${path}.properties[${name}].type`, child.type ?? "", "must be string"));
    }
  }
  const metadata = propertyOf(s, "metadata");
  if (metadata === undefined) return errors;
  const there = `${path}.properties[metadata]`;
  if (resource && metadata.type !== "object") {
    errors.push(invalidField(`${there}.type`, metadata.type ?? "", "must be object"));
  }
  if (level !== "root") return errors;
  const { type: _type, default: _default, properties, ...rest } = metadata;
  const onlyNames = Object.keys(properties ?? {}).every((name) => name === "name" || name === "generateName");
  if (!onlyNames || !deepEqual(rest, {})) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbiddenField(there, detail));
  }
  return errors;
}

// --- Restrictions of values, and what may not stand in them

function checkValueRules(s: Schema, path: string, intOrString: boolean): FieldError[] {
  // The two ways to write int-or-string may name types where nothing else may.
  const skipAny = intOrString && isEitherType(s.anyOf);
  const [first] = s.allOf ?? [];
  const skipFirst = intOrString && first !== undefined && isEitherType(first.anyOf);
  const errors: FieldError[] = [];
  if (!skipAny)
    for (const [i, branch] of (s.anyOf ?? []).entries()) errors.push(...checkBranch(branch, `${path}.anyOf[${i}]`));
  for (const [i, branch] of (s.allOf ?? []).entries()) {
    errors.push(...checkBranch(branch, `${path}.allOf[${i}]`, i === 0 && skipFirst));
  }
  for (const [i, branch] of (s.oneOf ?? []).entries()) errors.push(...checkBranch(branch, `${path}.oneOf[${i}]`));
  if (s.not !== undefined) errors.push(...checkBranch(s.not, `${path}.not`));
  if (s.pattern !== undefined && s.pattern !== "") errors.push(...checkPattern(s.pattern, `${path}.pattern`));
  return errors;
}

function isEitherType(branches: readonly Schema[] | undefined): boolean {
  return deepEqual(branches, [{ type: "integer" }, { type: "string" }]);
}

const forbiddenInBranch: readonly [name: keyof Schema, words: string][] = [
  ["type", "empty"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
];

function checkBranch(s: Schema, path: string, skipAny = false): FieldError[] {
  const errors = checkValueRules(skipAny ? withoutAnyOf(s) : s, path, false);
  const items = itemsOf(s);
  if (items !== undefined) errors.push(...checkBranch(items, `${path}.items`));
  for (const [name, child] of Object.entries(s.properties ?? {})) {
    errors.push(...checkBranch(child, `${path}.properties[${name}]`));
  }
  for (const [name, words] of forbiddenInBranch) {
    if (isSet(s[name])) errors.push(forbiddenField(`${path}.${name}`, `must be ${words} to be structural`));
  }
  if (valuesOf(s) !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, "must be undefined to be structural"));
  }
  if (propertyOf(s, "metadata") !== undefined) {
    errors.push(forbiddenField(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return errors;
}

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

function withoutAnyOf(s: Schema): Schema {
  const { anyOf: _anyOf, ...rest } = s;
  return rest;
}

function checkPattern(pattern: string, path: string): FieldError[] {
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : String(problem);
    return [invalidField(path, pattern, `must be a valid regular expression, but isn't: ${why}`)];
  }
}
