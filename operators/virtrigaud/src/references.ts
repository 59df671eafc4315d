// How objects of ours refer to each other: where a reference leads, whether it may be followed into another namespace (7.3), and
// how a provider is named in maps and lists (2.11). Pure.
import { grants, type KubeObject } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { ObjectRef } from "./kinds/index.ts";
import { annotations } from "./names.ts";

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** Where a reference leads, from an object of this namespace. */
export const resolve = (ref: ObjectRef, from: string): Name => ({
  namespace: ref.namespace === undefined || ref.namespace === "" ? from : ref.namespace,
  name: ref.name,
});

/** What a reference led to. */
export type Followed<T> =
  | { readonly is: "found"; readonly object: T }
  | { readonly is: "missing"; readonly what: SafeText } // nothing of that name, where that may be said
  | { readonly is: "refused"; readonly what: SafeText }; // in another namespace that does not let it in, there or not

export interface Crossing {
  /** `--allow-cross-namespace-refs`: every reference is followed. */
  readonly isFree: boolean;
}

/**
 * Follows a reference of an object in `from`. Another namespace has to allow it, on the object that is referred to; where it
 * does not, nobody learns whether the object exists.
 */
export function follow<T extends KubeObject>(
  kind: string,
  ref: ObjectRef,
  from: string,
  find: (name: Name) => T | undefined,
  { isFree }: Crossing = { isFree: false },
): Followed<T> {
  const name = resolve(ref, from);
  const object = find(name);
  const isHome = name.namespace === from;
  if (!isHome && !isFree && !isOpenTo(object, from)) {
    return {
      is: "refused",
      what: text`${kind} ${name.namespace}/${name.name} may not be used from namespace ${from}; its owner can allow it with the annotation ${annotations.allowedNamespaces}`,
    };
  }
  if (object === undefined) return { is: "missing", what: text`${kind} ${name.namespace}/${name.name} not found` };
  return { is: "found", object };
}

/** Whether an object lets a namespace refer to it. */
export const isOpenTo = (object: KubeObject | undefined, namespace: string): boolean =>
  grants(object?.metadata?.annotations?.[annotations.allowedNamespaces], namespace);

/** Whether migrations and clones of `from` may make machines in `target`, which is a Namespace. */
export function acceptsFrom(target: KubeObject | undefined, from: string, { isFree }: Crossing): boolean {
  if (isFree || target?.metadata?.name === from) return true;
  return grants(target?.metadata?.annotations?.[annotations.acceptFrom], from);
}

/** How an object calls a provider: by its name, with the namespace in front where that is another one. */
export const providerKey = (namespace: string, provider: Name): string =>
  provider.namespace === namespace ? provider.name : `${provider.namespace}/${provider.name}`;

/** The provider that a key of an object in this namespace names. Undefined: it is no key. */
export function providerOfKey(namespace: string, key: string): Name | undefined {
  const parts = key.split("/");
  if (parts.length > 2 || parts.includes("")) return undefined;
  const [first = "", second] = parts;
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}
