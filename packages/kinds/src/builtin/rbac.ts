// The kinds of `rbac.authorization.k8s.io/v1`.
import type * as rbac from "kubernetes-types/rbac/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "rbac.authorization.k8s.io", version: "v1" };

export const ClusterRole = builtin<rbac.ClusterRole>()({ ...v1, kind: "ClusterRole", scope: "Cluster" });
export type ClusterRole = rbac.ClusterRole;

export const ClusterRoleBinding = builtin<rbac.ClusterRoleBinding>()({
  ...v1,
  kind: "ClusterRoleBinding",
  scope: "Cluster",
});
export type ClusterRoleBinding = rbac.ClusterRoleBinding;

export const Role = builtin<rbac.Role>()({ ...v1, kind: "Role" });
export type Role = rbac.Role;

export const RoleBinding = builtin<rbac.RoleBinding>()({ ...v1, kind: "RoleBinding" });
export type RoleBinding = rbac.RoleBinding;
