// What is sent to export and import a disk, and what the answers mean (3.3, 4.2, 4.9). Pure.
import type { Answer, Request } from "../contract/contract.ts";
import type { ProviderType } from "../kinds/provider-spec.ts";
import type { TaskResult } from "../link/task.ts";
import { storageOptionsJson } from "../payload/storage.ts";
import { bareUrl } from "../redact.ts";
import type { Credentials } from "./outside.ts";
import { attemptOf, exportsOf, nativeFormat, stagedFormat, stagedObject } from "./staging.ts";
import type { Held, World } from "./world.ts";

export function exportRequest(world: World, url: string, credentials: Credentials): Request<"exportDisk"> {
  const { migration, source, held, from } = world;
  return {
    vmId: source.vm?.status?.id ?? "",
    diskId: "",
    snapshotId: held.snapshotID ?? "",
    destinationUrl: url,
    format: stagedFormat(migration, from.channel.provider?.spec.type),
    compress: migration.spec.options?.compress === true,
    ...wayOf(world, credentials),
  };
}

export function importRequest(world: World, name: string, credentials: Credentials): Request<"importDisk"> {
  const { migration, held, from, staged } = world;
  const { url, format, isConverted } = stagedObject(migration, staged, held, from.channel.provider?.spec.type);
  const checksum = (isConverted ? held.diskInfo?.checksum : held.diskInfo?.sourceChecksum) ?? "";
  return {
    sourceUrl: url,
    storageHint: "",
    format,
    targetName: name,
    // Without a checksum there is nothing to compare with.
    verifyChecksum: migration.spec.options?.verifyChecksums !== false && checksum !== "",
    expectedChecksum: checksum,
    ...wayOf(world, credentials),
  };
}

/** `auto` is `relay`: nobody implements anything else. */
function wayOf({ migration }: World, credentials: Credentials) {
  const { storage } = migration.spec;
  const mode = storage?.transferMode ?? "auto";
  return {
    credentials: { ...credentials },
    backendType: storage?.type ?? "pvc",
    transferMode: mode === "auto" ? "relay" : mode,
    storageOptionsJson: storage === undefined ? "" : storageOptionsJson(storage),
  };
}

export function exported({ held, staged }: World, answer: Answer<"exportDisk">): Held {
  const url = exportsOf(staged).at(-1) ?? "";
  const { exportId, task, estimatedSizeBytes, checksum } = answer;
  const taskRef = task?.id ?? "";
  const size = estimatedSizeBytes > 0n ? estimatedSizeBytes : undefined;
  return {
    ...held,
    exportID: exportId === "" ? `export-${attemptOf(url)}` : exportId,
    ...(taskRef !== "" && { taskRef }),
    diskInfo: { ...held.diskInfo, ...(checksum !== "" && { sourceChecksum: checksum }) },
    storageInfo: { url: bareUrl(url) ?? "", ...(size !== undefined && taskRef === "" && { size: String(size) }) },
    progress: { ...held.progress, ...(size !== undefined && { totalBytes: Number(size) }) },
  };
}

/** The task of an export is done. */
export function exportedByTask(held: Held, result: TaskResult): Held {
  const { taskRef: _done, ...kept } = held;
  const checksum = textIn(result, "checksum");
  const exportID = textIn(result, "export_id") ?? kept.exportID;
  const size = numberIn(result, "size_bytes");
  return {
    ...kept,
    ...(exportID !== undefined && { exportID }),
    diskInfo: { ...kept.diskInfo, ...(checksum !== undefined && { sourceChecksum: checksum }) },
    storageInfo: { ...kept.storageInfo, ...(size !== undefined && { size: String(size) }) },
  };
}

/** Undefined: it names no disk. */
export function imported(held: Held, answer: Answer<"importDisk">, type: ProviderType | undefined): Held | undefined {
  const { diskId, path, task, actualSizeBytes, checksum } = answer;
  const taskRef = task?.id ?? "";
  const disk = { diskId, path, size: actualSizeBytes > 0n ? Number(actualSizeBytes) : undefined, checksum };
  if (taskRef === "") return withDisk(held, disk, type);
  // What a task names is there when it is done: `importID` says that it is.
  const { importID: _none, ...known } = withDisk(held, disk, type) ?? held;
  return { ...known, taskRef };
}

/** The task of an import is done. */
export function importedByTask(held: Held, result: TaskResult, type: ProviderType | undefined): Held | undefined {
  const { taskRef: _done, ...kept } = held;
  const { targetDiskID = "", targetPath = "", targetChecksum = "" } = kept.diskInfo ?? {};
  return withDisk(
    kept,
    {
      diskId: textIn(result, "disk_id") ?? targetDiskID,
      path: textIn(result, "path") ?? targetPath,
      size: numberIn(result, "actual_size_bytes"),
      checksum: textIn(result, "checksum") ?? targetChecksum,
    },
    type,
  );
}

interface Disk {
  readonly diskId: string;
  readonly path: string;
  readonly size: number | undefined;
  readonly checksum: string;
}

function withDisk(held: Held, { diskId, path, size, checksum }: Disk, type: ProviderType | undefined) {
  const id = diskId === "" ? path : diskId;
  if (id === "") return undefined;
  return {
    ...held,
    importID: id,
    diskInfo: {
      ...held.diskInfo,
      targetDiskID: id,
      targetFormat: nativeFormat(type),
      ...(path !== "" && { targetPath: path }),
      ...(size !== undefined && { targetSize: String(size) }),
      ...(checksum !== "" && { targetChecksum: checksum }),
    },
  };
}

function textIn(result: TaskResult, name: string): string | undefined {
  const value = result[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(result: TaskResult, name: string): number | undefined {
  const value = result[name];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
