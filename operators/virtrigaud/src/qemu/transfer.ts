// Takes a disk out of a machine to where another provider finds it, and takes one in from there.
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { diskNamed } from "./disk-info.ts";
import { isThere } from "./disks.ts";
import { dottedNameOf } from "./ids.ts";
import { checkStep, convert, soundStep } from "./image.ts";
import type { DiskFormat } from "./machine.ts";
import { isSound, refuseHostile } from "./qemu-img.ts";
import { giveBack, readArguments, type Source, sourceOf, sourcePath, takeBack } from "./source.ts";
import { checkTransfer, copyFile, stagedFile, stagedTarget } from "./staging.ts";
import type { TaskRecord } from "./task-record.ts";
import { formatNamed } from "./wanted.ts";
import type { Step, Work } from "./work.ts";

interface ExportParams {
  readonly source: Source;
  readonly disk: string;
  readonly format: DiskFormat;
  readonly isCompressed: boolean;
  readonly url: string;
}

const unclaimedFor = 7 * 24 * 3_600_000;

export async function exportDisk(box: Box, request: Requested<"exportDisk">): Promise<Reply<"exportDisk">> {
  checkTransfer(request);
  const format = formatAsked(request.format);
  const key = keyOf("export", [
    request.vmId,
    request.diskId,
    request.snapshotId,
    request.destinationUrl,
    format,
    request.compress,
  ]);
  const exportId = `e-${key.slice(-16)}`;
  const target = await stagedTarget(box, request.destinationUrl);
  const done = box.tasks.doneByKey(key);
  if (done !== undefined && (await isThere(target))) return exported(exportId, done);
  const going = box.tasks.byKey(key);
  const task = going ?? (await startExport(box, request, format, key));
  if (box.settings.syncTransfers) return exported(exportId, await finished(box, task));
  return { exportId, task: { id: task.id }, estimatedSizeBytes: BigInt(task.bytesTotal) };
}

function startExport(box: Box, request: Requested<"exportDisk">, format: DiskFormat, key: string): Promise<TaskRecord> {
  return box.alone(request.vmId, "export", async (machine) => {
    const { name } = diskNamed(machine, request.diskId);
    const source = await sourceOf(box, machine, request.snapshotId);
    const bytesTotal = await box.measure(sourcePath(box, source, name), "qcow2", format);
    await box.room(bytesTotal);
    const params: ExportParams = {
      source,
      disk: name,
      format,
      isCompressed: request.compress,
      url: request.destinationUrl,
    };
    return box.tasks.start({
      op: "export",
      vmId: machine.id,
      holds: [machine.id],
      key,
      bytesTotal,
      params: { ...params },
    });
  });
}

function exported(exportId: string, { result }: TaskRecord): Reply<"exportDisk"> {
  return {
    exportId,
    checksum: String(result["checksum"]),
    estimatedSizeBytes: BigInt(Number(result["size_bytes"] ?? 0)),
  };
}

export const exportWork = (box: Box): Work => ({
  isCopy: true,
  steps(record) {
    const { source, disk, format, isCompressed, url } = record.params as unknown as ExportParams; // as `startExport` wrote it
    const work = workFile(box, record.id);
    const sound: Step = {
      name: "check the copy",
      stage: "Converting",
      kind: "steps",
      async run() {
        if (format === "raw") return;
        const { code } = await box.imgCode(["check", "-q", "-f", format, work], 3_600_000);
        if (!isSound(code)) throw new RpcError("DATA_LOSS", "the copy of the disk is damaged");
      },
    };
    const stage: Step = {
      name: "stage the disk",
      stage: "Exporting",
      kind: "steps",
      async run(task) {
        const target = await stagedTarget(box, url);
        const { size } = await stat(work);
        await box.room(size, join(target, ".."));
        task.progress({ bytesTotal: size });
        const { checksum } = await copyFile(box, task, work, `${target}.part`, 0o660);
        await box.host.rename(`${target}.part`, target);
        task.result({ export_id: `e-${record.key.slice(-16)}`, checksum, size_bytes: size });
      },
    };
    const copy: Step = {
      name: "copy the disk",
      stage: "Converting",
      kind: "proc",
      async argv() {
        await box.host.remove(work);
        const options = [
          ...(isCompressed && format !== "raw" ? ["-c"] : []),
          ...(format === "vmdk" ? ["-o", "subformat=streamOptimized"] : []),
        ];
        return [...convert(box, "qcow2", format), ...options, ...readArguments(box, source, disk), work];
      },
    };
    // A step of its own: the one before can be repeated as long as the copy is there.
    const tidy: Step = {
      name: "remove the copy",
      stage: "Exporting",
      kind: "steps",
      run: () => box.host.remove(work),
    };
    return [copy, sound, stage, tidy, ...giveBack(box, source)];
  },
  async undo({ id, params }) {
    await box.host.remove(workFile(box, id));
    await takeBack(box, (params as unknown as ExportParams).source, id);
  },
});

export async function importDisk(box: Box, request: Requested<"importDisk">): Promise<Reply<"importDisk">> {
  checkTransfer(request);
  const diskId = dottedNameOf("target_name", request.targetName);
  const format = formatAsked(request.format);
  const expected = request.verifyChecksum ? request.expectedChecksum.toLowerCase().replace(/^sha256:/, "") : "";
  if (expected !== "" && !/^[0-9a-f]{64}$/.test(expected))
    throw new RpcError("INVALID_ARGUMENT", "expected_checksum must be a SHA-256 in hexadecimal");
  const path = box.layout.imported(diskId);
  const key = keyOf("import", [request.sourceUrl, format, diskId, expected]);
  const done = box.tasks.doneByKey(key);
  if (done !== undefined && (await isThere(path))) return imported(diskId, path, done);
  if (await isThere(path))
    throw new RpcError("ALREADY_EXISTS", `a disk ${diskId} was imported already, from something else`);
  await sweepImports(box);
  const task = box.tasks.byKey(key) ?? (await startImport(box, request.sourceUrl, format, diskId, expected, key));
  if (box.settings.syncTransfers) return imported(diskId, path, await finished(box, task));
  return { diskId, path, task: { id: task.id } };
}

async function startImport(
  box: Box,
  url: string,
  format: DiskFormat,
  diskId: string,
  expected: string,
  key: string,
): Promise<TaskRecord> {
  const going = [...box.tasks.all()].find(
    ({ op, state, params }) =>
      op === "import" && (state === "queued" || state === "running") && params["diskId"] === diskId,
  );
  if (going !== undefined)
    throw new RpcError("ABORTED", `a disk ${diskId} is being imported already, from something else`);
  const file = await stagedFile(box.settings, url);
  // Said at once where it can be; the copy is checked again, because the original may change.
  refuseHostile(await box.info(file, format), format, box.settings.maxImageSize);
  const { size } = await stat(file);
  await box.room(size + (format === "qcow2" ? 0 : await box.measure(file, format, "qcow2")));
  const params = { url, format, diskId, expected };
  return box.tasks.start({ op: "import", vmId: "", holds: [], key, bytesTotal: size, params });
}

function imported(diskId: string, path: string, { result }: TaskRecord): Reply<"importDisk"> {
  return {
    diskId,
    path,
    actualSizeBytes: BigInt(Number(result["actual_size_bytes"] ?? 0)),
    checksum: String(result["checksum"]),
  };
}

export const importWork = (box: Box): Work => ({
  isCopy: true,
  steps({ params }) {
    const { url, format, diskId, expected } = params as {
      url: string;
      format: DiskFormat;
      diskId: string;
      expected: string;
    };
    const { fetched, converted, path } = importPaths(box, diskId);
    const fetch: Step = {
      name: "fetch the disk",
      stage: "Importing",
      kind: "steps",
      async run(task) {
        const { checksum } = await copyFile(box, task, await stagedFile(box.settings, url), fetched, 0o600);
        if (expected !== "" && checksum !== expected)
          throw new RpcError("DATA_LOSS", "checksum mismatch: the staged disk is not the one that was exported");
        task.result({ checksum });
      },
    };
    const flat: Step = {
      name: "convert the disk",
      stage: "Converting",
      kind: "proc",
      async argv() {
        if (format === "qcow2") return undefined;
        await box.host.remove(converted);
        return [...convert(box, format, "qcow2"), fetched, converted];
      },
    };
    const keep: Step = {
      name: "keep the disk",
      stage: "Importing",
      kind: "steps",
      async run(task) {
        const made = format === "qcow2" ? fetched : converted;
        if (await isThere(made)) await box.host.rename(made, path);
        await box.host.remove(fetched);
        const { actualSize } = await box.info(path, "qcow2");
        task.result({ disk_id: diskId, path, actual_size_bytes: actualSize });
      },
    };
    const check = checkStep(
      box,
      () => Promise.resolve(fetched),
      () => Promise.resolve(format),
    );
    return [fetch, check, flat, soundStep(box, () => (format === "qcow2" ? fetched : converted)), keep];
  },
  async undo({ params }) {
    const { fetched, converted } = importPaths(box, String(params["diskId"]));
    for (const path of [fetched, converted]) await box.host.remove(path);
  },
});

function importPaths(box: Box, diskId: string) {
  const path = box.layout.imported(diskId);
  return { path, fetched: join(box.layout.imports, `${diskId}.part`), converted: `${path}.part` };
}

/** Imports that nobody has made a machine from for a week. */
export async function sweepImports(box: Box): Promise<void> {
  for (const name of await readdir(box.layout.imports)) {
    const path = join(box.layout.imports, name);
    const age = box.host.clock.now() - (await stat(path)).mtimeMs;
    if (age > unclaimedFor) await box.host.remove(path);
  }
}

/** Waits for a task, for callers that ask only once. */
async function finished(box: Box, { id }: TaskRecord): Promise<TaskRecord> {
  const record = await box.tasks.ended(id);
  if (record.error !== undefined) throw new RpcError(record.error.code, record.error.message);
  return record;
}

function formatAsked(text: string): DiskFormat {
  return formatNamed(
    text === "" ? "qcow2" : text.toLowerCase(),
    (why) => new RpcError("INVALID_ARGUMENT", `format ${why}`),
  );
}

function workFile(box: Box, task: string): string {
  return join(box.layout.tasks, `${task}.work`);
}

function keyOf(op: string, parts: readonly unknown[]): string {
  return `${op}:${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}
