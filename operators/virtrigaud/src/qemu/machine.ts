// What a machine is on disk, `vm.json`: what was asked for and what was chosen once. Whether it runs is never stored, but observed.

export interface Machine {
  readonly schema: 1;
  readonly id: string;
  readonly name: string;
  readonly uuid: string;
  /** The caller's key: the same one gives the same machine. */
  readonly requestId: string;
  /** A hash of what was asked for, to tell the same request from another one of the same name. */
  readonly fingerprint: string;
  readonly createdAt: string;
  /** `creating` until its disks are there. */
  readonly state: "creating" | "defined";
  /** The task that makes it. */
  readonly task: string;
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly hotAdd: HotAdd;
  readonly firmware: Firmware;
  readonly root: RootDisk;
  readonly disks: readonly DataDisk[];
  readonly nics: readonly Nic[];
  readonly userData: "cloud-init" | "ignition";
  readonly tags: readonly string[];
  /** The number of the next layer: none is used twice. */
  readonly nextLayer: number;
  /** A layer that is being put on top of every disk: whether it is there already has to be looked at. */
  readonly freezing?: number;
  /** Machines whose frozen layers are below a disk of this one. */
  readonly basedOn: readonly string[];
}

export interface HotAdd {
  readonly cpu: boolean;
  readonly memory: boolean;
}

export type Firmware = "bios" | "uefi";

export interface RootDisk {
  /** What the class asks for; the image's own size where it asks for less, or nothing. */
  readonly sizeGiB?: number;
  readonly isThick: boolean;
  readonly from: ImageSource;
  /** The layer that takes the writes. */
  readonly layer: number;
}

/** Where the root disk comes from. */
export type ImageSource =
  /** An image of this provider: below the disk, or copied. */
  | { readonly is: "image"; readonly target: string }
  /** A file in one of the image folders. */
  | { readonly is: "file"; readonly path: string; readonly format: DiskFormat }
  /** An imported disk, which becomes the root disk. */
  | { readonly is: "import"; readonly disk: string }
  | { readonly is: "url"; readonly url: string; readonly format: DiskFormat; readonly checksum?: Checksum }
  /** A machine of this provider; its copy is made by the clone's own steps. */
  | { readonly is: "clone"; readonly of: string; readonly isLinked: boolean };

export const diskFormats = ["qcow2", "raw", "vmdk"] as const;
export type DiskFormat = (typeof diskFormats)[number];

export const checksumTypes = ["md5", "sha1", "sha256", "sha512"] as const;
export interface Checksum {
  readonly type: (typeof checksumTypes)[number];
  /** In lower-case hexadecimal. */
  readonly value: string;
}

export interface DataDisk {
  readonly name: string;
  readonly sizeGiB: number;
  readonly isThick: boolean;
  /** Chosen once: what QEMU knows it by. */
  readonly slot: number;
  readonly layer: number;
}

/** A disk by its name: what QEMU calls its device, and the layer that takes its writes. */
export interface Disk {
  readonly name: string;
  readonly device: string;
  readonly layer: number;
}

export function disksOf(machine: Machine): readonly Disk[] {
  const data = machine.disks.map((disk) => ({ name: disk.name, device: deviceOf(disk), layer: disk.layer }));
  return [{ name: "root", device: rootDevice, layer: machine.root.layer }, ...data];
}

/** The machine with other active layers. */
export function withLayers(machine: Machine, layers: Readonly<Record<string, number>>): Machine {
  const { freezing: _, ...rest } = machine;
  return {
    ...rest,
    root: { ...machine.root, layer: layers["root"] ?? machine.root.layer },
    disks: machine.disks.map((disk) => ({ ...disk, layer: layers[disk.name] ?? disk.layer })),
  };
}

export interface Nic {
  readonly name: string;
  readonly model: "virtio" | "e1000";
  readonly mac: string;
  readonly net: Net;
  readonly address?: StaticAddress;
}

/** What a NIC is connected to. */
export type Net =
  /** Out through the host's own addresses, with a port of its loopback that leads to the guest's SSH. */
  | { readonly is: "user"; readonly sshPort: number }
  /** Machines with the same name see each other, and nobody else. */
  | { readonly is: "isolated"; readonly name: string; readonly port: number }
  | { readonly is: "bridge"; readonly bridge: string };

export interface StaticAddress {
  readonly ip: string;
  readonly prefix: number;
  readonly gateway?: string;
  readonly dns: readonly string[];
}

/** What QEMU was started with: `run/process.json`. */
export interface Process {
  readonly pid: number;
  /** In clock ticks since the host's start: with the pid it names one process for good. */
  readonly start: string;
  readonly accelerator: Accelerator;
}

export type Accelerator = "kvm" | "tcg";

export const rootDevice = "d-root";
export const deviceOf = (disk: DataDisk): string => `d-data${disk.slot}`;
export const nodeOf = (disk: DataDisk): string => `data${disk.slot}`;

/** CPUs and memory that a machine can have while it runs: four times what it starts with where its class allows to add. */
export function headroom(machine: Machine): { readonly cpus: number; readonly memoryMiB: number } {
  return {
    cpus: machine.hotAdd.cpu ? Math.min(machine.cpu * 4, 255) : machine.cpu,
    memoryMiB: machine.hotAdd.memory ? machine.memoryMiB * 4 : machine.memoryMiB,
  };
}
