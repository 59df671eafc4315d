// How much of a hypervisor the machines of a provider use (3.2 step 10). Pure.
import { parseQuantity, quantityToBytes } from "@telltale/kinds";
import type { VirtualMachine, VMClass } from "../kinds/index.ts";
import type { ResourceUsage } from "../kinds/provider.ts";
import type { Totals } from "./capabilities.ts";

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

export interface Used {
  /** vCPUs */
  readonly cpu: number;
  /** Bytes, as storage is. */
  readonly memory: number;
  readonly storage: number;
}

/** What exists is counted: a machine that is still to be made uses nothing. */
export function usedBy(
  machines: readonly VirtualMachine[],
  classOf: (machine: VirtualMachine) => VMClass | undefined,
): Used {
  let [cpu, memory, storage] = [0, 0, 0];
  for (const machine of machines) {
    const { spec, status } = machine;
    if (!status?.id) continue;
    cpu += status.currentResources?.cpu ?? 0;
    memory += (status.currentResources?.memoryMiB ?? 0) * mebibyte;
    const root = spec.importedDisk?.sizeGiB ?? sizeOfRoot(classOf(machine));
    const more = (spec.disks ?? []).reduce((sum, { sizeGiB }) => sum + sizeGiB, 0);
    storage += (root + more) * gibibyte;
  }
  return { cpu, memory, storage };
}

function sizeOfRoot(of: VMClass | undefined): number {
  const size = parseQuantity(String(of?.spec.diskDefaults?.size ?? "0"));
  return size === undefined ? 0 : Math.ceil(quantityToBytes(size) / gibibyte);
}

export function usageOf(used: Used, totals: Totals): ResourceUsage {
  return {
    cpu: share(used.cpu, totals.cpu),
    memory: share(used.memory, totals.memory),
    storage: share(used.storage, totals.storage),
  };
}

/** What was said of them before. */
export function totalsIn(usage: ResourceUsage | undefined): Totals {
  const { cpu, memory, storage } = usage ?? {};
  return {
    ...(cpu?.total === undefined ? {} : { cpu: cpu.total }),
    ...(memory?.total === undefined ? {} : { memory: memory.total }),
    ...(storage?.total === undefined ? {} : { storage: storage.total }),
  };
}

function share(sum: number, total: number | undefined): ResourceUsage["cpu"] & object {
  const used = Math.min(sum, Number.MAX_SAFE_INTEGER);
  if (total === undefined) return { used };
  const usagePercent = Math.min(100, Math.round((100 * used) / total));
  return { total, used, available: Math.max(0, total - used), usagePercent };
}
