// What owner references mean, decided without asking anybody: what is to be done about one object.
import { at, isObject, type JsonObject, text } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import { finalizersOf, isTerminating, uidOf } from "../registry/metadata.ts";
import { type Resource, storageKey } from "../registry/resource.ts";

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blocks: boolean;
}

export const foreground = "foregroundDeletion";
export const orphan = "orphan";

export function ownersOf(object: JsonObject): OwnerReference[] {
  const list = at(object, "metadata", "ownerReferences");
  return (Array.isArray(list) ? list : []).filter(isObject).map((owner) => ({
    apiVersion: text(owner["apiVersion"]),
    kind: text(owner["kind"]),
    name: text(owner["name"]),
    uid: text(owner["uid"]),
    blocks: owner["blockOwnerDeletion"] === true,
  }));
}

/** The metadata without the references to some owners. */
export function withoutOwners(object: JsonObject, uids: ReadonlySet<string>): JsonObject[] {
  const list = at(object, "metadata", "ownerReferences");
  return (Array.isArray(list) ? list : []).filter(isObject).filter((owner) => !uids.has(text(owner["uid"])));
}

/** Where the owner would be, or why that cannot be told. */
export type OwnerPlace = { readonly key: string } | { readonly unknown: "kind" | "namespace" };

/** An owner is in the namespace of what it owns, or in none. */
export function ownerPlace(catalogue: Catalogue, owner: OwnerReference, namespace: string): OwnerPlace {
  const slash = owner.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : owner.apiVersion.slice(0, slash);
  const r: Resource | undefined = catalogue.ofKind(group, owner.apiVersion.slice(slash + 1), owner.kind);
  if (r === undefined) return { unknown: "kind" };
  if (r.namespaced && namespace === "") return { unknown: "namespace" };
  return { key: storageKey(r, namespace, owner.name) };
}

export const waitsForDependents = (object: JsonObject): boolean =>
  isTerminating(object) && finalizersOf(object).includes(foreground);

export type Verdict =
  | { readonly do: "nothing" } // its owners are there, or it cannot be told
  | { readonly do: "unknown" } // an owner is of a kind that is not served (yet)
  | { readonly do: "release"; readonly uids: ReadonlySet<string> } // some owners are gone, others are not
  | { readonly do: "delete"; readonly policy: "Background" | "Foreground" | "Orphan" };

/** What becomes of an object that is not being deleted. `find` gives the object at a key; `isGone`: an owner was seen to end. */
export function judge(
  object: JsonObject,
  namespace: string,
  catalogue: Catalogue,
  find: (key: string) => JsonObject | undefined,
  hasDependents: boolean,
  isGone: (uid: string) => boolean = () => false,
): Verdict {
  const owners = ownersOf(object);
  const [absent, waiting] = [new Set<string>(), new Set<string>()];
  let solid = 0;
  for (const owner of owners) {
    // Its kind may have gone with it.
    if (isGone(owner.uid)) {
      absent.add(owner.uid);
      continue;
    }
    const place = ownerPlace(catalogue, owner, namespace);
    if ("unknown" in place) return { do: place.unknown === "kind" ? "unknown" : "nothing" };
    const found = find(place.key);
    if (found === undefined || uidOf(found) !== owner.uid) absent.add(owner.uid);
    else if (waitsForDependents(found)) waiting.add(owner.uid);
    else solid += 1;
  }
  if (owners.length === 0 || absent.size + waiting.size === 0) return { do: "nothing" };
  if (solid > 0) return { do: "release", uids: new Set([...absent, ...waiting]) };
  if (waiting.size > 0 && hasDependents) return { do: "delete", policy: "Foreground" };
  const own = finalizersOf(object);
  return {
    do: "delete",
    policy: own.includes(orphan) ? "Orphan" : own.includes(foreground) ? "Foreground" : "Background",
  };
}
