// An object reduced to its metadata, for clients that watch many kinds and read none.
import { prefixOf } from "../decode/message-name.ts";
import { type JsonObject, member } from "../json.ts";
import type { Resource } from "../registry/resource.ts";

/** `version` is that of `meta.k8s.io` which the client asked for. */
export function partial(object: JsonObject, version: string): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: member(object, "metadata") ?? {},
  };
}

/** What Go calls an object of this resource, or a list of them: messages show it. */
export function goType(r: Resource, list: boolean): string {
  if (!r.builtin) return list ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  const prefix = prefixOf(r.group, "");
  // Both kinds of Event are one inside.
  return `*${prefix === "events" ? "core" : prefix}.${list ? r.listKind : r.kind}`;
}
