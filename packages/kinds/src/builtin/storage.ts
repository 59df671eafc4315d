// The kinds of `storage.k8s.io/v1`.
import type * as storage from "kubernetes-types/storage/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "storage.k8s.io", version: "v1" };

export const CSIDriver = builtin<storage.CSIDriver>()({ ...v1, kind: "CSIDriver", scope: "Cluster" });
export type CSIDriver = storage.CSIDriver;

export const CSINode = builtin<storage.CSINode>()({ ...v1, kind: "CSINode", scope: "Cluster" });
export type CSINode = storage.CSINode;

export const CSIStorageCapacity = builtin<storage.CSIStorageCapacity>()({ ...v1, kind: "CSIStorageCapacity" });
export type CSIStorageCapacity = storage.CSIStorageCapacity;

export const StorageClass = builtin<storage.StorageClass>()({
  ...v1,
  kind: "StorageClass",
  scope: "Cluster",
  shortNames: ["sc"],
});
export type StorageClass = storage.StorageClass;

export const VolumeAttachment = builtin<storage.VolumeAttachment>()({
  ...v1,
  kind: "VolumeAttachment",
  scope: "Cluster",
  status: true,
});
export type VolumeAttachment = storage.VolumeAttachment;
