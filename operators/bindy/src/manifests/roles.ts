// The roles of 12.1 and who has them. Namespaces with instances are a parameter: in each of them the operator keeps keys, and
// the pods ask whose token they were shown. Pure.
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount } from "@telltale/kinds/builtin";
import type { PolicyRule } from "@telltale/runtime";
import { operatorNamespace, operatorServiceAccount, podServiceAccount } from "../names.ts";
import { adminRights, leaseRights, operatorRights, secretRights, tokenReviewRights } from "./rights.ts";

export interface RoleOptions {
  /** Where the operator runs. */
  readonly namespace?: string;
  /** Where the Lease is, if not there. */
  readonly leases?: string;
  /** Where there are instances. */
  readonly operands: readonly string[];
}

export type RoleManifest = ServiceAccount | ClusterRole | ClusterRoleBinding | Role | RoleBinding;

const apiVersion = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

export function roles({
  namespace = operatorNamespace,
  leases = namespace,
  operands,
}: RoleOptions): readonly RoleManifest[] {
  const operator = subject(operatorServiceAccount, namespace);
  const places = [...new Set(operands)].sort();
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: operatorServiceAccount, namespace } },
    clusterRole("bindy-role", operatorRights),
    clusterBinding("bindy-rolebinding", "bindy-role", [operator]),
    ...inNamespace("bindy-leader", leases, leaseRights, operator),
    ...places.flatMap((place) => inNamespace("bindy-secrets-writer", place, secretRights, operator)),
    clusterRole("bindcar-tokenreview", tokenReviewRights),
    clusterBinding(
      "bindcar-tokenreview",
      "bindcar-tokenreview",
      places.map((place) => subject(podServiceAccount, place)),
    ),
    clusterRole("bindy-admin-role", adminRights),
  ];
}

type Subject = NonNullable<ClusterRoleBinding["subjects"]>[number];

const subject = (name: string, namespace: string): Subject => ({ kind: "ServiceAccount", name, namespace });

function clusterRole(name: string, rules: readonly PolicyRule[]): ClusterRole {
  return { apiVersion, kind: "ClusterRole", metadata: { name }, rules: [...rules] };
}

function clusterBinding(name: string, role: string, subjects: readonly Subject[]): ClusterRoleBinding {
  const roleRef = { apiGroup, kind: "ClusterRole", name: role };
  return { apiVersion, kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects: [...subjects] };
}

function inNamespace(name: string, namespace: string, rules: readonly PolicyRule[], who: Subject): RoleManifest[] {
  const metadata = { name, namespace };
  const roleRef = { apiGroup, kind: "Role", name };
  return [
    { apiVersion, kind: "Role", metadata, rules: [...rules] },
    { apiVersion, kind: "RoleBinding", metadata, roleRef, subjects: [who] },
  ];
}
