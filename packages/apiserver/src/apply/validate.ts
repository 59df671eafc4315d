// Whether a value is of its type, with the messages of the real server. Values that the schema's own rules refuse
// (required, enum, CEL …) are not found here.
import { isObject, type Json } from "../json.ts";
import { goQuote } from "../status.ts";
import { fieldStep, type Step, shownStep } from "./fieldset.ts";
import type { ListSchema, MapSchema, ScalarSchema, TypedSchema } from "./schema.ts";
import { atomOf, itemStep, memberSchema } from "./value.ts";

/** What is wrong, one text a problem: `.spec.foo: field not declared in schema`. Live objects may hold duplicates. */
export function validateTyped(
  value: Json,
  schema: TypedSchema,
  duplicates: "allowed" | "refused" = "refused",
): string[] {
  const problems: string[] = [];
  check(value, schema, "", { duplicates, problems });
  return problems;
}

/** Several problems as one text. */
export const problemText = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] ?? "") : ["errors:", ...problems.map((p) => `  ${p}`)].join("\n");

interface Findings {
  readonly duplicates: "allowed" | "refused";
  readonly problems: string[];
}

function check(value: Json, schema: TypedSchema, path: string, found: Findings): void {
  if (value === null) return;
  const atom = atomOf(schema, value);
  const problem = mismatch(value, atom.of === "scalar" ? atom : atom.of);
  if (problem !== undefined) found.problems.push(at(path, problem));
  else if (atom.of === "list" && Array.isArray(value)) checkItems(value, atom, path, found);
  else if (atom.of === "map" && isObject(value)) checkMembers(value, atom, path, found);
}

const at = (path: string, problem: string): string => (path === "" ? problem : `${path}: ${problem}`);

function mismatch(value: Json, wanted: ScalarSchema | "list" | "map"): string | undefined {
  if (wanted === "list") return Array.isArray(value) ? undefined : `expected list, got &{${goValue(value)}}`;
  if (wanted === "map") return isObject(value) ? undefined : `expected map, got &{${goValue(value)}}`;
  const number = typeof value === "number" || typeof value === "bigint";
  switch (wanted.scalar) {
    case "numeric":
      return number ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case "untyped":
      return typeof value === "object" ? `expected any scalar, got &{${goValue(value)}}` : undefined;
  }
}

function checkItems(items: readonly Json[], list: ListSchema, path: string, found: Findings): void {
  const seen = new Set<Step>();
  for (const [i, item] of items.entries()) {
    if (list.merge === "atomic") {
      check(item, list.item(), `${path}[${i}]`, found);
      continue;
    }
    const step = itemStep(list, item);
    if (step === undefined) {
      found.problems.push(at(path, `element ${i}: ${unfit(list, item)}`));
      continue;
    }
    const shown = shownStep(step);
    if (seen.has(step) && found.duplicates === "refused")
      found.problems.push(at(path, `duplicate entries for key ${shown}`));
    seen.add(step);
    check(item, list.item(), `${path}${shown}`, found);
  }
}

function unfit(list: ListSchema, item: Json): string {
  if (list.merge === "map") {
    return `associative list with keys may not have ${item === null ? "a null element" : "non-map elements"}`;
  }
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(item)) return "not supported: associative list with lists as elements";
  return "associative list without keys has an element that's a map type";
}

function checkMembers(value: { readonly [name: string]: Json }, map: MapSchema, path: string, found: Findings): void {
  for (const name of Object.keys(value).sort()) {
    const schema = memberSchema(map, name);
    const below = `${path}${shownStep(fieldStep(name))}`;
    if (schema === undefined) {
      found.problems.push(at(below, "field not declared in schema"));
      return; // the real server stops at the first one of a struct
    }
    check(value[name] ?? null, schema, below, found);
  }
}

function goType(value: Json): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

/** A value as Go's `%#v` prints it. */
function goSyntax(value: Json): string {
  if (typeof value === "string") return goQuote(value);
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value).sort();
  return `map[string]interface {}{${members.map((n) => `${goQuote(n)}:${goSyntax(value[n] ?? null)}`).join(", ")}}`;
}

/** A value as Go's `%v` prints it. */
function goValue(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((n) => `${n}:${goValue(value[n] ?? null)}`).join(" ")}]`;
}
