// The VirtualMachine that a migration makes on the new provider (3.3, "Creating"). Pure.
import { VirtualMachine, type VMMigration } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { type Name, resolve } from "../references.ts";
import type { Held } from "./world.ts";

export const placeOf = ({ metadata, spec }: VMMigration): Name => ({
  namespace: spec.target.namespace ?? metadata.namespace ?? "",
  name: spec.target.name,
});

/** How the object says who made it. */
const markOf = ({ metadata }: VMMigration): string => `${metadata.namespace}/${metadata.name}`;

export const isOurs = (object: VirtualMachine | undefined, migration: VMMigration): boolean =>
  object?.metadata.annotations?.[annotations.migration] === markOf(migration);

export const isCompleted = (object: VirtualMachine | undefined): boolean =>
  object?.metadata.annotations?.[annotations.migrationCompleted] === "true";

/** Which of the checks at the end need it to run. */
export const mustRun = ({ spec }: VMMigration): boolean => {
  const { checkBoot = false, checkConnectivity = false } = spec.options?.validationChecks ?? {};
  return checkBoot || checkConnectivity;
};

export const classRefOf = ({ spec }: VMMigration, vm: VirtualMachine | undefined) =>
  spec.target.classRef ?? vm?.spec.classRef ?? { name: "" };

export function targetOf(migration: VMMigration, vm: VirtualMachine | undefined, held: Held): VirtualMachine {
  const { spec, metadata } = migration;
  const { target } = spec;
  const { namespace, name } = placeOf(migration);
  const { targetDiskID = "", targetPath, targetFormat, sourceChecksum } = held.diskInfo ?? {};
  const isOn = target.powerOn === true || mustRun(migration);
  const resources = target.classRef === undefined ? vm?.spec.resources : undefined;
  return {
    apiVersion: VirtualMachine.apiVersion,
    kind: VirtualMachine.kind,
    metadata: {
      name,
      namespace,
      ...(target.labels && { labels: target.labels }),
      annotations: {
        ...target.annotations,
        [annotations.migration]: markOf(migration),
        [annotations.migratedFrom]: `${metadata.namespace}/${spec.source.vmRef.name}`,
        [annotations.importedDiskId]: targetDiskID,
        ...(sourceChecksum && { [annotations.diskChecksum]: sourceChecksum }),
      },
    },
    spec: {
      providerRef: resolve(target.providerRef, metadata.namespace ?? ""),
      classRef: classRefOf(migration, vm),
      ...(resources && { resources }),
      ...(target.networks && { networks: target.networks }),
      ...(target.disks && { disks: target.disks }),
      ...(target.placementRef && { placementRef: target.placementRef }),
      importedDisk: {
        diskID: targetDiskID,
        ...(targetPath && { path: targetPath }),
        format: targetFormat === "vmdk" ? "vmdk" : "qcow2",
        source: "migration",
        migrationRef: { name: metadata.name ?? "" },
      },
      powerState: isOn ? "On" : "Off",
    },
  };
}
