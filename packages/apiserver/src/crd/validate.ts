// Whether a value fits its schema, in the words of the API server. Section 12.4. Not here: CEL rules, and what lies beyond the
// OpenAPI schema (lists.ts, embedded.ts).
import { deepEqual } from "@telltale/kinds";
import { RE2JS } from "re2js";
import { isObject, type Json, type JsonObject, stringify } from "../json.ts";
import { type FieldError, goQuote, required, shown, tooLong, tooMany } from "../status.ts";
import { isKnownFormat, stringFormat } from "./formats.ts";
import { bare, checkNumber, isNumber, numberKind, printed } from "./numbers.ts";
import { isUnchanged, type Old, oldItems, oldMember } from "./ratchet.ts";
import { itemsOf, propertyOf, type Schema } from "./schema.ts";

export interface ValidateOptions {
  /** What stands before every path; messages do not repeat it: `status.n: …: n in body must be …`. */
  readonly prefix?: string;
  /** The value before an update: what equals it passes. */
  readonly old?: Old;
}

/** Everything that is wrong, in the order of the server where that has one; members come in the order of the schema. */
export function validateValue(schema: Schema, value: Json, options: ValidateOptions = {}): FieldError[] {
  const out: Outcome = { errors: [], matched: 0 };
  check(schema, value, { name: "", prefix: options.prefix ?? "" }, out, options.old);
  return out.errors;
}

/** Where a value stands: `name` from the root of the schema, `prefix` before that. */
interface Place {
  readonly name: string;
  readonly prefix: string;
}

/** `matched` counts the checks that applied: of failed branches the one with the most is reported. */
interface Outcome {
  readonly errors: FieldError[];
  matched: number;
}

// A list of a million wrong items is told by its first ones: an answer of hundreds of megabytes serves nobody.
const enough = 10_000;

function check(schema: Schema, value: Json, place: Place, out: Outcome, old?: Old): void {
  if (out.errors.length >= enough || isUnchanged(schema, value, old)) return;
  out.errors.push(...checkType(schema, value, place));
  if (value === null) {
    out.errors.push(...checkEnum(schema, value, place));
    return;
  }
  out.matched += typesOf(schema).length > 0 || formatOf(schema) !== "" ? 1 : 0;
  checkBranches(schema, value, place, out);
  out.matched += 3; // branches, the kind of value and enum always apply
  if (typeof value === "string") out.errors.push(...checkString(schema, value, place));
  else if (isNumber(value)) {
    const types = typesOf(schema);
    const type = types.length === 1 ? types[0] : undefined;
    const said = (detail: string, about: Json = value) => invalidAt(place, about, detail);
    out.errors.push(...checkNumber(schema, type, formatOf(schema), value, place.name, said));
  } else if (Array.isArray(value)) checkItems(schema, value, place, old, out);
  out.errors.push(...checkEnum(schema, value, place));
  if (isObject(value)) checkMembers(schema, value, place, old, out);
}

// --- Type

function typesOf(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

/** The format, when the server knows it; unknown ones count as none. */
function formatOf(schema: Schema): string {
  return schema.format !== undefined && isKnownFormat(schema.format) ? schema.format : "";
}

function checkType(schema: Schema, value: Json, place: Place): FieldError[] {
  const types = typesOf(schema);
  const format = formatOf(schema);
  const wrong = (wanted: string, found: string) => [typeInvalid(place, found, wanted, found)];
  if (value === null) return types.length > 0 && schema.nullable !== true ? wrong(types.join(","), "null") : [];
  if (types.length === 0 && format === "") return [];
  const [type, valueFormat] = typeAndFormat(value);
  const near = isNumber(value) && numberKind(value) === "integer" && types.includes("number");
  const fitsType = types.includes(type) || near;
  const textual = typeof value === "string" || Array.isArray(value);
  if (format !== "" && !textual && !fitsType && format !== valueFormat) return wrong(format, valueFormat);
  // Upstream trusts the format's own check here, so a list passes as a formatted string.
  if (format !== "" && textual && !types.includes("number") && !types.includes("integer")) return [];
  // An int64 that does not fit is told by its format.
  if (format === "int64" && type === "number" && types.includes("integer")) return wrong("int64", "float64");
  return fitsType || types.length === 0 ? [] : wrong(types.join(","), type);
}

function typeAndFormat(value: Json): [type: string, format: string] {
  if (isNumber(value)) return numberKind(value) === "integer" ? ["integer", "int64"] : ["number", "float64"];
  if (Array.isArray(value)) return ["array", ""];
  return [typeof value, ""];
}

// --- Scalars

function checkString(schema: Schema, value: string, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { maxLength, minLength } = schema;
  const length = maxLength === undefined && minLength === undefined ? 0 : codePoints(value);
  if (maxLength !== undefined && length > maxLength) errors.push(tooLong(fieldOf(place), maxLength));
  else if (minLength !== undefined && length < minLength) {
    errors.push(invalidAt(place, value, `${place.name} in body should be at least ${minLength} chars long`));
  } else if (schema.pattern !== undefined && schema.pattern !== "" && !matches(schema.pattern, value)) {
    errors.push(invalidAt(place, value, `${place.name} in body should match '${schema.pattern}'`));
  }
  const format = schema.format === undefined ? undefined : stringFormat(schema.format);
  if (format !== undefined && !format(value)) errors.push(typeInvalid(place, value, schema.format ?? "", value));
  return errors;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const compiled = new Map<string, RE2JS>();

/** Whether an RE2 pattern is found in a text, in linear time. A pattern that does not compile matches nothing. */
function matches(pattern: string, text: string): boolean {
  let program = compiled.get(pattern);
  if (program === undefined) {
    try {
      program = RE2JS.compile(pattern);
    } catch {
      return false;
    }
    if (compiled.size >= 10_000) compiled.clear();
    compiled.set(pattern, program);
  }
  return program.matcher(text).find();
}

function checkEnum(schema: Schema, value: Json, place: Place): FieldError[] {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return [];
  // Null is refused even where it is listed.
  if (value !== null && allowed.some((one) => deepEqual(one, value))) return [];
  const words = allowed.map((one) => (typeof one === "string" ? one : stringify(one)));
  const body = `Unsupported value: ${seen(value)}: supported values: ${words.map(goQuote).join(", ")}`;
  return [{ type: "FieldValueNotSupported", field: fieldOf(place), body }];
}

// --- Lists and objects

function checkItems(schema: Schema, list: Json[], place: Place, old: Old, out: Outcome): void {
  const items = itemsOf(schema);
  if (items !== undefined) {
    const before = oldItems(schema, list, old);
    for (const [i, item] of list.entries()) check(items, item, inside(place, `${place.name}[${i}]`), out, before[i]);
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && list.length < minItems) {
    out.errors.push(invalidAt(place, list.length, `${place.name} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) out.errors.push(tooMany(fieldOf(place), list.length, maxItems));
}

function checkMembers(schema: Schema, object: JsonObject, place: Place, old: Old, out: Outcome): void {
  const { minProperties, maxProperties, additionalProperties } = schema;
  const names = Object.keys(object);
  if (minProperties !== undefined && names.length < minProperties) {
    out.errors.push(
      invalidAt(place, names.length, `${place.name} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    out.errors.push(tooMany(fieldOf(place), names.length, maxProperties));
  }
  if (additionalProperties !== undefined && additionalProperties !== true) {
    for (const name of names) {
      if (propertyOf(schema, name) !== undefined) continue;
      const there = `${place.name}.${name}`;
      if (additionalProperties === false)
        out.errors.push(invalidAt(place, name, `${there} in body is a forbidden property`));
      else check(additionalProperties, object[name] ?? null, inside(place, there), out, oldMember(old, name));
    }
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(object, name)) continue;
    const there = place.name === "" ? name : `${place.name}.${name}`;
    check(child, object[name] ?? null, inside(place, there), out, oldMember(old, name));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(object, name)) out.errors.push(required(fieldOf(inside(place, `${place.name}.${name}`))));
  }
}

// --- Branches

/** anyOf, oneOf, allOf, not. Nothing is ratcheted inside them. */
function checkBranches(schema: Schema, value: Json, place: Place, out: Outcome): void {
  const said = (detail: string) => bare(`${goQuote(place.name)} ${detail}`);
  const attempt = (branch: Schema): Outcome => {
    const tried: Outcome = { errors: [], matched: 0 };
    check(branch, value, place, tried);
    return tried;
  };
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const tried = schema.anyOf.map(attempt);
    if (tried.every(failed)) {
      out.errors.push(said("must validate at least one schema (anyOf)"));
      merge(out, closest(tried));
    }
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const tried = schema.oneOf.map(attempt);
    const valid = tried.filter((t) => !failed(t)).length;
    if (valid !== 1) {
      const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
      out.errors.push(said(`must validate one and only one schema (oneOf). ${found}`));
      if (valid === 0) merge(out, closest(tried));
    }
  }
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    const tried = schema.allOf.map(attempt);
    for (const one of tried) merge(out, one);
    if (tried.some(failed)) {
      out.errors.push(said(`must validate all the schemas (allOf)${tried.every(failed) ? ". None validated" : ""}`));
    }
  }
  if (schema.not !== undefined && !failed(attempt(schema.not))) {
    out.errors.push(said("must not validate the schema (not)"));
  }
}

const failed = (outcome: Outcome): boolean => outcome.errors.length > 0;

/** Of failed branches the one where the most checks applied, the first of several. */
function closest(tried: readonly Outcome[]): Outcome | undefined {
  return tried.reduce<Outcome | undefined>(
    (best, t) => (best === undefined || t.matched > best.matched ? t : best),
    undefined,
  );
}

function merge(into: Outcome, from: Outcome | undefined): void {
  if (from === undefined) return;
  for (const error of from.errors) into.errors.push(error);
  into.matched += from.matched;
}

// --- Errors

const inside = (place: Place, name: string): Place => ({ name, prefix: place.prefix });

/** The path of an error: the name without a leading dot, after the prefix. */
function fieldOf({ name, prefix }: Place): string {
  const path = name.replace(/^\./, "");
  if (path === "") return prefix;
  return prefix === "" ? path : `${prefix}.${path}`;
}

function invalidAt(place: Place, value: Json, detail: string): FieldError {
  return { type: "FieldValueInvalid", field: fieldOf(place), body: `Invalid value: ${seen(value)}: ${detail}` };
}

/** A value in a message; floats as Go prints them. */
function seen(value: Json): string {
  return isNumber(value) && numberKind(value) === "float" ? printed(Number(value)) : shown(value);
}

function typeInvalid(place: Place, value: string, wanted: string, found: string): FieldError {
  const body = `Invalid value: ${goQuote(value)}: ${place.name} in body must be of type ${wanted}: ${goQuote(found)}`;
  return { type: "FieldValueTypeInvalid", field: fieldOf(place), body };
}
