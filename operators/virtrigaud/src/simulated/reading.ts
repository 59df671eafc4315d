// The JSON inside requests as existing providers read it (4.4): structs match their keys whatever the case, maps match exactly. A key
// that is spelt otherwise is silently not there, which is how providers came to make machines with one CPU.
import { RpcError } from "../contract/rpc-error.ts";

export type Reads = "struct" | "map";

export interface ReadClass {
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
}

export interface ReadImage {
  readonly template: string;
  readonly path: string;
  readonly url: string;
  readonly format: string;
}

export interface ReadNic {
  readonly name: string;
  readonly bridge: string;
  readonly vlan: number;
  readonly mac: string;
  readonly address: string;
  readonly gateway: string;
  readonly dns: readonly string[];
}

export interface ReadDisk {
  readonly name: string;
  readonly sizeGiB: number;
}

/** What a provider makes of a machine whose request says nothing that it understands. */
const unsaid = { cpu: 1, memoryMiB: 512 };

export function readClass(json: string, reads: Reads): ReadClass {
  return classOf(parse(json, "class_json"), reads);
}

function classOf(value: unknown, reads: Reads): ReadClass {
  return {
    cpu: number(key(value, "CPU", reads)) || unsaid.cpu,
    memoryMiB: number(key(value, "MemoryMiB", reads)) || unsaid.memoryMiB,
    diskGiB: number(key(key(value, "DiskDefaults", reads), "SizeGiB", reads)),
  };
}

/** Of a clone: structs have the spelling of the VMClass there. Undefined: as the source has it. */
export function readCloneClass(json: string, reads: Reads): { readonly cpu?: number; readonly memoryMiB?: number } {
  if (json === "") return {};
  const value = parse(json, "class_json");
  const cpu = number(key(value, reads === "map" ? "CPU" : "cpu", reads));
  const memoryMiB = reads === "map" ? number(key(value, "MemoryMiB", reads)) : mebibytes(key(value, "memory", reads));
  return { ...(cpu > 0 && { cpu }), ...(memoryMiB > 0 && { memoryMiB }) };
}

export function readImage(json: string, reads: Reads): ReadImage {
  const value = parse(json, "image_json");
  const of = (name: string) => string(key(value, name, reads));
  const image = { template: of("TemplateName"), path: of("Path"), url: of("URL"), format: of("Format") };
  if (image.template === "" && image.path === "" && image.url === "") {
    throw new RpcError("INVALID_ARGUMENT", "image_json names no template, path or URL");
  }
  if (reads === "map" && image.path === "" && !/^\d+$/.test(image.template)) {
    throw new RpcError("INVALID_ARGUMENT", `template ${JSON.stringify(image.template)} is not a number`);
  }
  return image;
}

export function readNetworks(json: string, reads: Reads): readonly ReadNic[] {
  return list(parse(json, "networks_json")).map(reads === "map" ? mapNic : structNic);
}

function structNic(value: unknown): ReadNic {
  const of = (name: string) => key(value, name, "struct");
  return {
    name: string(of("NetworkName")),
    bridge: string(of("Bridge")),
    vlan: number(of("VLAN")),
    mac: string(of("MacAddress")),
    address: string(of("StaticIP")),
    gateway: string(of("Gateway")),
    dns: string(of("DNS"))
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
  };
}

function mapNic(value: unknown): ReadNic {
  const of = (name: string) => key(value, name, "map");
  const bridge = string(of("name")) || "vmbr0";
  if (!bridge.startsWith("vmbr")) throw new RpcError("INVALID_ARGUMENT", `network ${bridge} is no bridge`);
  const fixed = of("static_ip");
  return {
    name: bridge,
    bridge,
    vlan: number(of("vlan")),
    mac: string(of("mac")),
    address: string(key(fixed, "address", "map")).split("/")[0] ?? "",
    gateway: string(key(fixed, "gateway", "map")),
    dns: list(key(fixed, "dns", "map")).map(string),
  };
}

export function readDisks(json: string, reads: Reads): readonly ReadDisk[] {
  return list(parse(json, "disks_json")).map((value) => diskOf(value, reads));
}

function diskOf(value: unknown, reads: Reads): ReadDisk {
  return { name: string(key(value, "Name", reads)), sizeGiB: number(key(value, "SizeGiB", reads)) };
}

/** Of a machine that is to be changed. */
export function readDesired(json: string, reads: Reads): ReadClass & { readonly disks: readonly ReadDisk[] } {
  const value = parse(json, "desired_json");
  const disks = list(key(value, "Disks", reads)).map((disk) => diskOf(disk, reads));
  return { ...classOf(key(value, "Class", reads), reads), disks };
}

/** The host of a placement, if there is one. */
export const readHost = (json: string, reads: Reads): string =>
  json === "" ? "" : string(key(parse(json, "placement_json"), "Host", reads));

function parse(json: string, field: string): unknown {
  if (json === "") return undefined;
  try {
    return JSON.parse(json);
  } catch {
    throw new RpcError("INVALID_ARGUMENT", `${field} is no JSON`);
  }
}

function key(value: unknown, name: string, reads: Reads): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const wanted = name.toLowerCase();
  const found = Object.entries(value).findLast(([it]) => (reads === "map" ? it === name : it.toLowerCase() === wanted));
  return found?.[1];
}

const string = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const units: Readonly<Record<string, number>> = { Ki: 2 ** -10, Mi: 1, Gi: 2 ** 10, Ti: 2 ** 20 };

function mebibytes(value: unknown): number {
  const [, digits = "", unit = ""] = /^(\d+)(Ki|Mi|Gi|Ti)?$/.exec(string(value)) ?? [];
  return Math.floor(Number(digits) * (units[unit] ?? 2 ** -20));
}
