// Whether a value fits a structural schema. Enough for defaults, for tests and for objects that got past the server; not the
// API server's validation.
import type { Structural } from "./structural.ts";

type Loose = Record<string, unknown>;

/** Where a value does not fit, and why: `{ at: "spec.replicas", problem: "is above 100" }`. */
export interface Misfit {
  readonly at: string;
  readonly problem: string;
}

export interface FitOptions {
  /** What a field that the schema does not know is. Default: a misfit. A server takes it away. */
  readonly unknown?: "misfit" | "ignored";
}

/** The first way in which a value does not fit a schema, or undefined. */
export function misfit(s: Structural, value: unknown, at: string): string | undefined {
  const found = findMisfit(s, value, at);
  return found && `${found.at === "" ? "it" : found.at} ${found.problem}`;
}

/** The same, in parts. */
export function findMisfit(s: Structural, value: unknown, at: string, options: FitOptions = {}): Misfit | undefined {
  if (value === null) return s.nullable === true ? undefined : { at, problem: "is null" };
  const problem = misfitOf(s, value);
  if (problem !== undefined) return { at, problem };
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const found = s.items && findMisfit(s.items, item, `${at}[${i}]`, options);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return typeof value === "object" && s.type === "object" ? misfitIn(s, value as Loose, at, options) : undefined;
}

/** What is wrong with a value itself, whatever is in it. */
function misfitOf(s: Structural, value: unknown): string | undefined {
  if (s["x-kubernetes-int-or-string"] === true && !Number.isInteger(value) && typeof value !== "string") {
    return "is neither integer nor string";
  }
  if (s.type !== undefined && !fitsType(s.type, value)) return `is not of type ${s.type}`;
  if (s.enum !== undefined && !s.enum.includes(value)) return `is not one of ${s.enum.join(", ")}`;
  if (typeof value === "number") {
    if (s.minimum !== undefined && value < s.minimum) return `is below ${s.minimum}`;
    if (s.maximum !== undefined && value > s.maximum) return `is above ${s.maximum}`;
    if (s.exclusiveMinimum === true && value === s.minimum) return `is not above ${s.minimum}`;
    if (s.exclusiveMaximum === true && value === s.maximum) return `is not below ${s.maximum}`;
  }
  if (typeof value === "string") {
    const length = [...value].length; // in code points, as the server counts
    if (s.maxLength !== undefined && length > s.maxLength) return `is longer than ${s.maxLength}`;
    if (s.minLength !== undefined && length < s.minLength) return `is shorter than ${s.minLength}`;
    if (s.pattern !== undefined && !new RegExp(s.pattern, "u").test(value)) return `does not match ${s.pattern}`;
  }
  if (Array.isArray(value)) {
    if (s.maxItems !== undefined && value.length > s.maxItems) return `has more than ${s.maxItems} items`;
    if (s.minItems !== undefined && value.length < s.minItems) return `has fewer than ${s.minItems} items`;
  }
  return undefined;
}

function misfitIn(s: Structural, value: Loose, at: string, options: FitOptions): Misfit | undefined {
  const size = Object.keys(value).length;
  if (s.maxProperties !== undefined && size > s.maxProperties) {
    return { at, problem: `has more than ${s.maxProperties} keys` };
  }
  if (s.minProperties !== undefined && size < s.minProperties) {
    return { at, problem: `has fewer than ${s.minProperties} keys` };
  }
  for (const name of s.required ?? []) {
    if (value[name] === undefined) return { at: `${at}.${name}`, problem: "is missing" };
  }
  for (const [name, member] of Object.entries(value)) {
    const child =
      (Object.hasOwn(s.properties ?? {}, name) ? s.properties?.[name] : undefined) ?? s.additionalProperties;
    if (child === undefined) {
      if (s["x-kubernetes-preserve-unknown-fields"] === true || options.unknown === "ignored") continue;
      return { at: `${at}.${name}`, problem: "is not a field" };
    }
    const found = findMisfit(child, member, `${at}.${name}`, options);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fitsType(type: string, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}
