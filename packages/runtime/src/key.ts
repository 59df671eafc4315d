// How an object is named within its kind: `namespace/name`, or `/name` where the kind has no namespaces.
import type { KubeObject } from "@telltale/kinds";

export type Key = string & { readonly "~key": never };

export interface Name {
  readonly namespace?: string;
  readonly name: string;
}

export function keyOf(name: Name): Key {
  return `${name.namespace ?? ""}/${name.name}` as Key;
}

export function keyOfObject({ metadata }: KubeObject): Key {
  return `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}` as Key;
}

export function nameOfKey(key: Key): Name {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  return slash === 0 ? { name } : { namespace: key.slice(0, slash), name };
}

export const namespaceOfKey = (key: Key): string => key.slice(0, key.indexOf("/"));
