// `placement_json` and `disks_json` (4.4): where a machine goes, and what it gets beside the disk of its image. Pure.
import type { DiskSpec, Placement } from "../kinds/index.ts";

export interface PlacementPayload {
  readonly Datastore: string;
  readonly StoragePod: string;
  readonly Cluster: string;
  readonly Folder: string;
  readonly Host: string;
  readonly ResourcePool: string;
}

/** The first layer that names something counts. A datastore wins over a storage pod, and either over both of a later layer. */
export function placementPayload(...layers: readonly (Placement | undefined)[]): PlacementPayload | null {
  const first = (name: keyof Placement) => layers.map((layer) => layer?.[name] ?? "").find((one) => one !== "") ?? "";
  const storage = layers.find((layer) => (layer?.datastore ?? "") !== "" || (layer?.storagePod ?? "") !== "");
  const datastore = storage?.datastore ?? "";
  const payload = {
    Datastore: datastore,
    StoragePod: datastore === "" ? (storage?.storagePod ?? "") : "",
    Cluster: first("cluster"),
    Folder: first("folder"),
    Host: first("host"),
    ResourcePool: first("resourcePool"),
  };
  return Object.values(payload).every((value) => value === "") ? null : payload;
}

export interface DiskPayload {
  readonly SizeGiB: number;
  readonly Type: string;
  readonly Name: string;
  readonly SCSI?: { readonly controller: number; readonly sharedBus: string; readonly controllerType: string };
}

export const disksPayload = (disks: readonly DiskSpec[] = []): readonly DiskPayload[] =>
  disks.map(({ name, sizeGiB, type = "thin", scsi }) => ({
    SizeGiB: sizeGiB,
    Type: type,
    Name: name,
    ...(scsi && {
      SCSI: {
        controller: scsi.controller ?? 0,
        sharedBus: scsi.sharedBus ?? "noSharing",
        controllerType: scsi.controllerType ?? "pvscsi",
      },
    }),
  }));
