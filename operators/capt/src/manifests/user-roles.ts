// Roles for people and pipelines, two for each kind, to be bound as their cluster likes. Nobody writes a status but the operator.
import type { Kind } from "@telltale/kinds";
import type { ClusterRole } from "@telltale/kinds/builtin";

export const userRoles = (kinds: readonly Kind[]): readonly ClusterRole[] =>
  kinds.flatMap((kind) => [
    role(kind, "editor", ["create", "delete", "get", "list", "patch", "update", "watch"]),
    role(kind, "viewer", ["get", "list", "watch"]),
  ]);

function role({ group, singular, plural, subresources }: Kind, who: string, verbs: readonly string[]): ClusterRole {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `${singular}-${who}` },
    rules: [
      { apiGroups: [group], resources: [plural], verbs: [...verbs] },
      ...(subresources.status ? [{ apiGroups: [group], resources: [`${plural}/status`], verbs: ["get"] }] : []),
    ],
  };
}
