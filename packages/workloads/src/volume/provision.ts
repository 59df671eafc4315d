// A volume for a claim, out of nothing. Where pods are processes it is a folder; where they are simulated, only its name.
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@telltale/kinds/builtin";
import { nameOf, uidOf } from "../pods/facts.ts";
import { requestOf } from "./match.ts";
import { provisioner } from "./storage-class.ts";

export const provisionedBy = "pv.kubernetes.io/provisioned-by";

export const volumeName = (claim: PersistentVolumeClaim): string => `pvc-${uidOf(claim)}`;

export const isOurs = ({ metadata }: PersistentVolume): boolean =>
  metadata?.annotations?.[provisionedBy] === provisioner;

export function volumeFor(claim: PersistentVolumeClaim, of: StorageClass, folder: string): PersistentVolume {
  const { accessModes, volumeMode } = claim.spec ?? {};
  const { mountOptions } = of;
  return {
    metadata: { name: volumeName(claim), annotations: { [provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: requestOf(claim) },
      accessModes: accessModes ?? [],
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: of.reclaimPolicy ?? "Delete",
      storageClassName: nameOf(of),
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(mountOptions === undefined ? {} : { mountOptions }),
      hostPath: { path: `${folder}/${volumeName(claim)}`, type: "DirectoryOrCreate" },
    },
  };
}

export const referenceTo = ({ metadata }: PersistentVolumeClaim) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  namespace: metadata?.namespace ?? "",
  name: metadata?.name ?? "",
  uid: metadata?.uid ?? "",
  resourceVersion: metadata?.resourceVersion ?? "",
});
