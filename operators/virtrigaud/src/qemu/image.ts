// Images that machines are made from: fetched, checked for what they refer to, converted and put where `Create` finds them.
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { checksumMismatch, download, hashFile, safeUrl } from "./download.ts";
import { dottedNameOf } from "./ids.ts";
import type { Checksum, DiskFormat } from "./machine.ts";
import { allowedFile } from "./paths.ts";
import { isSound, refuseHostile } from "./qemu-img.ts";
import { type Fields, objectIn } from "./reading.ts";
import type { TaskRecord } from "./task-record.ts";
import { checksumOf, formatOf } from "./wanted.ts";
import type { Doing, Step, Work } from "./work.ts";

/** What an image is made from, as the task keeps it. */
export interface ImageParams {
  readonly target: string;
  readonly sourceHash: string;
  /** Safe to keep: the whole URL is among the secrets where it is more. */
  readonly url?: string;
  readonly path?: string;
  readonly format?: DiskFormat;
  readonly checksum?: Checksum;
  readonly headers: Readonly<Record<string, string>>;
  readonly isCompressed: boolean;
  readonly hasSecrets: boolean;
}

/** `images/<target>/image.json`. */
interface PreparedImage {
  readonly source: string;
  readonly sourceHash: string;
  readonly checksum: string;
  readonly size: number;
  readonly preparedAt: string;
}

export async function imagePrepare(box: Box, request: Requested<"imagePrepare">): Promise<Reply<"imagePrepare">> {
  const target = dottedNameOf("target_name", request.targetName);
  const fields = objectIn("image_json", request.imageJson);
  const prepare = fields.object("prepare");
  const { url, checksum, ...rest } = sourceOf(fields);
  const isChecked = checksum !== undefined && (prepare?.flag("validateChecksum", true) ?? true);
  const source = { ...rest, ...(isChecked ? { checksum } : {}) };
  const sourceHash = createHash("sha256")
    .update(JSON.stringify({ url, ...source }))
    .digest("hex");
  const paths = box.layout.image(target);
  const prepared = { preparedImageId: target, preparedImagePath: paths.disk };
  const there = await preparedImage(box, target);
  if (there !== undefined) {
    if (there.sourceHash === sourceHash) return prepared;
    throw new RpcError("ALREADY_EXISTS", `image ${target} exists already, and is from another source`);
  }
  const key = `image:${target}:${sourceHash}`;
  const other = [...box.tasks.all()].find(
    ({ key: theirs, state }) =>
      (state === "queued" || state === "running") && theirs.startsWith(`image:${target}:`) && theirs !== key,
  );
  if (other !== undefined) throw new RpcError("ABORTED", `image ${target} is being prepared from another source`);
  if (source.path !== undefined) await allowedFile(source.path, imageFolders(box));
  const safe = url === undefined ? undefined : safeUrl(url);
  const secrets = { ...request.credentials, ...(url !== undefined && url !== safe ? { url } : {}) };
  await box.room(0);
  const params: ImageParams = {
    ...source,
    ...(safe === undefined ? {} : { url: safe }),
    target,
    sourceHash,
    isCompressed:
      prepare?.object("optimization")?.flag("enableCompression") === true ||
      prepare?.object("storage")?.flag("compression") === true,
    hasSecrets: Object.keys(secrets).length > 0,
  };
  const task = await box.tasks.start({ op: "image", vmId: "", holds: [], key, params: { ...params }, secrets });
  return { task: { id: task.id }, ...prepared };
}

/** An image that is there, by its name. */
export async function preparedImage(box: Box, target: string): Promise<PreparedImage | undefined> {
  const text = await readFile(box.layout.image(target).config, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const image: PreparedImage = JSON.parse(text);
  return image;
}

export const imageWork = (box: Box): Work => ({
  isCopy: true,
  steps(record) {
    const params = paramsOf(record);
    const paths = box.layout.image(params.target);
    const converted = `${paths.disk}.part`;
    const source = () =>
      params.path === undefined ? Promise.resolve(paths.download) : allowedFile(params.path, imageFolders(box));
    const format = async () => params.format ?? (await magicOf(await source()));
    const first: Step = {
      name: "fetch the image",
      stage: "Downloading",
      kind: "steps",
      async run(task) {
        await box.host.folder(paths.folder);
        if (params.url !== undefined) await fetchImage(box, task, params, paths.download);
        else await verifyFile(await source(), params.checksum);
      },
    };
    return [
      first,
      checkStep(box, source, format),
      {
        name: "convert the image",
        stage: "Converting",
        kind: "proc",
        argv: async () => {
          await box.room(await box.measure(await source(), await format(), "qcow2"));
          await box.host.remove(converted);
          const compress = params.isCompressed ? ["-c"] : [];
          return [...convert(box, await format(), "qcow2"), ...compress, await source(), converted];
        },
      },
      soundStep(box, () => converted),
      {
        name: "keep the image",
        stage: "Importing",
        kind: "steps",
        async run(task) {
          if ((await preparedImage(box, params.target)) === undefined) {
            await box.host.rename(converted, paths.disk).catch(() => {});
            const { virtualSize } = await box.info(paths.disk, "qcow2");
            const image: PreparedImage = {
              source: params.url ?? params.path ?? "",
              sourceHash: params.sourceHash,
              checksum: String(task.record.result["checksum"] ?? ""),
              size: virtualSize,
              preparedAt: new Date(box.host.clock.now()).toISOString(),
            };
            await box.host.write(paths.config, `${JSON.stringify(image, undefined, 2)}\n`);
          }
          await box.host.remove(paths.download);
          const { actualSize } = await box.info(paths.disk, "qcow2");
          task.result({ id: params.target, path: paths.disk, size_bytes: actualSize, format: "qcow2" });
        },
      },
    ];
  },
  async undo(record) {
    const { target } = paramsOf(record);
    if ((await preparedImage(box, target)) === undefined) await box.host.remove(box.layout.image(target).folder);
  },
});

/** Fetches by URL, with what only the caller knew. */
export async function fetchImage(
  box: Box,
  task: Doing,
  { url, headers, checksum, hasSecrets }: Pick<ImageParams, "url" | "headers" | "checksum" | "hasSecrets">,
  to: string,
): Promise<void> {
  if (hasSecrets && task.secrets === undefined) throw new RpcError("INTERNAL", "interrupted by provider restart");
  const { url: whole, ...credentials } = task.secrets ?? {};
  const { sha256 } = await download(box.host, box.fetch, {
    url: whole ?? url ?? "",
    headers,
    credentials,
    to,
    limit: box.settings.maxImageSize,
    checksum,
    signal: task.signal,
    progress: (bytesDone, bytesTotal) =>
      task.progress({
        bytesDone,
        bytesTotal,
        percent: bytesTotal > 0 ? Math.floor((100 * bytesDone) / bytesTotal) : -1,
      }),
    room: (bytes) => box.room(bytes),
  });
  task.result({ checksum: sha256 });
}

/** An image from outside says what it is, and refers to nothing. */
export function checkStep(box: Box, source: () => Promise<string>, format: () => Promise<DiskFormat>): Step {
  return {
    name: "check the image",
    stage: "Importing",
    kind: "steps",
    async run() {
      const declared = await format();
      refuseHostile(await box.info(await source(), declared), declared, box.settings.maxImageSize);
    },
  };
}

export function soundStep(box: Box, path: () => string): Step {
  return {
    name: "check the disk",
    stage: "Optimizing",
    kind: "steps",
    async run() {
      const { code } = await box.imgCode(["check", "-q", "-f", "qcow2", path()], 3_600_000);
      if (!isSound(code)) throw new RpcError("DATA_LOSS", "the disk is damaged");
    },
  };
}

/** A copy without a backing file, with its progress. */
export function convert(box: Box, from: DiskFormat, to: DiskFormat): readonly string[] {
  return [box.settings.programs.img, "convert", "-p", "-f", from, "-O", to];
}

/** Folders whose files may be made a machine from. */
export function imageFolders(box: Box): readonly string[] {
  return [box.layout.images, ...box.settings.imageDirs];
}

function sourceOf(fields: Fields): Pick<ImageParams, "url" | "path" | "format" | "checksum" | "headers"> {
  const source = fields.object("source");
  const libvirt = source?.object("libvirt");
  if (libvirt !== undefined) {
    const url = libvirt.text("url");
    const path = libvirt.text("path");
    const checksum = checksumOf(libvirt, "checksum", "checksumType");
    const rest = { format: formatOf(libvirt, "format"), headers: {}, ...(checksum && { checksum }) };
    if (url !== undefined) return { url, ...rest };
    if (path !== undefined) return { path, ...rest };
    throw libvirt.refuse("url", "or path must be given");
  }
  const http = source?.object("http");
  const url = http?.text("url");
  if (http === undefined || url === undefined)
    throw new RpcError("UNIMPLEMENTED", "this provider prepares images from source.http and source.libvirt only");
  const checksum = checksumOf(http, "checksum", "checksumType");
  const named = /\.(qcow2|raw|vmdk)$/.exec(new URL(safeUrl(url)).pathname)?.[1];
  const format = named === "qcow2" || named === "raw" || named === "vmdk" ? named : undefined;
  return { url, headers: http.map("headers", 20), ...(format && { format }), ...(checksum && { checksum }) };
}

async function verifyFile(path: string, checksum: Checksum | undefined): Promise<void> {
  if (checksum === undefined) return;
  const hash = createHash(checksum.type);
  await hashFile(path, [hash]);
  if (hash.digest("hex") !== checksum.value) throw checksumMismatch(checksum);
}

/** What a file begins with, where nobody said what it is. What it then refers to is refused all the same. */
async function magicOf(path: string): Promise<DiskFormat> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const magic = buffer.toString("latin1");
    return magic === "QFI\xfb" ? "qcow2" : magic === "KDMV" ? "vmdk" : "raw";
  } finally {
    await file.close();
  }
}

function paramsOf({ params }: TaskRecord): ImageParams {
  return params as unknown as ImageParams; // as this file wrote it
}
