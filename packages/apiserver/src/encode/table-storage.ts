// Rows of volumes, the claims on them, and what provides them.
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { ageOf, flag, items, nameOf, none, size, unset, words } from "./cells.ts";
import { columns } from "./columns.ts";
import type { TableForm } from "./table.ts";

export const storageForms: Readonly<Record<string, TableForm>> = {
  "/PersistentVolume": {
    columns: columns(
      "Name:string/name | Capacity | Access Modes | Reclaim Policy | Status | Claim | StorageClass | VolumeAttributesClass | Reason | Age | VolumeMode*",
    ),
    row: (o, now) => [
      nameOf(o),
      words(o, "spec", "capacity", "storage"),
      accessModes(at(o, "spec", "accessModes")),
      words(o, "spec", "persistentVolumeReclaimPolicy"),
      phase(o),
      claim(at(o, "spec", "claimRef")),
      words(o, "metadata", "annotations", oldClass) || words(o, "spec", "storageClassName"),
      words(o, "spec", "volumeAttributesClassName") || unset,
      words(o, "status", "reason"),
      ageOf(o, now),
      words(o, "spec", "volumeMode") || unset,
    ],
  },
  "/PersistentVolumeClaim": {
    columns: columns(
      "Name:string/name | Status | Volume | Capacity | Access Modes | StorageClass | VolumeAttributesClass | Age | VolumeMode*",
    ),
    row: (o, now) => {
      const bound = words(o, "spec", "volumeName") !== "";
      return [
        nameOf(o),
        phase(o),
        words(o, "spec", "volumeName"),
        bound ? words(o, "status", "capacity", "storage") : "",
        bound ? accessModes(at(o, "status", "accessModes")) : "",
        words(o, "metadata", "annotations", oldClass) || words(o, "spec", "storageClassName"),
        words(o, "spec", "volumeAttributesClassName") || unset,
        ageOf(o, now),
        words(o, "spec", "volumeMode") || unset,
      ];
    },
  },
  "storage.k8s.io/StorageClass": {
    columns: columns("Name:string/name | Provisioner | ReclaimPolicy | VolumeBindingMode | AllowVolumeExpansion | Age"),
    row: (o, now) => [
      isDefaultClass(o) ? `${nameOf(o)} (default)` : nameOf(o),
      words(o, "provisioner"),
      words(o, "reclaimPolicy") || "Delete",
      words(o, "volumeBindingMode") || unset,
      flag(o, "allowVolumeExpansion"),
      ageOf(o, now),
    ],
  },
  "storage.k8s.io/VolumeAttachment": {
    columns: columns("Name:string/name | Attacher:string/name | PV | Node | Attached:boolean | Age"),
    row: (o, now) => [
      nameOf(o),
      words(o, "spec", "attacher"),
      words(o, "spec", "source", "persistentVolumeName"),
      words(o, "spec", "nodeName"),
      flag(o, "status", "attached"),
      ageOf(o, now),
    ],
  },
  "storage.k8s.io/CSIDriver": {
    columns: columns(
      "Name:string/name | AttachRequired:boolean | PodInfoOnMount:boolean | StorageCapacity:boolean | TokenRequests | RequiresRepublish:boolean | Modes | Age",
    ),
    row: (o, now) => [
      nameOf(o),
      at(o, "spec", "attachRequired") !== false,
      flag(o, "spec", "podInfoOnMount"),
      flag(o, "spec", "storageCapacity"),
      items(o, "spec", "tokenRequests").length === 0
        ? unset
        : items(o, "spec", "tokenRequests")
            .map((r) => words(r, "audience"))
            .join(","),
      flag(o, "spec", "requiresRepublish"),
      items(o, "spec", "volumeLifecycleModes").map(text).join(",") || none,
      ageOf(o, now),
    ],
  },
  "storage.k8s.io/CSINode": {
    columns: columns("Name:string/name | Drivers:integer | Age"),
    row: (o, now) => [nameOf(o), size(o, "spec", "drivers"), ageOf(o, now)],
  },
  "storage.k8s.io/VolumeAttributesClass": {
    columns: columns("Name:string/name | DriverName | Age"),
    row: (o, now) => [
      words(o, "metadata", "annotations", "volumeattributesclass.alpha.kubernetes.io/is-default-class") === "true"
        ? `${nameOf(o)} (default)`
        : nameOf(o),
      words(o, "driverName"),
      ageOf(o, now),
    ],
  },
};

const oldClass = "volume.beta.kubernetes.io/storage-class";

const phase = (o: JsonObject): string =>
  at(o, "metadata", "deletionTimestamp") === undefined ? words(o, "status", "phase") : "Terminating";

const claim = (ref: Json | undefined): string =>
  isObject(ref) ? `${words(ref, "namespace")}/${words(ref, "name")}` : "";

function isDefaultClass(o: JsonObject): boolean {
  const annotations = at(o, "metadata", "annotations");
  return ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"].some(
    (name) => words(annotations, name) === "true",
  );
}

/** `RWO,ROX`: each mode once, in a fixed order. */
function accessModes(value: Json | undefined): string {
  const given = Array.isArray(value) ? value : [];
  return modes
    .filter(([mode]) => given.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

const modes = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;
