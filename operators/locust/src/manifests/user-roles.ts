// Roles for people and pipelines that work with tests, to be bound as their cluster likes.
import type { ClusterRole } from "@telltale/kinds/builtin";

export function userRoles(): readonly ClusterRole[] {
  const reading = ["get", "list", "watch"];
  return [
    role("locusttest-admin-role", ["*"]),
    role("locusttest-editor-role", ["create", "delete", "get", "list", "patch", "update", "watch"]),
    role("locusttest-viewer-role", reading),
  ];
}

/** Nobody writes a status but the operator. */
function role(name: string, verbs: readonly string[]): ClusterRole {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    rules: [
      { apiGroups: ["locust.io"], resources: ["locusttests"], verbs: [...verbs] },
      { apiGroups: ["locust.io"], resources: ["locusttests/status"], verbs: ["get"] },
    ],
  };
}
