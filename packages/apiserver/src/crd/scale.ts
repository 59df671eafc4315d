// The replica counts that a CRD's scale subresource points to, as far as every write must keep them. Section 10.2.
import { isObject, type Json, type JsonObject } from "../json.ts";
import { type FieldError, invalidField } from "../status.ts";
import { isNumber, numberKind, printed } from "./numbers.ts";
import type { ScalePaths } from "./version.ts";

export function validateScaleSpec(scale: ScalePaths | undefined, object: JsonObject): FieldError[] {
  return scale === undefined ? [] : checkReplicas(scale.specReplicasPath, object);
}

export function validateScaleStatus(scale: ScalePaths | undefined, object: JsonObject): FieldError[] {
  if (scale === undefined) return [];
  const errors = checkReplicas(scale.statusReplicasPath, object);
  const path = scale.labelSelectorPath;
  if (path === undefined) return errors;
  const found = follow(path, object);
  if ("refused" in found) return [...errors, invalidField(path, "", found.refused)];
  if (found.value === undefined || typeof found.value === "string") return errors;
  return [...errors, invalidField(path, "", mistyped(path, found.value, "string"))];
}

function checkReplicas(path: string, object: JsonObject): FieldError[] {
  const found = follow(path, object);
  if ("refused" in found) return [invalidField(path, 0, found.refused)];
  const { value } = found;
  if (value === undefined) return [];
  if (!isNumber(value) || numberKind(value) !== "integer")
    return [invalidField(path, 0, mistyped(path, value, "int64"))];
  if (value < 0) return [invalidField(path, value, "should be a non-negative integer")];
  return value > 2147483647 ? [invalidField(path, value, "should be less than or equal to 2147483647")] : [];
}

/** The value at a dotted path. What is missing or null on the way leads nowhere; anything else but an object is an error. */
function follow(path: string, object: JsonObject): { value: Json | undefined } | { refused: string } {
  const names = path.replace(/^\./, "").split(".");
  let here: Json = object;
  for (const [i, name] of names.entries()) {
    if (here === null) return { value: undefined };
    if (!isObject(here))
      return { refused: mistyped(`.${names.slice(0, i + 1).join(".")}`, here, "map[string]interface{}") };
    const next: Json | undefined = Object.hasOwn(here, name) ? here[name] : undefined;
    if (next === undefined) return { value: undefined };
    here = next;
  }
  return { value: here };
}

const mistyped = (path: string, value: Json, wanted: string): string =>
  `${path} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${wanted}`;

/** A value as Go's `%v` prints it. */
function goValue(value: Json): string {
  if (value === null) return "<nil>";
  if (isNumber(value)) return numberKind(value) === "integer" ? String(value) : printed(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goValue(value[name] ?? null)}`);
  return `map[${members.join(" ")}]`;
}

function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (isNumber(value)) return numberKind(value) === "integer" ? "int64" : "float64";
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : "string";
}
