// What the server itself writes into an object's metadata, and what it does not let others write.
import { deepEqual } from "@telltale/kinds";
import { at, identity, isObject, type Json, type JsonObject, text } from "../json.ts";

export const metadataOf = (object: JsonObject | undefined): JsonObject => {
  const metadata = object === undefined ? undefined : object["metadata"];
  return isObject(metadata) ? metadata : {};
};

/** The object with some of its metadata replaced; undefined takes a member away. */
export function withMetadata(object: JsonObject, changes: Readonly<Record<string, Json | undefined>>): JsonObject {
  const metadata: JsonObject = { ...metadataOf(object) };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete metadata[name];
    else metadata[name] = value;
  }
  return { ...object, metadata };
}

export const nameOf = (object: JsonObject): string => text(at(object, "metadata", "name"));
export const uidOf = (object: JsonObject): string => text(at(object, "metadata", "uid"));
export const versionOf = (object: JsonObject): string => text(at(object, "metadata", "resourceVersion"));
export const isTerminating = (object: JsonObject): boolean => at(object, "metadata", "deletionTimestamp") !== undefined;

export function finalizersOf(object: JsonObject): readonly string[] {
  const list = at(object, "metadata", "finalizers");
  return Array.isArray(list) ? list.map((f) => text(f)) : [];
}

export function generationOf(object: JsonObject): number {
  const generation = at(object, "metadata", "generation");
  return typeof generation === "number" ? generation : 0;
}

/** What a client may not set on a new object. */
export function wiped(object: JsonObject): JsonObject {
  return withMetadata(object, {
    creationTimestamp: undefined,
    uid: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });
}

/** Owner references that are the same to the letter are kept once; the uids that stood there twice are told. */
export function withoutDuplicateOwners(object: JsonObject): { object: JsonObject; duplicates: string[] } {
  const owners = at(object, "metadata", "ownerReferences");
  if (!Array.isArray(owners)) return { object, duplicates: [] };
  const kept = new Map<string, Json>();
  const duplicates = new Set<string>();
  for (const owner of owners) {
    const id = identity(owner);
    if (kept.has(id)) duplicates.add(text(at(owner, "uid")));
    else kept.set(id, owner);
  }
  if (duplicates.size === 0) return { object, duplicates: [] };
  return { object: withMetadata(object, { ownerReferences: [...kept.values()] }), duplicates: [...duplicates] };
}

export const duplicateOwnersWarning = (uids: readonly string[], subject = ".metadata.ownerReferences"): string =>
  `${subject} contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`;

/** Whether anything but metadata (and status, where it has an endpoint of its own) is different. */
export function contentChanged(object: JsonObject, old: JsonObject, splitStatus: boolean): boolean {
  const names = new Set([...Object.keys(object), ...Object.keys(old)]);
  names.delete("metadata");
  names.delete("apiVersion");
  names.delete("kind");
  if (splitStatus) names.delete("status");
  for (const name of names) if (!deepEqual(object[name], old[name])) return true;
  return false;
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";

/** A name from `generateName`: at most 58 characters of the base, and five by chance. */
export function generatedName(base: string, next: () => number): string {
  let suffix = "";
  for (let i = 0; i < 5; i += 1) suffix += suffixLetters[Math.floor(next() * suffixLetters.length)] ?? "b";
  return base.slice(0, 58) + suffix;
}
