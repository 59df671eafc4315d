// Where everything is under the state directory. Pure: nothing here touches a disk.
import { join } from "node:path";

/** A socket's path may have 107 bytes. The longest name in a machine's run folder takes nine more than the folder. */
const longestSocketFolder = 107 - "/qmp.sock".length;

export interface Layout {
  readonly root: string;
  readonly lock: string;
  readonly machines: string;
  readonly images: string;
  readonly imports: string;
  readonly tasks: string;
  readonly trash: string;
  machine(id: string): MachinePaths;
  image(target: string): ImagePaths;
  imported(disk: string): string;
  task(id: string): TaskPaths;
}

export interface MachinePaths {
  readonly folder: string;
  readonly config: string;
  readonly disks: string;
  readonly bases: string;
  readonly seed: string;
  readonly seedImage: string;
  /** A folder, or a link to a shorter one where sockets would have too long a path. */
  readonly run: string;
  readonly process: string;
  readonly pidFile: string;
  readonly serialLog: string;
  readonly log: string;
  readonly snapshots: string;
  /** A layer of a disk: the first one, or one that was put on top of it. */
  disk(name: string, layer: number): string;
}

export interface ImagePaths {
  readonly folder: string;
  readonly disk: string;
  readonly config: string;
  readonly download: string;
}

export interface TaskPaths {
  readonly record: string;
  readonly log: string;
  readonly rc: string;
}

export function layoutOf(root: string): Layout {
  return {
    root,
    lock: join(root, "lock"),
    machines: join(root, "vms"),
    images: join(root, "images"),
    imports: join(root, "imports"),
    tasks: join(root, "tasks"),
    trash: join(root, "trash"),
    machine(id) {
      const folder = join(root, "vms", id);
      const at = (...names: string[]) => join(folder, ...names);
      return {
        folder,
        config: at("vm.json"),
        disks: at("disks"),
        bases: at("disks", "base"),
        seed: at("seed"),
        seedImage: at("seed", "seed.img"),
        run: at("run"),
        process: at("run", "process.json"),
        pidFile: at("run", "qemu.pid"),
        serialLog: at("run", "serial.log"),
        log: at("run", "qemu.log"),
        snapshots: at("snapshots.json"),
        disk: (name, layer) =>
          layer === 0 ? at("disks", `${name}.qcow2`) : at("disks", "base", `${layer}-${name}.qcow2`),
      };
    },
    image(target) {
      const folder = join(root, "images", target);
      return {
        folder,
        disk: join(folder, "image.qcow2"),
        config: join(folder, "image.json"),
        download: join(folder, "image.part"),
      };
    },
    imported: (disk) => join(root, "imports", `${disk}.qcow2`),
    task: (id) => ({
      record: join(root, "tasks", `${id}.json`),
      log: join(root, "tasks", `${id}.log`),
      rc: join(root, "tasks", `${id}.rc`),
    }),
  };
}

/** Where a machine's sockets really are: its own run folder, or where that is too long a folder of `short`. */
export function socketFolder(run: string, id: string, short: string): string {
  return Buffer.byteLength(run) <= longestSocketFolder ? run : join(short, `telltale-qemu-${id}`);
}
