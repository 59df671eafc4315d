// JSON as the recordings and the servers have it, and how to look into it.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here = value;
  for (const key of path) here = isObject(here) ? here[key] : undefined;
  return here;
}

/** The text there, or none. */
export function text(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

export const list = (value: Json | undefined, ...path: readonly string[]): readonly Json[] => {
  const found = at(value, ...path);
  return isList(found) ? found : [];
};

export const parse = (source: string): Json => JSON.parse(source) as Json;

export function parseObject(source: string): JsonObject {
  const value = parse(source);
  if (!isObject(value)) throw new Error(`an object was expected, and this came: ${source.slice(0, 200)}`);
  return value;
}

/** Equal whatever the order of keys. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && same(a[key], b[key]));
}

/** A value with a change put over it: null takes a field away, a list is put whole. */
export function merged(value: Json | undefined, change: Json): Json {
  if (!isObject(change)) return change;
  const result: Record<string, Json> = isObject(value) ? { ...value } : {};
  for (const [key, inner] of Object.entries(change)) {
    if (inner === null) delete result[key];
    else result[key] = merged(result[key], inner);
  }
  return result;
}
