// What qemu-img says, read: information, measures, checks and progress; and which images are refused for what they refer to. Pure.
import { RpcError } from "../contract/rpc-error.ts";
import type { DiskFormat } from "./machine.ts";

export interface ImageInfo {
  readonly filename: string;
  readonly format: string;
  readonly virtualSize: number;
  readonly actualSize: number;
  readonly backingFile?: string;
  readonly snapshots: readonly string[];
  /** Files beside the image that it takes its bytes from. */
  readonly otherFiles: readonly string[];
  readonly isEncrypted: boolean;
}

/** Reads `qemu-img info --output=json`, or each layer of it with `--backing-chain`. */
export function infoOf(json: string): readonly [ImageInfo, ...ImageInfo[]] {
  const value: unknown = JSON.parse(json);
  const [first, ...rest] = (Array.isArray(value) ? value : [value]).map(layerOf);
  if (first === undefined) throw new Error("qemu-img info gave no image");
  return [first, ...rest];
}

function layerOf(value: unknown): ImageInfo {
  const layer = record(value);
  const specific = record(record(layer["format-specific"])["data"]);
  const backing = layer["full-backing-filename"] ?? layer["backing-filename"];
  const extents = Array.isArray(specific["extents"])
    ? specific["extents"].map((one) => text(record(one)["filename"]))
    : [];
  const data = specific["data-file"];
  const snapshots = Array.isArray(layer["snapshots"]) ? layer["snapshots"] : [];
  const filename = text(layer["filename"]);
  return {
    filename,
    format: text(layer["format"]),
    virtualSize: number(layer["virtual-size"]),
    actualSize: number(layer["actual-size"]),
    ...(typeof backing === "string" && backing !== "" ? { backingFile: backing } : {}),
    snapshots: snapshots.map((one) => text(record(one)["name"])),
    otherFiles: [...(typeof data === "string" ? [data] : []), ...extents].filter(
      (one) => one !== "" && one !== filename,
    ),
    isEncrypted: layer["encrypted"] === true,
  };
}

/** An image from outside must be all there is to it: one that refers to another file could show a guest the host's own. */
export function refuseHostile(info: ImageInfo, declared: DiskFormat, most: number): void {
  const refuse = (why: string) => new RpcError("INVALID_ARGUMENT", `the image is refused: ${why}`);
  if (info.format !== declared) throw refuse(`it is ${info.format}, and declared as ${declared}`);
  if (info.backingFile !== undefined) throw refuse("it has a backing file");
  if (info.otherFiles.length > 0) throw refuse("it keeps its data in another file");
  if (info.isEncrypted) throw refuse("it is encrypted");
  if (info.virtualSize > most)
    throw refuse(`its disk has ${info.virtualSize} bytes, more than the ${most} that are allowed`);
}

/** How many bytes a converted image can need, from `qemu-img measure --output=json`. */
export function measured(json: string): number {
  return number(record(JSON.parse(json))["required"]);
}

/** How far `qemu-img -p` is, from what it has written so far: the last `(12.34/100%)`. */
export function progressIn(log: string): number | undefined {
  const found = [...log.matchAll(/\((\d{1,3}(?:\.\d+)?)\/100%\)/g)].at(-1)?.[1];
  return found === undefined ? undefined : Math.min(100, Number(found));
}

/** What `qemu-img check` ended with: 0 well, 3 leaked clusters only, which cost space and no data. */
export function isSound(code: number): boolean {
  return code === 0 || code === 3;
}

/** What a program's failure means to who asked. Its own words are kept, in one line; the paths of the box are not told. */
export function failureOf(what: string, output: string): RpcError {
  const said = output
    .split("\n")
    .map((line) => line.replace(/^(qemu-img|qemu-system-x86_64): /, "").trim())
    .filter((line) => line !== "" && !/^\(\d/.test(line))
    .slice(-3)
    .join("; ")
    .replaceAll(/\/[^\s'":;,]*\//g, "")
    .slice(0, 512);
  if (/no space left|disk quota exceeded|file too large/i.test(output))
    return new RpcError("RESOURCE_EXHAUSTED", `${what}: no space left on the host's disk`);
  if (/failed to get .* lock|is another process using/i.test(output))
    return new RpcError("ABORTED", `${what}: the disk is in use by another process`);
  if (/cannot allocate memory|cannot set up guest memory/i.test(output))
    return new RpcError("RESOURCE_EXHAUSTED", `${what}: not enough memory on the host`);
  return new RpcError("INTERNAL", `${what}: ${said === "" ? "failed without a word" : said}`);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
