// `class_json` (4.4): how large a machine is, in the spelling of the existing providers. The machine's own sizes win over the class's
// in whatever is sent (L-10). Pure.
import { parseQuantity, quantityToBytes } from "@telltale/kinds";
import type { VirtualMachineResources, VMClassSpec } from "../kinds/index.ts";

export interface ClassPayload {
  readonly CPU: number;
  readonly MemoryMiB: number;
  readonly Firmware: string;
  readonly DiskDefaults: { readonly Type: string; readonly SizeGiB: number } | null;
  readonly GuestToolsPolicy: string;
  readonly ExtraConfig: Readonly<Record<string, string>> | null;
  readonly PerformanceProfile: {
    readonly LatencySensitivity: string;
    readonly CPUHotAddEnabled: boolean;
    readonly MemoryHotAddEnabled: boolean;
    readonly VirtualizationBasedSecurity: boolean;
    readonly NestedVirtualization: boolean;
    readonly HyperThreadingPolicy: string;
  } | null;
  readonly SecurityProfile: {
    readonly SecureBoot: boolean;
    readonly TPMEnabled: boolean;
    readonly TPMVersion: string;
    readonly VTDEnabled: boolean;
    readonly EncryptionEnabled: boolean;
    readonly KeyProvider: string;
    readonly RequireEncryption: boolean;
  } | null;
  readonly ResourceLimits: {
    readonly CPULimit: number | null;
    readonly CPUReservation: number | null;
    readonly MemoryLimitMiB: number | null;
    readonly MemoryReservationMiB: number | null;
    readonly CPUShares: number | null;
  } | null;
}

const mebi = 2 ** 20;
const gibi = 2 ** 30;

export function classPayload(spec: VMClassSpec, resources: VirtualMachineResources = {}): ClassPayload {
  const { extraConfig } = spec;
  return {
    CPU: resources.cpu ?? spec.cpu,
    MemoryMiB: resources.memoryMiB ?? mebibytes(spec.memory) ?? 0,
    Firmware: spec.firmware ?? "BIOS",
    DiskDefaults: diskDefaults(spec),
    GuestToolsPolicy: spec.guestToolsPolicy ?? "install",
    ExtraConfig: extraConfig === undefined || Object.keys(extraConfig).length === 0 ? null : { ...extraConfig },
    PerformanceProfile: performance(spec),
    SecurityProfile: security(spec),
    ResourceLimits: limits(spec),
  };
}

/** Whole GiB, rounded up: a disk is never smaller than what was asked for. */
function diskDefaults({ diskDefaults: of }: VMClassSpec): ClassPayload["DiskDefaults"] {
  if (of === undefined) return null;
  const bytes = bytesOf(of.size ?? "40Gi") ?? 0;
  return { Type: of.type ?? "thin", SizeGiB: Math.ceil(bytes / gibi) };
}

function performance({ performanceProfile: of }: VMClassSpec): ClassPayload["PerformanceProfile"] {
  if (of === undefined) return null;
  return {
    LatencySensitivity: of.latencySensitivity ?? "normal",
    CPUHotAddEnabled: of.cpuHotAddEnabled ?? false,
    MemoryHotAddEnabled: of.memoryHotAddEnabled ?? false,
    VirtualizationBasedSecurity: of.virtualizationBasedSecurity ?? false,
    NestedVirtualization: of.nestedVirtualization ?? false,
    HyperThreadingPolicy: of.hyperThreadingPolicy ?? "auto",
  };
}

function security({ securityProfile: of }: VMClassSpec): ClassPayload["SecurityProfile"] {
  if (of === undefined) return null;
  const { encryptionPolicy } = of;
  return {
    SecureBoot: of.secureBoot ?? false,
    TPMEnabled: of.tpmEnabled ?? false,
    TPMVersion: of.tpmVersion ?? "",
    VTDEnabled: of.vtdEnabled ?? false,
    EncryptionEnabled: encryptionPolicy?.enabled ?? false,
    KeyProvider: encryptionPolicy?.keyProvider ?? "",
    RequireEncryption: encryptionPolicy?.requireEncryption ?? false,
  };
}

function limits({ resourceLimits: of }: VMClassSpec): ClassPayload["ResourceLimits"] {
  if (of === undefined) return null;
  return {
    CPULimit: of.cpuLimit ?? null,
    CPUReservation: of.cpuReservation ?? null,
    MemoryLimitMiB: mebibytes(of.memoryLimit) ?? null,
    MemoryReservationMiB: mebibytes(of.memoryReservation) ?? null,
    CPUShares: of.cpuShares ?? null,
  };
}

function mebibytes(quantity: string | number | undefined): number | undefined {
  const bytes = bytesOf(quantity);
  return bytes === undefined ? undefined : Math.floor(bytes / mebi);
}

function bytesOf(quantity: string | number | undefined): number | undefined {
  const parsed = quantity === undefined ? undefined : parseQuantity(quantity);
  return parsed === undefined ? undefined : quantityToBytes(parsed);
}
