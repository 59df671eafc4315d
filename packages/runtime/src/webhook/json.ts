// JSON as it comes in and goes out: values that nobody has looked at yet, and the difference between two of them.
import { deepEqual } from "@telltale/kinds";

export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [member: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** What a value is once it has been sent: without members that are undefined, and shared with nobody. */
export const sent = (value: unknown): Json => JSON.parse(JSON.stringify(value) ?? "null") as Json;

export type Change =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** The JSON Patch from one object to another. A list that differs is replaced whole. */
export function difference(before: JsonObject, after: JsonObject, at = ""): Change[] {
  const changes: Change[] = [];
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) changes.push({ op: "remove", path: `${at}/${step(name)}` });
  }
  for (const [name, value] of Object.entries(after)) {
    const path = `${at}/${step(name)}`;
    const old = before[name];
    if (old === undefined || !Object.hasOwn(before, name)) changes.push({ op: "add", path, value });
    else if (isObject(old) && isObject(value)) changes.push(...difference(old, value, path));
    else if (!deepEqual(old, value)) changes.push({ op: "replace", path, value });
  }
  return changes;
}

/** One step of a JSON Pointer. */
const step = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
