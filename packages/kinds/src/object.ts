// The shapes that every Kubernetes object shares, and how a kind is named. Types and naming only.
import type { ObjectMeta as WireMeta } from "kubernetes-types/meta/v1.d.ts";

export type ObjectMeta = WireMeta;

/** Any Kubernetes object, as read from a server. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

export type ConditionStatus = "True" | "False" | "Unknown";

/** One entry of `.status.conditions`, with every field that any of the three shapes may have. */
export interface Condition<Type extends string = string, Reason extends string = string> {
  readonly type: Type;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
  readonly severity?: string;
}

export type Scope = "Namespaced" | "Cluster";

/** How a kind is found on a server. `T` is what its objects look like; it exists for the compiler only. */
export interface KindRef<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  readonly subresources: { readonly status: boolean; readonly scale: boolean };
  readonly "~object"?: T;
}

/** The TypeScript type of a kind's objects: `type Pod = Resource<typeof Pod>`. */
export type Resource<K extends KindRef> = NonNullable<K["~object"]>;

export interface Naming {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: Scope;
}

/** The names that follow from the few that a declaration has to give. */
export function nameKind(naming: Naming): Omit<KindRef, "subresources" | "~object"> {
  const singular = naming.singular ?? naming.kind.toLowerCase();
  return {
    group: naming.group,
    version: naming.version,
    apiVersion: naming.group === "" ? naming.version : `${naming.group}/${naming.version}`,
    kind: naming.kind,
    listKind: naming.listKind ?? `${naming.kind}List`,
    plural: naming.plural ?? pluralize(singular),
    singular,
    shortNames: naming.shortNames ?? [],
    categories: naming.categories ?? [],
    scope: naming.scope ?? "Namespaced",
  };
}

/** Plain objects and lists frozen down to the leaves. Patterns and functions stay as they are. */
export function deepFreeze<T>(value: T): T {
  if (value instanceof Map) for (const member of value.values()) deepFreeze(member);
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

function pluralize(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
