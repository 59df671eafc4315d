// A value in one order, where its own order says nothing: keys, conditions, and the lists that a real server shuffles.
import { isList, isObject, type Json, text } from "./json.ts";

export function ordered(value: Json, key = ""): Json {
  if (isList(value)) {
    const items = value.map((item) => ordered(item));
    if (key === "conditions") return items.toSorted((a, b) => (text(a, "type") < text(b, "type") ? -1 : 1));
    return unshuffled(key, items);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered(value[name] ?? null, name)]),
  );
}

/** A list whose order varies from run to run, sorted; any other as it is. */
export function unshuffled(key: string, items: readonly Json[]): readonly Json[] {
  if (!["endpoints", "addresses", "notReadyAddresses", "succeeded", "failed"].includes(key)) return items;
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
