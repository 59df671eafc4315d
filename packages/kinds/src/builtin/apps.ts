// The kinds of `apps/v1`.
import type * as apps from "kubernetes-types/apps/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "apps", version: "v1" };

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

export const Deployment = builtin<apps.Deployment>()({
  ...v1,
  kind: "Deployment",
  shortNames: ["deploy"],
  categories: ["all"],
  status: true,
  scale: true,
});
export type Deployment = apps.Deployment;

export const ReplicaSet = builtin<apps.ReplicaSet>()({
  ...v1,
  kind: "ReplicaSet",
  shortNames: ["rs"],
  categories: ["all"],
  status: true,
  scale: true,
});
export type ReplicaSet = apps.ReplicaSet;

export const StatefulSet = builtin<apps.StatefulSet>()({
  ...v1,
  kind: "StatefulSet",
  shortNames: ["sts"],
  categories: ["all"],
  status: true,
  scale: true,
});
export type StatefulSet = apps.StatefulSet;
