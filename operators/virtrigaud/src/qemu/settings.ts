// What this provider is told at its start.

export interface Settings {
  /** An absolute path. */
  readonly stateDir: string;
  /** Folders of images that a machine may be made from as they are. */
  readonly imageDirs: readonly string[];
  /** Where the claims are mounted that disks travel through: a folder per claim. */
  readonly storageDir: string;
  /** Bytes that always stay free on the state directory's disk. */
  readonly minFree: number;
  /** The most bytes of an image from outside: of its file, and of the disk in it. */
  readonly maxImageSize: number;
  readonly ovmfCode?: string;
  readonly ovmfVars?: string;
  readonly bridgeHelper?: string;
  /** Answers an export or import only when it is done. */
  readonly syncTransfers: boolean;
  readonly maxJobs: number;
  /** Where sockets go whose path would be too long. */
  readonly shortDir: string;
  readonly programs: { readonly system: string; readonly img: string };
  readonly version: string;
}

export const defaults = {
  storageDir: "/mnt/migration-storage",
  minFree: 2 ** 30,
  maxImageSize: 100 * 2 ** 30,
  maxJobs: 2,
  programs: { system: "qemu-system-x86_64", img: "qemu-img" },
} as const;
