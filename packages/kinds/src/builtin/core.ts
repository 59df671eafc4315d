// The kinds of the core group, `v1`.
import type * as core from "kubernetes-types/core/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "", version: "v1" };

export const Binding = builtin<core.Binding>()({ ...v1, kind: "Binding" });
export type Binding = core.Binding;

export const ComponentStatus = builtin<core.ComponentStatus>()({
  ...v1,
  kind: "ComponentStatus",
  scope: "Cluster",
  shortNames: ["cs"],
});
export type ComponentStatus = core.ComponentStatus;

export const ConfigMap = builtin<core.ConfigMap>()({ ...v1, kind: "ConfigMap", shortNames: ["cm"] });
export type ConfigMap = core.ConfigMap;

export const Endpoints = builtin<core.Endpoints>()({
  ...v1,
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
});
export type Endpoints = core.Endpoints;

export const CoreEvent = builtin<core.Event>()({ ...v1, kind: "Event", shortNames: ["ev"] });
export type CoreEvent = core.Event;

export const LimitRange = builtin<core.LimitRange>()({ ...v1, kind: "LimitRange", shortNames: ["limits"] });
export type LimitRange = core.LimitRange;

export const Namespace = builtin<core.Namespace>()({
  ...v1,
  kind: "Namespace",
  scope: "Cluster",
  shortNames: ["ns"],
  status: true,
});
export type Namespace = core.Namespace;

export const Node = builtin<core.Node>()({ ...v1, kind: "Node", scope: "Cluster", shortNames: ["no"], status: true });
export type Node = core.Node;

export const PersistentVolume = builtin<core.PersistentVolume>()({
  ...v1,
  kind: "PersistentVolume",
  scope: "Cluster",
  shortNames: ["pv"],
  status: true,
});
export type PersistentVolume = core.PersistentVolume;

export const PersistentVolumeClaim = builtin<core.PersistentVolumeClaim>()({
  ...v1,
  kind: "PersistentVolumeClaim",
  shortNames: ["pvc"],
  status: true,
});
export type PersistentVolumeClaim = core.PersistentVolumeClaim;

export const Pod = builtin<core.Pod>()({ ...v1, kind: "Pod", shortNames: ["po"], categories: ["all"], status: true });
export type Pod = core.Pod;

export const PodTemplate = builtin<core.PodTemplate>()({ ...v1, kind: "PodTemplate" });
export type PodTemplate = core.PodTemplate;

export const ReplicationController = builtin<core.ReplicationController>()({
  ...v1,
  kind: "ReplicationController",
  shortNames: ["rc"],
  categories: ["all"],
  status: true,
  scale: true,
});
export type ReplicationController = core.ReplicationController;

export const ResourceQuota = builtin<core.ResourceQuota>()({
  ...v1,
  kind: "ResourceQuota",
  shortNames: ["quota"],
  status: true,
});
export type ResourceQuota = core.ResourceQuota;

export const Secret = builtin<core.Secret>()({ ...v1, kind: "Secret" });
export type Secret = core.Secret;

export const Service = builtin<core.Service>()({
  ...v1,
  kind: "Service",
  shortNames: ["svc"],
  categories: ["all"],
  status: true,
});
export type Service = core.Service;

export const ServiceAccount = builtin<core.ServiceAccount>()({ ...v1, kind: "ServiceAccount", shortNames: ["sa"] });
export type ServiceAccount = core.ServiceAccount;
