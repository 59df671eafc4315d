// From a template to a pod, and the name of a template's content.
import { canonicalJson, fnv1a32, safeEncode } from "@telltale/kinds";
import type { Pod, ReplicaSet } from "@telltale/kinds/builtin";

export type PodTemplate = NonNullable<NonNullable<ReplicaSet["spec"]>["template"]>;

export const templateHash = "pod-template-hash";

/** A pod as a template wants it. Where it is and whose, is said by whoever makes it. */
export function podFrom(template: PodTemplate, name: { readonly generateName?: string; readonly name?: string }): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  };
}

/** Pods of an owner: its name and a dash, shortened as the server would. */
export const generateName = (owner: string): string => `${owner}-`;

/** A short name of what a template says. `collisions`: how often it turned out to be taken. */
export function hashOf(template: unknown, collisions = 0): string {
  const salt = collisions === 0 ? "" : String(collisions);
  return safeEncode(fnv1a32(canonicalJson(template) + salt));
}
