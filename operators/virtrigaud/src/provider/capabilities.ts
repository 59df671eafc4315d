// What a provider says it can do, as it is stored, and what follows from it (3.2, 4.9). An answer is somebody else's: its lists are
// cut, its numbers kept in bounds. Pure.
import type { Answer } from "../contract/contract.ts";
import type { ProviderCapability, ReportedCapabilities } from "../kinds/provider.ts";

const longestList = 64;
const longestName = 253;

export function reportedOf(answer: Answer<"getCapabilities">): ReportedCapabilities {
  return {
    supportedDiskTypes: words(answer.supportedDiskTypes),
    supportedExportBackends: words(answer.supportedExportBackends),
    supportedExportFormats: words(answer.supportedExportFormats),
    supportedImportBackends: words(answer.supportedImportBackends),
    supportedImportFormats: words(answer.supportedImportFormats),
    supportedNetworkTypes: words(answer.supportedNetworkTypes),
    supportedTransferModes: words(answer.supportedTransferModes),
    supportsDiskExpansionOnline: answer.supportsDiskExpansionOnline,
    supportsDiskExport: answer.supportsDiskExport,
    supportsDiskImport: answer.supportsDiskImport,
    supportsExportCompression: answer.supportsExportCompression,
    supportsImageImport: answer.supportsImageImport,
    supportsLinkedClones: answer.supportsLinkedClones,
    supportsMemorySnapshots: answer.supportsMemorySnapshots,
    supportsReconfigureOnline: answer.supportsReconfigureOnline,
    supportsSnapshots: answer.supportsSnapshots,
  };
}

/** Words, each once, in the provider's order. What is no word is left out. */
function words(list: readonly string[]): string[] {
  const known = list.slice(0, 1_000).filter((it) => it.length <= longestName && /^[\w.+/ -]+$/.test(it));
  return [...new Set(known)].slice(0, longestList);
}

/** How much a hypervisor has, where its provider tells: vCPUs, and bytes. */
export interface Totals {
  readonly cpu?: number;
  readonly memory?: number;
  readonly storage?: number;
}

export function totalsOf(answer: Answer<"getCapabilities">): Totals {
  const [cpu, memory, storage] = [answer.totalVcpus, answer.totalMemoryBytes, answer.totalStorageBytes].map(amount);
  return {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(storage === undefined ? {} : { storage }),
  };
}

/** Zero is what a provider that does not tell sends. */
const amount = (value: bigint | number): number | undefined =>
  value > 0 && value <= Number.MAX_SAFE_INTEGER ? Number(value) : undefined;

interface Abilities {
  readonly reported: ReportedCapabilities | undefined;
  /** Whether it said so the last time that it was asked. */
  readonly isWell: boolean;
  /** Whether one of its machines has a console. */
  readonly hasConsole: boolean;
}

/** In the order of the kind. `LiveMigration`, `HighAvailability` and `GPUPassthrough` are reported by nobody. */
export function capabilitiesOf({ reported = {}, isWell, hasConsole }: Abilities): ProviderCapability[] {
  const isSomething = (list: readonly string[] | undefined) => (list ?? []).length > 0;
  const table: readonly (readonly [ProviderCapability, boolean | undefined])[] = [
    ["VirtualMachines", isWell],
    ["Snapshots", reported.supportsSnapshots],
    ["Cloning", reported.supportsLinkedClones],
    ["ConsoleAccess", hasConsole],
    ["DiskManagement", reported.supportsDiskExpansionOnline === true || isSomething(reported.supportedDiskTypes)],
    ["NetworkManagement", isSomething(reported.supportedNetworkTypes)],
    ["Backup", reported.supportsDiskExport],
    ["Templates", reported.supportsImageImport],
  ];
  return table.flatMap(([capability, is]) => (is === true ? [capability] : []));
}
