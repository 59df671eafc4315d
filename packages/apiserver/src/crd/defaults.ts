// Defaults of a custom resource, and the nulls that its schema does not allow. Section 12.3.
// @telltale/kinds has the same for declared kinds; here schemas may say `additionalProperties: true` and any name may be a member.
import { clone, isObject, type Json, type JsonObject, put } from "../json.ts";
import { itemsOf, memberOf, type Schema } from "./schema.ts";

/**
 * The value with every default filled in. A null that is not allowed becomes the default, or goes when there is none, unless
 * it is to be kept: an apply is told about it.
 */
export function fillDefaults(schema: Schema | undefined, value: Json, keepNulls = false): Json {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return fillList(itemsOf(schema), value, keepNulls);
  return isObject(value) ? fillObject(schema, value, keepNulls) : value;
}

function fillList(items: Schema | undefined, list: Json[], keepNulls: boolean): Json[] {
  if (items === undefined) return list;
  const out = list.map((item) => {
    const fallback = refused(items, item) ? defaultOf(items) : undefined;
    return fallback === undefined ? fillDefaults(items, item, keepNulls) : fillDefaults(items, fallback);
  });
  return out.some((item, i) => item !== list[i]) ? out : list;
}

function fillObject(schema: Schema, object: JsonObject, keepNulls: boolean): JsonObject {
  const out: JsonObject = {};
  let changed = false;
  for (const [name, member] of Object.entries(object)) {
    const child = memberOf(schema, name);
    if (child !== undefined && refused(child, member)) {
      const fallback = defaultOf(child);
      changed ||= fallback !== undefined || !keepNulls;
      if (fallback !== undefined) put(out, name, fillDefaults(child, fallback));
      else if (keepNulls) put(out, name, null);
      continue;
    }
    const filled = fillDefaults(child, member, keepNulls);
    changed ||= filled !== member;
    put(out, name, filled);
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(object, name)) continue;
    const fallback = defaultOf(child);
    if (fallback === undefined) continue;
    changed = true;
    put(out, name, fillDefaults(child, fallback));
  }
  return changed ? out : object;
}

function refused(schema: Schema, value: Json): boolean {
  return value === null && schema.nullable !== true;
}

/** A copy of the default; `default: null` is none. */
function defaultOf(schema: Schema): Json | undefined {
  return schema.default === undefined || schema.default === null ? undefined : clone(schema.default);
}
