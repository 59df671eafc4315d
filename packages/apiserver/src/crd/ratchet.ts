// Ratcheting: an update is not refused for what it does not touch. This file finds the old value that a new one continues.
// Section 12.5: by member, by map key, by the keys of a list map; not through sets and atomic lists.
import { deepEqual } from "@telltale/kinds";
import { isObject, type Json, member } from "../json.ts";
import { itemsOf, memberOf, propertyOf, type Schema } from "./schema.ts";

/** The old value at a node, or that there is none to compare with. */
export type Old = { readonly value: Json } | undefined;

/**
 * Whether a value is the same as before. A member that the schema does not name cannot be followed, so whatever holds one counts as
 * changed, even when nothing did: that is how the server sees it.
 */
export function isUnchanged(schema: Schema, value: Json, old: Old): boolean {
  if (old === undefined) return false;
  if (isObject(value)) {
    const before = old.value;
    if (!isObject(before) || Object.keys(before).length !== Object.keys(value).length) return false;
    return Object.entries(value).every(([name, inner]) => {
      const child = memberOf(schema, name);
      return child !== undefined && isUnchanged(child, inner, oldMember(old, name));
    });
  }
  if (!Array.isArray(value) || schema["x-kubernetes-list-type"] !== "map") return deepEqual(value, old.value);
  if (!Array.isArray(old.value) || old.value.length !== value.length) return false;
  const before = oldItems(schema, value, old);
  const items = itemsOf(schema);
  return items !== undefined && value.every((item, i) => isUnchanged(items, item, before[i]));
}

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
