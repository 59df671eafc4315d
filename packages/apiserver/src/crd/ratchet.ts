// Ratcheting: an update is not refused for what it does not touch. This file finds the old value that a new one continues.
// Section 12.5: by member, by map key, by the keys of a list map; not through sets and atomic lists.
import { isObject, type Json, member } from "../json.ts";
import { itemsOf, propertyOf, type Schema } from "./schema.ts";

/** The old value at a node, or that there is none to compare with. */
export type Old = { readonly value: Json } | undefined;

export function oldMember(old: Old, name: string): Old {
  const value = member(old?.value, name);
  return value === undefined ? undefined : { value };
}

/** The old values of the items of a list, by index of the new ones. */
export function oldItems(schema: Schema, list: readonly Json[], old: Old): Old[] {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old?.value)) return [];
  const before = new Map<string, Json>();
  for (const item of old.value) {
    const key = listKey(schema, item);
    if (key !== undefined && !before.has(key)) before.set(key, item);
  }
  return list.map((item) => {
    const key = listKey(schema, item);
    const value = key === undefined ? undefined : before.get(key);
    return value === undefined ? undefined : { value };
  });
}

/** The keys of a list-map item, absent ones by their defaults; undefined for what is no object. */
export function mapKey(schema: Schema, item: Json): Record<string, Json> | undefined {
  if (!isObject(item)) return undefined;
  const key: Record<string, Json> = {};
  for (const name of [...(schema["x-kubernetes-list-map-keys"] ?? [])].sort()) {
    const value = member(item, name) ?? propertyOf(itemsOf(schema), name)?.default;
    if (value !== undefined) key[name] = value;
  }
  return key;
}

function listKey(schema: Schema, item: Json): string | undefined {
  const key = mapKey(schema, item);
  return key === undefined ? undefined : textOf(key);
}

/** One text for one key: numbers and strings that look alike stay apart. */
export function textOf(value: Json | Record<string, Json>): string {
  return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? { bigint: String(v) } : v)) ?? "";
}
