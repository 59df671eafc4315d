// Whose is it? What a controller owns and still selects is its own, what it selects and nobody owns is taken in, what it owns
// and no longer selects is let go.
import type { JsonPatchOperation } from "@telltale/client";
import { type KindRef, type KubeObject, type LabelSelector, matchesSelector } from "@telltale/kinds";
import type { Declaration, Hands, MapLook } from "@telltale/runtime";
import { controllerOf, isTerminating, nameOf, uidOf } from "./facts.ts";
import { withFinalizer, withoutFinalizer } from "./finalizers.ts";

export interface Claim<T> {
  /** Those that are ours once the rest is done. */
  readonly mine: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

/** `isMember`: what there is to being one of them beyond the labels. */
export function claim<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector | undefined,
  owned: readonly T[],
  orphans: readonly T[],
  isMember: (it: T) => boolean = () => true,
): Claim<T> {
  const matches = (it: T) => selector !== undefined && matchesSelector(selector, it.metadata?.labels) && isMember(it);
  const ours = owned.filter((it) => controllerOf(it)?.uid === uidOf(owner));
  if (isTerminating(owner)) return { mine: ours.filter(matches), adopt: [], release: [] };
  const adopt = orphans.filter((it) => matches(it) && !isTerminating(it));
  return {
    mine: [...ours.filter(matches), ...adopt],
    adopt,
    release: ours.filter((it) => !matches(it)),
  };
}

/**
 * Makes it so. An object that has changed meanwhile is looked at again in the next pass. `finalizer`: one that what is taken
 * in gets, and what is let go loses.
 */
export async function settleClaim<T extends KubeObject>(
  hands: Hands,
  kind: KindRef<T>,
  owner: { readonly kind: KindRef; readonly object: KubeObject },
  { adopt, release }: Pick<Claim<T>, "adopt" | "release">,
  finalizer?: string,
): Promise<void> {
  const held = (it: T) => (finalizer === undefined ? [] : withFinalizer(it, finalizer));
  const freed = (it: T) => (finalizer === undefined ? [] : withoutFinalizer(it, finalizer));
  for (const it of adopt) await hands.patch(kind, it, [...adoption(owner, it), ...held(it)]);
  for (const it of release) await hands.patch(kind, it, [...letting(owner.object, it), ...freed(it)]);
}

function adoption({ kind, object }: { kind: KindRef; object: KubeObject }, it: KubeObject): JsonPatchOperation[] {
  const before = it.metadata?.ownerReferences;
  const reference = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: nameOf(object),
    uid: uidOf(object),
    controller: true,
    blockOwnerDeletion: true,
  };
  return [
    { op: "test", path: "/metadata/ownerReferences", value: before ?? null },
    { op: "add", path: "/metadata/ownerReferences", value: [...(before ?? []), reference] },
  ];
}

function letting(owner: KubeObject, it: KubeObject): JsonPatchOperation[] {
  const before = it.metadata?.ownerReferences ?? [];
  const after = before.filter(({ uid }) => uid !== uidOf(owner));
  const path = "/metadata/ownerReferences";
  return [
    { op: "test", path, value: before },
    after.length === 0 ? { op: "remove", path } : { op: "replace", path, value: after },
  ];
}

/** The objects of a kind in a namespace that nobody manages: `look.where(kind, orphans, namespace)`. */
export const orphans = "orphans";
/** All of a kind in a namespace. */
export const inNamespace = "namespace";

const namespaceOf = ({ metadata }: KubeObject): string => metadata?.namespace ?? "";

/** The values of that index. One function for all who declare it: several controllers select the same pods. */
export const namespaceValues = (object: KubeObject): readonly string[] => [namespaceOf(object)];

const orphanValues = (object: KubeObject): readonly string[] =>
  controllerOf(object) === undefined ? [namespaceOf(object)] : [];

/**
 * Children with owners that come and go: declares the indexes, and that an object without a controller asks for passes of all
 * who select it.
 */
export function claiming<K extends KindRef, T extends KubeObject>(
  declaration: Declaration<K>,
  owner: K & KindRef<KubeObject & { readonly spec?: { readonly selector?: LabelSelector } }>,
  child: KindRef<T>,
): Declaration<K> {
  return declaration
    .index(owner, inNamespace, namespaceValues)
    .index(child, orphans, orphanValues)
    .watches(child, ({ old, new: next }, look) => selecting(owner, [old, next], look), {
      changed: (a, b) => a.metadata?.labels !== b.metadata?.labels || controllerOf(a) !== controllerOf(b),
    });
}

function* selecting(
  owner: KindRef<KubeObject & { readonly spec?: { readonly selector?: LabelSelector } }>,
  children: readonly (KubeObject | undefined)[],
  look: MapLook,
): Iterable<{ namespace: string; name: string }> {
  for (const child of children) {
    if (child === undefined || controllerOf(child) !== undefined) continue;
    const namespace = namespaceOf(child);
    for (const it of look.where(owner, inNamespace, namespace)) {
      const selector = it.spec?.selector;
      if (selector !== undefined && matchesSelector(selector, child.metadata?.labels))
        yield { namespace, name: nameOf(it) };
    }
  }
}
