// What rows of built-in kinds are made of: reading an object that may lack anything, and writing it as Kubernetes does.
import { formatSelector, type Instant, type LabelSelector } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { age } from "./age.ts";

/** The words for what is not there. They differ by column, and scripts compare them. */
export const none = "<none>";
export const unset = "<unset>";
export const unknown = "<unknown>";

export const nameOf = (o: JsonObject): string => text(at(o, "metadata", "name"));
export const ageOf = (o: JsonObject, now: Instant): string => age(at(o, "metadata", "creationTimestamp"), now);

export const words = (o: Json | undefined, ...path: string[]): string => text(at(o, ...path));

/** A number, zero where there is none. */
export function count(o: Json | undefined, ...path: string[]): number | bigint {
  const value = at(o, ...path);
  return typeof value === "number" || typeof value === "bigint" ? value : 0;
}

export const flag = (o: Json | undefined, ...path: string[]): boolean => at(o, ...path) === true;

export function items(o: Json | undefined, ...path: string[]): Json[] {
  const value = at(o, ...path);
  return Array.isArray(value) ? value : [];
}

export function size(o: Json | undefined, ...path: string[]): number {
  const value = at(o, ...path);
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

/** `a=1,b=2`, or `<none>`. */
export function labels(value: Json | undefined): string {
  if (!isObject(value)) return none;
  const pairs = Object.keys(value).sort();
  return pairs.length === 0 ? none : pairs.map((key) => `${key}=${text(value[key])}`).join(",");
}

/** A selector with matchLabels and matchExpressions. */
export function selector(value: Json | undefined): string {
  return (isObject(value) && formatSelector(value as LabelSelector)) || none;
}

/** Names and images of a pod's containers: the last columns of everything that makes pods. */
export function containers(podSpec: Json | undefined): [string, string] {
  const all = items(podSpec, "containers");
  return [all.map((c) => words(c, "name")).join(","), all.map((c) => words(c, "image")).join(",")];
}

/** The first few, and how many more there are. */
export function few(all: readonly string[], shown: number, separator = ","): string {
  const rest = all.length - shown;
  const head = all.slice(0, shown).join(separator);
  return rest > 0 ? `${head} + ${rest} more...` : head;
}

export function condition(o: JsonObject, type: string): Json | undefined {
  return items(o, "status", "conditions").find((c) => words(c, "type") === type);
}
