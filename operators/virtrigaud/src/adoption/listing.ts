// One machine as a provider lists it, brought to a form that an object can take, or why it cannot be adopted. Whatever a provider
// says, nothing here throws. Pure.
import { type SafeText, sanitize, text } from "@telltale/status";
import type { Answer } from "../contract/contract.ts";
import type { ImportedDisk } from "../kinds/index.ts";
import { addresses, type Power, powerOf, providerMap } from "../link/observed.ts";

type VMInfo = Answer<"listVMs">["vms"][number];

export interface Listed {
  readonly id: string;
  /** As the hypervisor has it, blanks and all; not longer than a name can be. */
  readonly name: string;
  readonly power: Power;
  readonly ips: readonly string[];
  /** Zero: the provider does not say. */
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly disk: Pick<ImportedDisk, "path" | "format">;
  readonly provider: Readonly<Record<string, string>>;
}

const longestName = 255;

export function listedOf(info: VMInfo): Listed {
  const [disk] = info.disks;
  const format = formats.find((it) => it === disk?.format.toLowerCase());
  const path = disk?.path ?? "";
  return {
    id: info.id,
    name: info.name.slice(0, longestName).toWellFormed(),
    power: powerOf(info.powerState),
    ips: addresses(info.ips.slice(0, 1_000)).slice(0, 256),
    cpu: info.cpu,
    memoryMiB: Number(info.memoryMib),
    disk: {
      ...(path === "" || path.length > 4_096 ? {} : { path: path.toWellFormed() }),
      ...(format === undefined ? {} : { format }),
    },
    provider: providerMap(JSON.stringify(info.providerRaw)),
  };
}

const formats = ["qcow2", "vmdk", "raw", "vdi", "vhdx"] as const;

/** Why a machine cannot be adopted as it is. An object that says something else of it would change it. */
export function obstacleTo({ id, power, cpu, memoryMiB }: Listed): SafeText | undefined {
  if (id === "") return text`the provider gives it no id`;
  if (id.length > 253) return text`its id is longer than 253 characters`;
  if (power === "Unknown") return text`its power state is not known`;
  if (cpu < 0 || cpu > 128) return text`it has ${cpu} CPUs, and an object takes 1 to 128`;
  const isSize = memoryMiB === 0 || (memoryMiB >= 128 && memoryMiB <= 1_048_576);
  return isSize ? undefined : text`it has ${memoryMiB} MiB of memory, and an object takes 128 to 1048576`;
}

/** A name of a hypervisor, fit for a message. */
export const shown = (name: string): SafeText => sanitize(name, { max: 80, firstLineOnly: true });
