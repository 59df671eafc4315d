// Whether a value fits a structural schema. Enough for defaults and tests; not the API server's validation.
import type { Structural } from "./structural.ts";

type Loose = Record<string, unknown>;

/** The first way in which a value does not fit a schema, or undefined. */
export function misfit(s: Structural, value: unknown, at: string): string | undefined {
  const here = at === "" ? "it" : at;
  if (value === null) return s.nullable === true ? undefined : `${here} is null`;
  if (s["x-kubernetes-int-or-string"] === true && !Number.isInteger(value) && typeof value !== "string") {
    return `${here} is neither integer nor string`;
  }
  if (s.type !== undefined && !fitsType(s.type, value)) return `${here} is not of type ${s.type}`;
  if (s.enum !== undefined && !s.enum.includes(value)) return `${here} is not one of ${s.enum.join(", ")}`;
  if (typeof value === "number") {
    if (s.minimum !== undefined && value < s.minimum) return `${here} is below ${s.minimum}`;
    if (s.maximum !== undefined && value > s.maximum) return `${here} is above ${s.maximum}`;
    if (s.exclusiveMinimum === true && value === s.minimum) return `${here} is not above ${s.minimum}`;
    if (s.exclusiveMaximum === true && value === s.maximum) return `${here} is not below ${s.maximum}`;
  }
  if (typeof value === "string") {
    const length = [...value].length; // in code points, as the server counts
    if (s.maxLength !== undefined && length > s.maxLength) return `${here} is longer than ${s.maxLength}`;
    if (s.minLength !== undefined && length < s.minLength) return `${here} is shorter than ${s.minLength}`;
    if (s.pattern !== undefined && !new RegExp(s.pattern, "u").test(value))
      return `${here} does not match ${s.pattern}`;
  }
  if (Array.isArray(value)) {
    if (s.maxItems !== undefined && value.length > s.maxItems) return `${here} has more than ${s.maxItems} items`;
    if (s.minItems !== undefined && value.length < s.minItems) return `${here} has fewer than ${s.minItems} items`;
    for (const [i, item] of value.entries()) {
      const problem = s.items && misfit(s.items, item, `${at}[${i}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  return typeof value === "object" && s.type === "object" ? misfitObject(s, value as Loose, at) : undefined;
}

function misfitObject(s: Structural, value: Loose, at: string): string | undefined {
  const here = at === "" ? "it" : at;
  const size = Object.keys(value).length;
  if (s.maxProperties !== undefined && size > s.maxProperties) return `${here} has more than ${s.maxProperties} keys`;
  if (s.minProperties !== undefined && size < s.minProperties) return `${here} has fewer than ${s.minProperties} keys`;
  for (const name of s.required ?? []) {
    if (value[name] === undefined) return `${at}.${name} is missing`;
  }
  for (const [name, member] of Object.entries(value)) {
    const child =
      (Object.hasOwn(s.properties ?? {}, name) ? s.properties?.[name] : undefined) ?? s.additionalProperties;
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
