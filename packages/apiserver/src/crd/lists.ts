// Sets and list maps hold no two equal members. Section 12.4.
import { isObject, type Json } from "../json.ts";
import { duplicate, type FieldError, invalidField } from "../status.ts";
import { mapKey, textOf } from "./ratchet.ts";
import { itemsOf, memberOf, propertyOf, type Schema } from "./schema.ts";

/** Each value that stands twice in a set or list map, told once, at its second place. */
export function validateLists(schema: Schema, value: Json, path = ""): FieldError[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return [];
    const inner = value.flatMap((item, i) => validateLists(items, item, `${path}[${i}]`));
    return [...duplicates(schema, value, path), ...inner];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const child = memberOf(schema, name);
    if (child === undefined) return [];
    // Keys of maps stand in brackets here, unlike in the errors of the schema.
    const there = propertyOf(schema, name) === undefined ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    return validateLists(child, member, there);
  });
}

function duplicates(schema: Schema, list: readonly Json[], path: string): FieldError[] {
  const kind = schema["x-kubernetes-list-type"];
  if (kind !== "set" && kind !== "map") return [];
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [i, item] of list.entries()) {
    if (item === null) continue;
    const key = kind === "set" ? item : mapKey(schema, item);
    if (key === undefined)
      return [invalidField(`${path}[${i}]`, item, "must be an object for an array of list-type map")];
    const text = textOf(sorted(key));
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    if (count === 1) errors.push(duplicate(`${path}[${i}]`, key));
  }
  return errors;
}

/** Members by name, so that their order makes no difference. */
function sorted(value: Json | Record<string, Json>): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}
