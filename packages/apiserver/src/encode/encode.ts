// From what a verb gives to what the client asked for: objects and lists, plain, as Tables or as metadata only.
// The watch's side is in `frames.ts`; turning JSON into bytes or YAML is not done here.
import type { Instant } from "@telltale/kinds";
import { checkConversion, type Negotiated } from "../decode/media.ts";
import { at, type Json, type JsonObject, member, stringify, text } from "../json.ts";
import type { Listed } from "../registry/list.ts";
import type { Resource } from "../registry/resource.ts";
import { listObject, listText } from "./list-text.ts";
import { goType, partial } from "./partial.ts";
import { includedObject, table, tableForm } from "./table.ts";

export { framer } from "./frames.ts";
export { goType } from "./partial.ts";

/** One object, as asked for. A Status stays what it is. */
export function encodeObject(
  r: Resource,
  object: JsonObject,
  asked: Negotiated,
  query: URLSearchParams,
  now: Instant,
): JsonObject {
  const as = asked.conversion?.as;
  if (as === undefined || member(object, "kind") === "Status") return kindFirst(r, object);
  checkConversion(asked.conversion, false, goType(r, false));
  const version = asked.conversion?.version ?? "v1";
  if (as === "PartialObjectMetadata") return partial(object, version);
  const include = includedObject(query);
  const form = tableForm(r, text(member(object, "kind")));
  return table(
    version,
    form,
    form.columns,
    metadataOfList(at(object, "metadata", "resourceVersion")),
    [object],
    include,
    now,
  );
}

/** A list's JSON. Plain ones are put together from stored text. */
export async function encodeList(
  r: Resource,
  listed: Listed,
  asked: Negotiated,
  query: URLSearchParams,
  now: Instant,
): Promise<string> {
  const as = asked.conversion?.as;
  const version = asked.conversion?.version ?? "v1";
  if (as === undefined) {
    return asked.pretty ? stringify(await listObject(r, listed), "  ") : listText(r, listed);
  }
  checkConversion(asked.conversion, true, goType(r, true));
  const indent = asked.pretty ? "  " : undefined;
  const include = as === "Table" ? includedObject(query) : "None";
  const metadata = metadataOfList(String(listed.revision), listed);
  const objects: JsonObject[] = [];
  for (const record of listed.records) objects.push(await r.read(record));
  if (as === "Table") {
    const form = tableForm(r, r.kind);
    return stringify(table(version, form, form.columns, metadata, objects, include, now), indent);
  }
  const items = objects.map((object) => partial(object, version));
  const list = { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${version}`, metadata, items };
  return stringify(list, indent);
}

/** Kubernetes writes its own kinds' `kind` before `apiVersion`; custom ones are sorted. */
function kindFirst(r: Resource, object: JsonObject): JsonObject {
  if (!r.builtin) return object;
  const kind = member(object, "kind");
  const apiVersion = member(object, "apiVersion");
  return kind === undefined || apiVersion === undefined ? object : { kind, apiVersion, ...object };
}

function metadataOfList(resourceVersion: Json | undefined, listed?: Listed): JsonObject {
  return {
    ...(resourceVersion === undefined || resourceVersion === "" ? {} : { resourceVersion }),
    ...(listed === undefined || listed.continueToken === "" ? {} : { continue: listed.continueToken }),
    ...(listed?.remaining === undefined ? {} : { remainingItemCount: listed.remaining }),
  };
}
