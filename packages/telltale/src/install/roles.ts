// The roles of an operator as they are installed: what its controllers need, and what it needs to see another controller of the same kinds
// before it acts. Without the second part it starts too, and says that it could not look. Pure.
import type { KubeObject } from "@telltale/kinds";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount } from "@telltale/kinds/builtin";
import type { InstallOptions, Operator } from "../operators/operator.ts";

const apiVersion = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

export function rolesOf(operator: Operator, options: InstallOptions): readonly KubeObject[] {
  const roles = operator.roles(options);
  return [...roles, ...lookUpRoles(operator, options, roles)];
}

/** In the whole cluster where the operator works there, else in its namespaces only: whoever restricts it does not want more. */
export function lookUpRoles(
  operator: Pick<Operator, "name">,
  options: Pick<InstallOptions, "namespace">,
  roles: readonly KubeObject[],
): readonly (ClusterRole | ClusterRoleBinding | Role | RoleBinding)[] {
  const account = roles.find((object): object is ServiceAccount => object.kind === "ServiceAccount");
  const { name = "", namespace = options.namespace } = account?.metadata ?? {};
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const metadata = { name: `${operator.name}-preflight` };
  const rules = [
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list"] },
  ];
  const isBound = ({ subjects: all = [] }: ClusterRoleBinding | RoleBinding) => all.some((it) => it.name === name);
  if (roles.some((it) => it.kind === "ClusterRoleBinding" && isBound(it as ClusterRoleBinding))) {
    const roleRef = { apiGroup, kind: "ClusterRole", ...metadata };
    return [
      { apiVersion, kind: "ClusterRole", metadata, rules },
      { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects },
    ];
  }
  const bound = roles.filter((it) => it.kind === "RoleBinding" && isBound(it as RoleBinding));
  const namespaces = new Set([options.namespace, ...bound.map((it) => it.metadata?.namespace ?? "")]);
  return [...namespaces].sort().flatMap((place): (Role | RoleBinding)[] => [
    { apiVersion, kind: "Role", metadata: { ...metadata, namespace: place }, rules },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata: { ...metadata, namespace: place },
      roleRef: { apiGroup, kind: "Role", ...metadata },
      subjects,
    },
  ]);
}
