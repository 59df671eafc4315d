// What a CRD's schema may say, keyword by keyword. Section 12.2. Whether it is structural is in structural.ts, whether its defaults
// fit in default-check.ts.
import { type Json, stringify } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, notSupported, required } from "../status.ts";
import { checkDefaults } from "./default-check.ts";
import { allowedAtRoot, goJson, internalSchema, notAllowedAtRoot } from "./internal-form.ts";
import { isTuple, itemsOf, propertyOf, type Schema, typeMembers, valuesOf } from "./schema.ts";
import { checkStructural, unreadable } from "./structural.ts";

/** What CEL finds wrong with the rules of a whole schema; `path` is that of its root. */
export type CheckSchemaRules = (schema: Schema, path: string) => FieldError[];

/** Everything that is wrong with the schema of a version. */
export function checkSchema(
  schema: Schema,
  path: string,
  options: { readonly statusEnabled: boolean; readonly checkRules?: CheckSchemaRules },
): FieldError[] {
  const errors = options.statusEnabled ? checkRootKeywords(schema, path) : [];
  if (schema.nullable === true) errors.push(forbiddenField(`${path}.nullable`, "nullable cannot be true at the root"));
  const why = unreadable(schema);
  const structure = why === undefined ? checkStructural(schema, path) : [];
  const defaults = why === undefined && structure.length === 0 ? checkDefaults(schema, path) : [];
  errors.push(
    ...structure,
    ...defaults,
    ...checkKeywords(schema, path, { root: true, inMeta: false, noDefaults: undefined }),
  );
  if (errors.length === 0 && why !== undefined) return [invalidField(path, "", why)];
  if (structure.length > 0 || defaults.length > 0 || why !== undefined) return errors;
  return [...errors, ...(options.checkRules?.(schema, path) ?? [])];
}

function checkRootKeywords(schema: Schema, path: string): FieldError[] {
  // The edge between the typed schema and the JSON that it is.
  const json = schema as unknown as Json;
  const type = schema.type ?? "";
  const when = "if the status subresource is enabled";
  if (type !== "" && type !== "object") {
    return [
      invalidField(`${path}.type`, type, `only "object" is allowed as the type at the root of the schema ${when}`),
    ];
  }
  if (notAllowedAtRoot(json) === undefined) return [];
  const shown = goJson(stringify(internalSchema(json)));
  const detail = `only [${allowedAtRoot}] fields are allowed at the root of the schema ${when}`;
  return [{ type: "FieldValueInvalid", field: path, body: `Invalid value: ${shown}: ${detail}` }];
}

interface Context {
  readonly root: boolean;
  /** Inside the metadata of the object or of an embedded one. */
  readonly inMeta: boolean;
  /** Why defaults are not allowed here. */
  readonly noDefaults: string | undefined;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupported = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
] as const satisfies readonly (keyof Schema)[];

function checkKeywords(s: Schema, path: string, context: Context): FieldError[] {
  const errors = checkOwn(s, path, context);
  const below: Context = { ...context, root: false };
  const values = valuesOf(s);
  if (s.uniqueItems === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbiddenField(`${path}.uniqueItems`, detail));
  }
  if (s.additionalProperties !== undefined) {
    const named = Object.keys(s.properties ?? {}).length > 0;
    if (named && s.additionalProperties !== true) {
      errors.push(
        forbiddenField(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"),
      );
    }
    const inner = context.inMeta
      ? { ...below, noDefaults: "inside additionalProperties applying to object metadata" }
      : below;
    if (values !== undefined) errors.push(...checkKeywords(values, `${path}.additionalProperties`, inner));
  }
  for (const [name, child] of Object.entries(s.properties ?? {})) {
    const isMeta = (context.root || s["x-kubernetes-embedded-resource"] === true) && typeMembers.has(name);
    const noDefaults = isMeta && context.root ? `in top-level ${name}` : below.noDefaults;
    errors.push(
      ...checkKeywords(child, `${path}.properties[${name}]`, { ...below, inMeta: below.inMeta || isMeta, noDefaults }),
    );
  }
  if (s.not !== undefined) errors.push(...checkKeywords(s.not, `${path}.not`, below));
  for (const name of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [i, branch] of (s[name] ?? []).entries())
      errors.push(...checkKeywords(branch, `${path}.${name}[${i}]`, below));
  }
  const items = itemsOf(s);
  if (items !== undefined) errors.push(...checkKeywords(items, `${path}.items`, below));
  return [...errors, ...checkExtensions(s, path), ...checkKeysAndSets(s, path)];
}

function checkOwn(s: Schema, path: string, context: Context): FieldError[] {
  const errors: FieldError[] = [];
  const type = s.type ?? "";
  if (type !== "" && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types));
  if (s.default !== undefined && s.default !== null && context.noDefaults !== undefined) {
    errors.push(forbiddenField(`${path}.default`, `must not be set ${context.noDefaults}`));
  }
  for (const name of unsupported) {
    const value = s[name];
    const empty = value === undefined || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
    if (!empty || (name === "additionalItems" && value !== undefined)) {
      errors.push(forbiddenField(`${path}.${name}`, `${name} is not supported`));
    }
  }
  if (type === "null") {
    errors.push(forbiddenField(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (s.items !== undefined && isTuple(s.items)) {
    errors.push(forbiddenField(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (context.inMeta && s["x-kubernetes-embedded-resource"] === true) {
    errors.push(forbiddenField(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  return errors;
}

function checkExtensions(s: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = s.type ?? "";
  const wantType = (detail: string) =>
    type === "" ? required(`${path}.type`, detail) : invalidField(`${path}.type`, type, detail);
  if (s["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalidField(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  const mapType = s["x-kubernetes-map-type"];
  if (mapType !== undefined && type !== "object") {
    errors.push(wantType("must be object if x-kubernetes-map-type is specified"));
  }
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  const listType = s["x-kubernetes-list-type"];
  if (listType !== undefined && type !== "array") {
    errors.push(wantType("must be array if x-kubernetes-list-type is specified"));
  } else if (listType === "set") errors.push(...checkSetItems(itemsOf(s), `${path}.items`));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
  return errors;
}

function checkSetItems(items: Schema | undefined, path: string): FieldError[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  const mapType = items?.["x-kubernetes-map-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalidField(`${path}.x-kubernetes-list-type`, listType, detail)];
  }
  if (items?.type === "object" && mapType !== "atomic") {
    return [invalidField(`${path}.x-kubernetes-map-type`, mapType ?? null, detail)];
  }
  return [];
}

function checkKeysAndSets(s: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const listType = s["x-kubernetes-list-type"];
  const keys = s["x-kubernetes-list-map-keys"] ?? [];
  const onlyMap = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (keys.length > 0 && listType === undefined) errors.push(required(`${path}.x-kubernetes-list-type`, onlyMap));
  else if (keys.length > 0 && listType !== "map") {
    errors.push(invalidField(`${path}.x-kubernetes-list-type`, listType, onlyMap));
  }
  const items = itemsOf(s);
  if (listType === "map") errors.push(...checkMapKeys(s, items, keys, path));
  if (items === undefined || (listType !== "set" && listType !== "map")) return errors;
  if (items.nullable === true) {
    errors.push(
      forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  if (listType === "set") return errors;
  const why = "this property is in x-kubernetes-list-map-keys, so it";
  for (const key of keys) {
    const field = propertyOf(items, key);
    if (field === undefined) continue;
    const there = `${path}.items.properties[${key}]`;
    const always = items.required?.includes(key) === true || (field.default !== undefined && field.default !== null);
    if (!always) errors.push(required(`${there}.default`, `${why} must have a default or be a required property`));
    if (field.nullable === true) errors.push(forbiddenField(`${there}.nullable`, `${why} cannot be nullable`));
  }
  return errors;
}

function checkMapKeys(s: Schema, items: Schema | undefined, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(keysPath, "must not be empty if x-kubernetes-list-type is map"));
  if (s.items === undefined)
    errors.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
  if (items === undefined) return errors;
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidField(`${path}.items.type`, items.type ?? "", detail)];
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const field = propertyOf(items, key);
    if (field === undefined)
      errors.push(invalidField(keysPath, [...keys], "entries must all be names of item properties"));
    else if (field.type === "array" || field.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidField(`${path}.items.properties[${key}].type`, field.type, detail));
    }
    if (seen.has(key)) errors.push(invalidField(keysPath, [...keys], "must not contain duplicate entries"));
    seen.add(key);
  }
  return errors;
}
