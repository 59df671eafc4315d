// A plain list as text, joined from what is stored: ten thousand objects are not parsed to be written again.
import { type JsonObject, put, stringify } from "../json.ts";
import type { Listed } from "../registry/list.ts";
import type { Resource } from "../registry/resource.ts";
import type { StoredRecord } from "../store/record.ts";

export async function listText(r: Resource, listed: Listed): Promise<string> {
  const items: string[] = [];
  const heads = r.builtin ? headsOf(r) : [];
  for (const record of listed.records) {
    const ready = itemText(r, heads, record);
    items.push(ready ?? stringify(itemOf(r, await r.read(record))));
  }
  const head = stringify({ kind: r.listKind, apiVersion: r.apiVersion, metadata: metadata(r, listed) });
  return `${head.slice(0, -1)},"items":[${items.join(",")}]}`;
}

/** The same as an object, for whoever wants it indented. */
export async function listObject(r: Resource, listed: Listed): Promise<JsonObject> {
  const items: JsonObject[] = [];
  for (const record of listed.records) items.push(itemOf(r, await r.read(record)));
  return { kind: r.listKind, apiVersion: r.apiVersion, metadata: metadata(r, listed), items };
}

/** A custom list says `continue` even when it is at its end. */
function metadata(r: Resource, listed: Listed): JsonObject {
  return {
    resourceVersion: String(listed.revision),
    ...(r.builtin && listed.continueToken === "" ? {} : { continue: listed.continueToken }),
    ...(listed.remaining === undefined ? {} : { remainingItemCount: listed.remaining }),
  };
}

/** How the text of an object begins that has its type first, in either order. */
function headsOf(r: Resource): string[] {
  const kind = `"kind":${JSON.stringify(r.kind)}`;
  const apiVersion = `"apiVersion":${JSON.stringify(r.apiVersion)}`;
  return [`{${apiVersion},${kind},`, `{${kind},${apiVersion},`];
}

/** Text of an item, where it can be had without parsing. Items of built-in lists say neither apiVersion nor kind. */
function itemText(r: Resource, heads: readonly string[], record: StoredRecord): string | undefined {
  const json = r.json(record);
  if (json === undefined || !r.builtin) return json;
  for (const head of heads) if (json.startsWith(head)) return `{${json.slice(head.length)}`;
  return undefined;
}

function itemOf(r: Resource, object: JsonObject): JsonObject {
  if (!r.builtin) return object;
  const item: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (name !== "apiVersion" && name !== "kind") put(item, name, value);
  }
  return item;
}
