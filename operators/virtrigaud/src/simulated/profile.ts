// How each family of hypervisors behaves: what it says that it can do (5.1), and the habits that whoever asks it has to live with.
import type { Reply } from "../contract/contract.ts";

export interface Profile {
  readonly capabilities: Reply<"getCapabilities">;
  /** Another machine of the same name: the first is given as if it were new, it is refused, or there are two of the name. */
  readonly sameName: "given" | "refused" | "two";
  /** A machine that is copied, or has a snapshot taken or removed, refuses other such work meanwhile. */
  readonly refusesBusy: boolean;
  /** What takes long goes on after the answer, or the answer waits for it. */
  readonly work: "task" | "inline";
  /** Describe of a machine that is not there: an answer, or an error. */
  readonly missing: "answer" | "error";
  /** How a task that failed looks: finished or not. */
  readonly failedTask: "done" | "running";
  /** Whether a new machine is switched on at once. */
  readonly startsOn: boolean;
  /** Whether every refusal arrives as UNKNOWN with a text. */
  readonly plainErrors: boolean;
  /** What becomes of a change of CPUs or memory while a machine is on. */
  readonly resizeWhileOn: "done" | "ignored" | "refused";
  /** Whether a machine's hardware can be brought to a newer version. */
  readonly upgradesHardware: boolean;
  /** A guest that does not go down in time is switched off. */
  readonly endsGuests: boolean;
  /** How the JSON inside requests is read. */
  readonly reads: "struct" | "map";
  readonly machineId: (serial: number, name: string) => string;
  readonly snapshotId: (serial: number, name: string) => string;
}

const can: Reply<"getCapabilities"> = {
  supportsReconfigureOnline: true,
  supportsDiskExpansionOnline: true,
  supportsSnapshots: true,
  supportsMemorySnapshots: true,
  supportsLinkedClones: true,
  supportsImageImport: true,
};

const moves: Reply<"getCapabilities"> = {
  supportsDiskExport: true,
  supportsDiskImport: true,
  supportsExportCompression: true,
  supportedTransferModes: ["relay"],
};

/** Everything there is, additions included: the way we would have every provider be. */
const complete: Profile = {
  capabilities: {
    ...can,
    ...moves,
    supportedDiskTypes: ["thin", "thick", "raw", "qcow2"],
    supportedNetworkTypes: ["bridge", "nat", "distributed"],
    supportedExportFormats: ["qcow2", "raw", "vmdk"],
    supportedImportFormats: ["qcow2", "raw", "vmdk"],
    supportedExportBackends: ["pvc", "s3", "nfs"],
    supportedImportBackends: ["pvc", "s3", "nfs"],
    extensions: [
      "task-progress",
      "quiesce",
      "clone-from-snapshot",
      "image-credentials",
      "request-id",
      "cleanup-staged",
      "guest-exec",
      "inventory",
    ],
    version: "simulated",
    totalVcpus: 64,
    totalMemoryBytes: 256n * 2n ** 30n,
    totalStorageBytes: 4n * 2n ** 40n,
  },
  sameName: "refused",
  refusesBusy: true,
  work: "task",
  missing: "answer",
  failedTask: "done",
  startsOn: false,
  plainErrors: false,
  resizeWhileOn: "done",
  upgradesHardware: true,
  endsGuests: false,
  reads: "struct",
  machineId: (count) => `vm-${count}`,
  snapshotId: (count) => `snap-${count}`,
};

export type ProfileName = "complete" | "vsphere" | "libvirt" | "proxmox" | "mock";

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  complete,
  vsphere: {
    ...complete,
    capabilities: {
      ...can,
      ...moves,
      supportedDiskTypes: ["thin", "thick", "eager-zeroed"],
      supportedNetworkTypes: ["standard", "distributed"],
      supportedExportFormats: ["vmdk", "qcow2", "raw"],
      supportedImportFormats: ["vmdk", "qcow2", "raw"],
      supportedExportBackends: ["pvc", "s3", "nfs"],
      supportedImportBackends: ["pvc", "s3", "nfs"],
    },
    sameName: "given",
    refusesBusy: false,
    work: "inline",
    startsOn: true,
    plainErrors: true,
    endsGuests: true,
    snapshotId: (count) => `snapshot-${count}`,
  },
  libvirt: {
    ...complete,
    capabilities: {
      ...can,
      ...moves,
      supportedDiskTypes: ["qcow2", "raw", "vmdk"],
      supportedNetworkTypes: ["virtio", "e1000", "rtl8139"],
      supportedExportFormats: ["qcow2", "raw"],
      supportedImportFormats: ["qcow2", "raw", "vmdk"],
      supportedExportBackends: ["pvc", "s3", "nfs"],
      supportedImportBackends: ["pvc", "s3", "nfs"],
    },
    sameName: "given",
    refusesBusy: false,
    work: "inline",
    missing: "error",
    failedTask: "running",
    plainErrors: true,
    resizeWhileOn: "ignored",
    upgradesHardware: false,
    endsGuests: true,
    machineId: (_count, name) => name,
    snapshotId: (_count, name) => name.replace(/[^A-Za-z0-9_.-]/g, "-").slice(0, 64),
  },
  proxmox: {
    ...complete,
    capabilities: {
      ...can,
      ...moves,
      supportedDiskTypes: ["raw", "qcow2"],
      supportedNetworkTypes: ["bridge", "vlan"],
      supportedExportFormats: ["qcow2", "raw", "vmdk"],
      supportedImportFormats: ["qcow2", "raw", "vmdk"],
      supportedExportBackends: ["s3", "nfs"],
      supportedImportBackends: ["s3", "nfs"],
    },
    sameName: "two",
    upgradesHardware: false,
    reads: "map",
    machineId: (count) => String(99 + count),
    snapshotId: (_count, name) => name,
  },
  mock: {
    ...complete,
    capabilities: {
      ...can,
      supportedDiskTypes: ["thin", "thick", "raw", "qcow2"],
      supportedNetworkTypes: ["bridge", "nat", "distributed"],
      supportedTransferModes: ["relay"],
    },
    sameName: "two",
    upgradesHardware: false,
  },
};
