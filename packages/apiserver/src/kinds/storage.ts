// Volumes and claims, and the kinds of `storage.k8s.io`.
import { builtin, parseQuantity } from "@telltale/kinds";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "@telltale/kinds/builtin";
import { type Json, type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, notSupported, required } from "../status.ts";
import { immutable, labelSelector, oneOf, optionalOneOf, same, subdomainProblems, told } from "./checks.ts";
import { child, fill, filled, fillZero, given, list } from "./edit.ts";
import { goValue } from "./go-shape.ts";
import { fillVolumeSource } from "./pod-defaults.ts";
import { type Strategy, strategy } from "./strategy.ts";
import { unifiedDiff } from "./unified-diff.ts";

type Found = FieldError[];

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];

const VolumeAttributesClass = builtin()({
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  scope: "Cluster",
  shortNames: ["vac"],
});

const csi = { allowUnconditionalUpdate: false, returnDeletedObject: true };

export const storageStrategies: readonly Strategy[] = [
  strategy(PersistentVolumeClaim, "core.PersistentVolumeClaim", {
    returnDeletedObject: true,
    default: filled((claim) => fillClaimSpec(child(claim, "spec"))),
    prepareCreate: (claim) => ({ ...claim, status: { phase: "Pending" } }),
    validate: (claim) => validateClaimSpec("spec", given(claim, "spec") ?? {}),
    validateUpdate: (claim, old) => [
      ...validateClaimSpec("spec", given(claim, "spec") ?? {}),
      ...claimUpdate(given(claim, "spec") ?? {}, given(old, "spec") ?? {}),
    ],
  }),
  strategy(PersistentVolume, "core.PersistentVolume", {
    returnDeletedObject: true,
    default: filled((volume) => {
      const spec = child(volume, "spec");
      fillZero(spec, "persistentVolumeReclaimPolicy", "Retain");
      fill(spec, "volumeMode", "Filesystem");
      fillVolumeSource(spec);
    }),
    prepareCreate: (volume, { now }) => ({ ...volume, status: { phase: "Pending", lastPhaseTransitionTime: now } }),
    validate: (volume) => validateVolume(given(volume, "spec") ?? {}),
    prepareStatusUpdate: (volume, old, { now }) => {
      const before = text(given(old, "status")?.["phase"]);
      const status = given(volume, "status");
      const moved = status !== undefined && text(status["phase"]) !== before;
      return {
        ...old,
        metadata: volume["metadata"] ?? {},
        ...(status === undefined ? {} : { status: moved ? { ...status, lastPhaseTransitionTime: now } : status }),
      };
    },
  }),
  strategy(StorageClass, "storage.StorageClass", {
    returnDeletedObject: true,
    default: filled((storageClass) => {
      fill(storageClass, "reclaimPolicy", "Delete");
      fill(storageClass, "volumeBindingMode", "Immediate");
    }),
    validate: validateStorageClass,
    validateUpdate: (object, old) => [...validateStorageClass(object), ...classUpdate(object, old)],
  }),
  strategy(CSIDriver, undefined, {
    ...csi,
    default: filled((driver) => {
      const spec = child(driver, "spec");
      fill(spec, "attachRequired", true);
      fill(spec, "podInfoOnMount", false);
      fill(spec, "storageCapacity", false);
      fill(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
      if (list(spec, "volumeLifecycleModes").length === 0) spec["volumeLifecycleModes"] = ["Persistent"];
      fill(spec, "requiresRepublish", false);
      fill(spec, "seLinuxMount", false);
    }),
  }),
  strategy(CSINode, undefined, csi),
  strategy(CSIStorageCapacity, undefined, { allowUnconditionalUpdate: false }),
  strategy(VolumeAttachment, undefined, {
    ...csi,
    prepareCreate: (attachment) => ({ ...attachment, status: { attached: false } }),
  }),
  strategy(VolumeAttributesClass, undefined, {}),
];

/** The defaults of a claim, also as a template of a StatefulSet. */
export function fillClaimSpec(spec: JsonObject): void {
  fill(spec, "volumeMode", "Filesystem");
}

export function validateClaimSpec(field: string, spec: JsonObject): Found {
  const modes = list(spec, "accessModes");
  const found: Found =
    modes.length === 0 ? [required(`${field}.accessModes`, "at least 1 access mode is required")] : [];
  found.push(...labelSelector(`${field}.selector`, given(spec, "selector")));
  for (const mode of modes) found.push(...oneOf(`${field}.accessModes`, mode, accessModes));
  if (modes.includes("ReadWriteOncePod") && modes.length > 1)
    found.push(forbiddenField(`${field}.accessModes`, "may not use ReadWriteOncePod with other access modes"));
  const storage = given(given(spec, "resources"), "requests")?.["storage"];
  if (storage === undefined) found.push(required(`${field}.resources[storage]`));
  else found.push(...positive(`${field}.resources[storage]`, storage));
  const storageClass = text(spec["storageClassName"]);
  if (storageClass !== "")
    found.push(...told(`${field}.storageClassName`, storageClass, subdomainProblems(storageClass)));
  found.push(...optionalOneOf(`${field}.volumeMode`, spec["volumeMode"], volumeModes));
  return found;
}

function positive(field: string, quantity: Json): Found {
  const parsed = parseQuantity(String(quantity));
  return parsed !== undefined && parsed.nano <= 0n ? [invalidField(field, quantity, "must be greater than zero")] : [];
}

/** A claim that is there can grow, and once take a volume, and a class where it named none. */
function claimUpdate(spec: JsonObject, old: JsonObject): Found {
  const changed = { ...spec };
  if (text(old["volumeName"]) === "") delete changed["volumeName"];
  if (old["storageClassName"] === undefined) delete changed["storageClassName"];
  const fixed = (s: JsonObject): JsonObject => {
    const { resources: _, volumeAttributesClassName: __, ...rest } = s;
    return rest;
  };
  if (same(fixed(changed), fixed(old))) return [];
  const printed = (claim: JsonObject): string =>
    JSON.stringify(goValue("core.PersistentVolumeClaimSpec", claim), null, " ");
  const why =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [forbiddenField("spec", `${why}\n${unifiedDiff(printed(old), printed(changed))}`)];
}

const volumeSources = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "csi",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "glusterfs",
  "hostPath",
  "iscsi",
  "local",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
];

function validateVolume(spec: JsonObject): Found {
  const modes = list(spec, "accessModes");
  const capacity = given(spec, "capacity");
  const found: Found = modes.length === 0 ? [required("spec.accessModes")] : [];
  for (const mode of modes) found.push(...oneOf("spec.accessModes", mode, accessModes));
  if (capacity === undefined || Object.keys(capacity).length === 0) found.push(required("spec.capacity"));
  if (capacity?.["storage"] === undefined || Object.keys(capacity).length > 1)
    found.push(notSupported("spec.capacity", capacity, ["storage"]));
  for (const [name, quantity] of Object.entries(capacity ?? {}))
    found.push(...positive(`spec.capacity[${name}]`, quantity));
  const reclaim = text(spec["persistentVolumeReclaimPolicy"]);
  if (reclaim !== "")
    found.push(...oneOf("spec.persistentVolumeReclaimPolicy", reclaim, ["Delete", "Recycle", "Retain"]));
  const sources = volumeSources.filter((name) => given(spec, name) !== undefined);
  if (sources.length === 0) found.push(required("spec", "must specify a volume type"));
  for (const name of sources.slice(1))
    found.push(forbiddenField(`spec.${name}`, "may not specify more than 1 volume type"));
  found.push(...optionalOneOf("spec.volumeMode", spec["volumeMode"], volumeModes));
  return found;
}

function validateStorageClass(object: JsonObject): Found {
  return [
    ...(text(object["provisioner"]) === "" ? [required("provisioner")] : []),
    ...optionalOneOf("reclaimPolicy", object["reclaimPolicy"], ["Delete", "Retain"]),
    ...optionalOneOf("volumeBindingMode", object["volumeBindingMode"], ["Immediate", "WaitForFirstConsumer"]),
  ];
}

function classUpdate(object: JsonObject, old: JsonObject): Found {
  return ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]
    .filter((name) => !same(object[name], old[name]))
    .map((name) => immutable(name, object[name]));
}
