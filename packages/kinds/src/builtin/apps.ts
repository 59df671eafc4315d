// The kinds of `apps/v1`.
import type * as apps from "kubernetes-types/apps/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "apps", version: "v1" };

/** What a newer server says in a status than the types know. */
type Saying<T extends { status?: unknown }, S> = Omit<T, "status"> & { status?: NonNullable<T["status"]> & S };

export const ControllerRevision = builtin<apps.ControllerRevision>()({ ...v1, kind: "ControllerRevision" });
export type ControllerRevision = apps.ControllerRevision;

export const DaemonSet = builtin<apps.DaemonSet>()({
  ...v1,
  kind: "DaemonSet",
  shortNames: ["ds"],
  categories: ["all"],
  status: true,
});
export type DaemonSet = apps.DaemonSet;

export const Deployment = builtin<Deployment>()({
  ...v1,
  kind: "Deployment",
  shortNames: ["deploy"],
  categories: ["all"],
  status: true,
  scale: true,
});
export type Deployment = Saying<apps.Deployment, { terminatingReplicas?: number }>;

export const ReplicaSet = builtin<ReplicaSet>()({
  ...v1,
  kind: "ReplicaSet",
  shortNames: ["rs"],
  categories: ["all"],
  status: true,
  scale: true,
});
export type ReplicaSet = Saying<apps.ReplicaSet, { terminatingReplicas?: number }>;

export const StatefulSet = builtin<apps.StatefulSet>()({
  ...v1,
  kind: "StatefulSet",
  shortNames: ["sts"],
  categories: ["all"],
  status: true,
  scale: true,
});
export type StatefulSet = apps.StatefulSet;
