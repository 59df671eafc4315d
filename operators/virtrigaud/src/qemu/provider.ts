// The provider: every method of the contract, on one box. Nothing here decides; each method is in a file of its own.
import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import type { Ms } from "@telltale/kinds";
import type { Handlers, Reply } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { Box } from "./box.ts";
import { clone, cloneWork } from "./clone.ts";
import { create, createWork, startCreate } from "./create.ts";
import { remove } from "./delete.ts";
import { Describing } from "./describe.ts";
import { getDiskInfo } from "./disk-info.ts";
import type { Fetch } from "./download.ts";
import { guestExec } from "./guest-exec.ts";
import type { Host } from "./host.ts";
import { imagePrepare, imageWork } from "./image.ts";
import { type Lock, takeLock } from "./lock.ts";
import { diskFormats } from "./machine.ts";
import { power, shutdownWork } from "./power.ts";
import { reconfigure } from "./reconfigure.ts";
import type { Settings } from "./settings.ts";
import { settle } from "./settle.ts";
import { snapshotCreate, snapshotWork } from "./snapshot-create.ts";
import { mergeWork } from "./snapshot-merge.ts";
import { revertWork, snapshotDelete, snapshotRevert, unsnapshotWork } from "./snapshot-revert.ts";
import { cleanupStaged } from "./staging.ts";
import { Tasks } from "./tasks.ts";
import { exportDisk, exportWork, importDisk, importWork, sweepImports } from "./transfer.ts";
import { rpcError } from "./work.ts";

export interface QemuProvider {
  readonly handlers: Handlers;
  /** What has to be well for calls to make sense. */
  check(): Promise<void>;
  /** Lets go of the state directory. Machines and what copies disks go on. */
  stop(): void;
}

/** Opens the state directory, and goes on with what an earlier provider has begun. */
export async function openProvider(host: Host, settings: Settings, fetch: Fetch): Promise<QemuProvider> {
  const box = new Box(host, settings, fetch);
  const { layout } = box;
  for (const folder of [layout.root, layout.machines, layout.images, layout.imports, layout.tasks, layout.trash])
    await host.folder(folder);
  const lock: Lock = takeLock(layout.lock);
  try {
    box.tasks = new Tasks(host, layout, settings.maxJobs, {
      create: createWork(box),
      image: imageWork(box),
      shutdown: shutdownWork(box),
      snapshot: snapshotWork(box),
      revert: revertWork(box),
      unsnapshot: unsnapshotWork(box),
      merge: mergeWork(box),
      clone: cloneWork(box),
      export: exportWork(box),
      import: importWork(box),
    });
    await box.machines.load();
    await box.machines.emptyTrash();
    // A machine that does not answer now is looked at again before its layers change.
    for (const machine of box.machines.all()) await settle(box, machine).catch(() => undefined);
    await box.tasks.resume();
    await sweepImports(box);
    for (const machine of box.machines.all()) {
      if (machine.state !== "creating") continue;
      const task = box.tasks.get(machine.task);
      // Of a clone only its task knows what it is a clone of.
      if (task === undefined && machine.root.from.is !== "clone") await startCreate(box, machine, {});
      else if (task === undefined || task.state === "failed") await box.machines.drop(machine.id);
    }
  } catch (error) {
    lock.release();
    throw error;
  }
  const health = new Validation(box);
  return {
    handlers: handlersOf(box, health),
    async check() {
      const { message } = await health.validate();
      if (message !== "") throw new Error(message);
    },
    stop() {
      box.tasks.stop();
      box.running.close();
      lock.release();
    },
  };
}

function handlersOf(box: Box, health: Validation): Handlers {
  const describing = new Describing(box);
  const none = (what: string) => () => Promise.reject(new RpcError("UNIMPLEMENTED", `this provider has no ${what}`));
  return {
    validate: async () => {
      const { message } = await health.validate();
      return message === "" ? { ok: true } : { ok: false, message };
    },
    getCapabilities: () => capabilities(box),
    create: plainly((request) => create(box, request)),
    delete: plainly(async ({ id }) => {
      await remove(box, id);
      describing.forget(id);
      return {};
    }),
    power: plainly((request) => power(box, request)),
    reconfigure: plainly((request) => reconfigure(box, request)),
    hardwareUpgrade: none("hardware versions"),
    describe: plainly(({ id }) => describing.describe(id)),
    listVMs: () => describing.list(),
    taskStatus: async ({ task }) => taskStatus(box, task?.id ?? ""),
    imagePrepare: plainly((request) => imagePrepare(box, request)),
    getDiskInfo: plainly((request) => getDiskInfo(box, request)),
    guestExec: plainly((request) => guestExec(box, request)),
    snapshotCreate: plainly((request) => snapshotCreate(box, request)),
    snapshotDelete: plainly((request) => snapshotDelete(box, request)),
    snapshotRevert: plainly((request) => snapshotRevert(box, request)),
    clone: plainly((request) => clone(box, request)),
    exportDisk: plainly((request) => exportDisk(box, request)),
    importDisk: plainly((request) => importDisk(box, request)),
    cleanupStaged: plainly((request) => cleanupStaged(box, request)),
  };
}

/** Whatever goes wrong below is told in the contract's own terms, without the host's paths. */
function plainly<A extends unknown[], R>(handler: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await handler(...args);
    } catch (error) {
      throw rpcError(error);
    }
  };
}

function taskStatus(box: Box, id: string): Reply<"taskStatus"> {
  const record = box.tasks.get(id);
  if (record === undefined) throw new RpcError("NOT_FOUND", "task not found");
  const { state, error, percent, bytesDone, bytesTotal, stage, result } = record;
  return {
    done: state === "done" || state === "failed",
    error: error === undefined ? "" : `${error.code}: ${error.message}`,
    percent,
    bytesDone: BigInt(bytesDone),
    bytesTotal: BigInt(bytesTotal),
    stage,
    resultJson: state === "done" ? JSON.stringify(result) : "",
  };
}

async function capabilities(box: Box): Promise<Reply<"getCapabilities">> {
  const { blocks, bsize } = await statfs(box.layout.root);
  return {
    supportsReconfigureOnline: true,
    supportsDiskExpansionOnline: true,
    supportsSnapshots: true,
    supportsMemorySnapshots: true,
    supportsLinkedClones: true,
    supportsImageImport: true,
    supportedDiskTypes: ["qcow2"],
    supportedNetworkTypes: ["virtio", "e1000"],
    supportsDiskExport: true,
    supportsDiskImport: true,
    supportedExportFormats: [...diskFormats],
    supportedImportFormats: [...diskFormats],
    supportsExportCompression: true,
    supportedExportBackends: ["pvc"],
    supportedImportBackends: ["pvc"],
    supportedTransferModes: ["relay"],
    extensions: [
      "task-progress",
      "quiesce",
      "clone-from-snapshot",
      "image-credentials",
      "request-id",
      "cleanup-staged",
      "guest-exec",
    ],
    version: box.settings.version,
    totalVcpus: cpus().length,
    totalMemoryBytes: BigInt(totalmem()),
    totalStorageBytes: BigInt(blocks * bsize),
  };
}

const versionsKept: Ms = 60_000;

/** Whether this box can run machines. Its programs are asked once a minute. */
class Validation {
  readonly #box: Box;
  #programs: { readonly at: Ms; readonly message: Promise<string> } | undefined;

  constructor(box: Box) {
    this.#box = box;
  }

  /** An empty message is well. */
  async validate(): Promise<{ readonly message: string }> {
    const { host, layout, settings } = this.#box;
    const now = host.clock.uptime();
    if (this.#programs === undefined || now - this.#programs.at > versionsKept)
      this.#programs = { at: now, message: this.#versions() };
    const message = await this.#programs.message;
    if (message !== "") return { message };
    const isWritable = await access(layout.root, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!isWritable) return { message: "the state directory cannot be written to" };
    const free = await host.free(layout.root);
    if (free < settings.minFree)
      return { message: `no space: ${free} bytes are free, and ${settings.minFree} must stay free` };
    return { message: "" };
  }

  async #versions(): Promise<string> {
    const { img, system } = this.#box.settings.programs;
    for (const program of [system, img]) {
      const { code } = await this.#box.host.run([program, "--version"], 10_000);
      if (code !== 0) return `${program} does not run on this host; install qemu-system-x86 and qemu-utils`;
    }
    return "";
  }
}
