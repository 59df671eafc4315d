// What a request asks for, in one normal form: read, checked, and with a fingerprint that is equal for equal requests. Pure.
import { createHash } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import type { Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { dottedNameOf, nameOf } from "./ids.ts";
import {
  type Checksum,
  checksumTypes,
  type DiskFormat,
  diskFormats,
  type Firmware,
  type HotAdd,
  type StaticAddress,
} from "./machine.ts";
import { type Fields, listIn, objectIn } from "./reading.ts";

/** One slot of the bus each; the others are taken by what every machine has. */
const mostDevices = 24;
const mostGiB = 65_536;

export interface Wanted {
  readonly name: string;
  readonly class: WantedClass;
  readonly image: WantedImage;
  readonly networks: readonly WantedNetwork[];
  readonly disks: readonly WantedDisk[];
  readonly tags: readonly string[];
  readonly userData: Uint8Array;
  readonly metaData: Uint8Array;
}

export interface WantedClass {
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly firmware: Firmware;
  readonly hotAdd: HotAdd;
  readonly rootGiB?: number;
  readonly isThick: boolean;
}

export type WantedImage =
  | { readonly is: "template"; readonly name: string }
  | { readonly is: "path"; readonly path: string; readonly format: DiskFormat }
  | { readonly is: "url"; readonly url: string; readonly format: DiskFormat; readonly checksum?: Checksum };

export interface WantedNetwork {
  readonly name: string;
  readonly model: "virtio" | "e1000";
  readonly mac?: string;
  readonly bridge?: string;
  readonly network?: string;
  readonly address?: StaticAddress;
}

export interface WantedDisk {
  readonly name: string;
  readonly sizeGiB: number;
  readonly isThick: boolean;
}

export function wantedOf(request: Requested<"create">): Wanted {
  const networks = listIn("networks_json", request.networksJson, 10).map(networkOf);
  const disks = listIn("disks_json", request.disksJson, 20).map(diskOf);
  if (networks.length + disks.length > mostDevices)
    throw new RpcError("INVALID_ARGUMENT", `a machine has room for ${mostDevices} disks and networks together`);
  distinct("disks_json", disks);
  return {
    name: nameOf("name", request.name),
    class: classOf(objectIn("class_json", request.classJson)),
    image: imageOf(objectIn("image_json", request.imageJson)),
    networks,
    disks,
    tags: request.tags.slice(0, 50),
    userData: request.userData,
    metaData: request.metaData,
  };
}

/** The same for equal requests, whatever the spelling of their JSON. */
export function fingerprintOf(wanted: Wanted): string {
  const text = JSON.stringify(wanted, (_, value: unknown) =>
    value instanceof Uint8Array ? createHash("sha256").update(value).digest("hex") : value,
  );
  return createHash("sha256").update(text).digest("hex");
}

export function classOf(fields: Fields): WantedClass {
  const size = sizeOf(fields);
  if (size.cpu === undefined) throw fields.refuse("CPU", "is missing");
  if (size.memoryMiB === undefined) throw fields.refuse("MemoryMiB", "is missing");
  for (const name of ["SecureBoot", "TPMEnabled", "VTDEnabled", "EncryptionEnabled", "RequireEncryption"])
    if (fields.object("SecurityProfile")?.flag(name) === true)
      throw new RpcError("UNIMPLEMENTED", `this provider has no SecurityProfile.${name}`);
  const performance = fields.object("PerformanceProfile");
  return {
    cpu: size.cpu,
    memoryMiB: size.memoryMiB,
    firmware: firmwareOf(fields),
    hotAdd: {
      cpu: performance?.flag("CPUHotAddEnabled") ?? false,
      memory: performance?.flag("MemoryHotAddEnabled") ?? false,
    },
    ...(size.rootGiB === undefined ? {} : { rootGiB: size.rootGiB }),
    isThick: isThick(fields.object("DiskDefaults")?.text("Type")),
  };
}

/** The parts of a class that can change later. */
export interface WantedSize {
  readonly cpu?: number | undefined;
  readonly memoryMiB?: number | undefined;
  readonly rootGiB?: number | undefined;
}

export function sizeOf(fields: Fields): WantedSize {
  return {
    cpu: fields.int("CPU", 1, 128),
    memoryMiB: fields.int("MemoryMiB", 16, 16 * 1_048_576),
    rootGiB: fields.object("DiskDefaults")?.int("SizeGiB", 1, mostGiB),
  };
}

function firmwareOf(fields: Fields): Firmware {
  const text = fields.text("Firmware")?.toUpperCase() ?? "BIOS";
  if (text === "BIOS") return "bios";
  if (text === "UEFI" || text === "EFI") return "uefi";
  throw fields.refuse("Firmware", "must be BIOS, UEFI or EFI");
}

export function imageOf(fields: Fields): WantedImage {
  const template = fields.text("TemplateName");
  const path = fields.text("Path");
  const url = fields.text("URL");
  if (path !== undefined) return { is: "path", path, format: formatOf(fields) };
  if (url !== undefined) {
    const checksum = checksumOf(fields, "Checksum", "ChecksumType");
    return { is: "url", url, format: formatOf(fields), ...(checksum && { checksum }) };
  }
  if (template !== undefined) return { is: "template", name: dottedNameOf("image_json.TemplateName", template) };
  throw new RpcError("INVALID_ARGUMENT", "image_json must have one of TemplateName, Path, URL");
}

/** `format`, or qcow2 where nothing is said: a format is never guessed from a file, because a file can lie. */
export function formatOf(fields: Fields, name = "Format"): DiskFormat {
  return formatNamed(fields.text(name)?.toLowerCase() ?? "qcow2", (why) => fields.refuse(name, why));
}

export function formatNamed(text: string, refuse: (why: string) => RpcError): DiskFormat {
  const format = diskFormats.find((known) => known === text);
  if (format === undefined) throw refuse(`must be one of ${diskFormats.join(", ")}`);
  return format;
}

export function checksumOf(fields: Fields, value: string, type: string): Checksum | undefined {
  const text = fields
    .text(value)
    ?.toLowerCase()
    .replace(/^(md5|sha1|sha256|sha512):/, "");
  if (text === undefined) return undefined;
  const named = fields.text(type)?.toLowerCase() ?? "sha256";
  const known = checksumTypes.find((one) => one === named);
  if (known === undefined) throw fields.refuse(type, `must be one of ${checksumTypes.join(", ")}`);
  const length = { md5: 32, sha1: 40, sha256: 64, sha512: 128 }[known];
  if (!/^[0-9a-f]+$/.test(text) || text.length !== length)
    throw fields.refuse(value, `must have ${length} hexadecimal digits`);
  return { type: known, value: text };
}

function networkOf(fields: Fields): WantedNetwork {
  const model = fields.text("Model")?.toLowerCase() ?? "virtio";
  if (model !== "virtio" && model !== "e1000") throw fields.refuse("Model", "must be virtio or e1000");
  const mac = fields.text("MacAddress")?.toLowerCase();
  if (mac !== undefined && !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac))
    throw fields.refuse("MacAddress", "must be six pairs of hexadecimal digits with colons");
  const bridge = fields.text("Bridge");
  if (bridge !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/.test(bridge))
    throw fields.refuse("Bridge", "must be the name of a network interface");
  const network = fields.text("NetworkName", 255);
  if (fields.int("VLAN", 1, 4094) !== undefined)
    throw new RpcError("UNIMPLEMENTED", "this provider has no VLANs; use a bridge that is in one");
  if (bridge === undefined && network === undefined && fields.text("Portgroup") !== undefined)
    throw new RpcError("UNIMPLEMENTED", "this provider has no port groups; use a bridge or a network name");
  const address = addressOf(fields);
  return {
    name: nameOf("networks_json[].Name", fields.text("Name") ?? "default"),
    model,
    ...(mac && { mac }),
    ...(bridge && { bridge }),
    ...(network && { network }),
    ...(address && { address }),
  };
}

function addressOf(fields: Fields): StaticAddress | undefined {
  const ip = fields.text("StaticIP");
  if (ip === undefined) return undefined;
  if (isIP(ip) === 0) throw fields.refuse("StaticIP", "must be an IP address");
  const gateway = fields.text("Gateway");
  if (gateway !== undefined && isIP(gateway) === 0) throw fields.refuse("Gateway", "must be an IP address");
  const dns = fields.texts("DNS", 8);
  if (dns.some((one) => isIP(one) === 0)) throw fields.refuse("DNS", "must be IP addresses");
  const isV4 = isIPv4(ip);
  const prefix = fields.int("Prefix", 1, isV4 ? 32 : 128) ?? (isV4 ? 24 : 64);
  return { ip, prefix, ...(gateway && { gateway }), dns };
}

export function diskOf(fields: Fields): WantedDisk {
  const name = nameOf("disks_json[].Name", fields.text("Name") ?? "");
  if (["root", "vars", "seed", "base"].includes(name)) throw fields.refuse("Name", `must not be ${name}`);
  const sizeGiB = fields.int("SizeGiB", 1, mostGiB);
  if (sizeGiB === undefined) throw fields.refuse("SizeGiB", "is missing");
  return { name, sizeGiB, isThick: isThick(fields.text("Type")) };
}

function isThick(type: string | undefined): boolean {
  return type === "thick" || type === "eagerzeroedthick";
}

export function distinct(what: string, list: readonly { readonly name: string }[]): void {
  const twice = list.find(({ name }, at) => list.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) throw new RpcError("INVALID_ARGUMENT", `${what} has ${twice.name} twice`);
}
