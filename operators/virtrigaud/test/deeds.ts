// What roles allow, one thing at a time.
import type { PolicyRule, RbacManifest } from "@telltale/runtime";

/** One thing that is done, in the words of a review. */
export interface Deed {
  /** Empty: everywhere. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  /** Empty: any object. */
  readonly name: string;
}

export function deedsOf(manifests: readonly RbacManifest[]): readonly Deed[] {
  return manifests.flatMap((it) => {
    if (it.kind === "ClusterRole" && "rules" in it) return (it.rules ?? []).flatMap((rule) => ofRule(rule, ""));
    if (it.kind === "Role" && "rules" in it) {
      return (it.rules ?? []).flatMap((rule) => ofRule(rule, it.metadata?.namespace ?? ""));
    }
    return [];
  });
}

function ofRule(
  { apiGroups = [], resources = [], resourceNames = [""], verbs }: PolicyRule,
  namespace: string,
): Deed[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) => {
      const [resource = "", subresource = ""] = path.split("/");
      return verbs.flatMap((verb) =>
        resourceNames.map((name) => ({ namespace, group, resource, subresource, verb, name })),
      );
    }),
  );
}
