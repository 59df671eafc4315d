// What requests for an object and for its parts share: the object as it is, and its name in a body.
import type { JsonObject } from "../json.ts";
import { nameOf } from "../registry/metadata.ts";
import { storageKey } from "../registry/resource.ts";
import { badRequest, notFound } from "../status.ts";
import type { Routed } from "./resources.ts";

/** The object that a subresource is one of, as it is now. */
export async function live({ s, r, info }: Routed): Promise<JsonObject> {
  const record = s.store.get(storageKey(r, info.namespace, info.name));
  if (record === undefined) throw notFound(r, info.name);
  return r.read(record);
}

/** What is put has to be what the URL says. */
export function checkName(object: JsonObject, name: string): void {
  const given = nameOf(object);
  if (given === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}
