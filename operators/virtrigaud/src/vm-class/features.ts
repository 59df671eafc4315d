// What a class asks for, and what each type of provider makes of it (3.7). Pure: one table, read row by row.
import type { ProviderType, VMClassSpec } from "../kinds/index.ts";

export interface Support {
  /** Whether machines of the class can be made there. */
  readonly valid: boolean;
  /** What cannot be done. */
  readonly message?: string;
  /** What is asked for and not done: the machine is made without it. */
  readonly warnings: readonly string[];
}

/** `yes`; `no`: the class is of no use there; anything else is a warning. */
type Word = "yes" | "no" | (string & {});

interface Feature {
  readonly field: string;
  readonly isAsked: (spec: VMClassSpec) => boolean;
  readonly on: Readonly<Record<ProviderType, Word>>;
}

const nowhere = { vsphere: "no", libvirt: "no", proxmox: "no", qemu: "no", firecracker: "no" } as const;
const everywhere = { ...nowhere, vsphere: "yes", libvirt: "yes", proxmox: "yes", qemu: "yes" } as const;
const ignored = "is ignored";
const byNobody = {
  vsphere: "is sent and ignored",
  libvirt: ignored,
  proxmox: ignored,
  qemu: ignored,
  firecracker: ignored,
} as const;

const isUefi = ({ firmware }: VMClassSpec) => firmware === "UEFI" || firmware === "EFI";
const isSecure = ({ securityProfile }: VMClassSpec) => securityProfile?.secureBoot === true;

/** CPUs, memory and the size of the root disk everybody can do. There is no provider of type firecracker: it gets no more. */
const features: readonly Feature[] = [
  {
    field: "firmware UEFI",
    isAsked: (spec) => isUefi(spec) && !isSecure(spec),
    on: {
      ...nowhere,
      vsphere: "yes",
      libvirt: "is ignored without secureBoot",
      proxmox: ignored,
      qemu: "needs firmware files that are configured at the provider",
    },
  },
  {
    field: "securityProfile.secureBoot",
    isAsked: isSecure,
    on: { ...nowhere, vsphere: "yes", libvirt: "yes", proxmox: ignored },
  },
  {
    field: "securityProfile.tpmVersion 1.2",
    isAsked: ({ securityProfile: it }) => it?.tpmEnabled === true && it.tpmVersion === "1.2",
    on: nowhere,
  },
  {
    field: "securityProfile.tpmEnabled",
    isAsked: ({ securityProfile: it }) => it?.tpmEnabled === true && it.tpmVersion !== "1.2",
    on: { ...nowhere, vsphere: "yes", libvirt: "yes" },
  },
  {
    field: "performanceProfile.nestedVirtualization",
    isAsked: ({ performanceProfile: it }) => it?.nestedVirtualization === true,
    on: { ...nowhere, vsphere: "yes", libvirt: "yes", qemu: "needs KVM on the host of the provider" },
  },
  {
    field: "performanceProfile.cpuHotAddEnabled",
    isAsked: ({ performanceProfile: it }) => it?.cpuHotAddEnabled === true,
    on: everywhere,
  },
  {
    field: "performanceProfile.memoryHotAddEnabled",
    isAsked: ({ performanceProfile: it }) => it?.memoryHotAddEnabled === true,
    on: everywhere,
  },
  {
    field: "performanceProfile.virtualizationBasedSecurity",
    isAsked: ({ performanceProfile: it }) => it?.virtualizationBasedSecurity === true,
    on: { ...nowhere, vsphere: "yes" },
  },
  {
    field: "securityProfile.vtdEnabled",
    isAsked: ({ securityProfile: it }) => it?.vtdEnabled === true,
    on: { ...nowhere, vsphere: "yes", libvirt: "yes" },
  },
  {
    field: "resourceLimits",
    isAsked: ({ resourceLimits: it }) => Object.values(it ?? {}).some((limit) => limit !== undefined),
    on: byNobody,
  },
  {
    field: "performanceProfile.latencySensitivity",
    isAsked: ({ performanceProfile: it }) => (it?.latencySensitivity ?? "normal") !== "normal",
    on: byNobody,
  },
  {
    field: "performanceProfile.hyperThreadingPolicy",
    isAsked: ({ performanceProfile: it }) => (it?.hyperThreadingPolicy ?? "auto") !== "auto",
    on: byNobody,
  },
  {
    field: "securityProfile.encryptionPolicy.requireEncryption",
    isAsked: ({ securityProfile: it }) => it?.encryptionPolicy?.requireEncryption === true,
    on: nowhere,
  },
  {
    field: "securityProfile.encryptionPolicy.enabled",
    isAsked: ({ securityProfile: { encryptionPolicy: it } = {} }) =>
      it?.enabled === true && it.requireEncryption !== true,
    on: { ...byNobody, vsphere: ignored },
  },
  {
    field: "diskDefaults.storageClass",
    isAsked: ({ diskDefaults: it }) => (it?.storageClass ?? "") !== "",
    on: { ...byNobody, vsphere: ignored },
  },
  {
    field: "diskDefaults.iops",
    isAsked: ({ diskDefaults: it }) => it?.iops !== undefined,
    on: { ...byNobody, vsphere: ignored },
  },
  {
    field: "diskDefaults.type nvme",
    isAsked: ({ diskDefaults: it }) => it?.type === "nvme",
    on: { ...nowhere, qemu: "yes" },
  },
];

export function supportOn(spec: VMClassSpec, type: ProviderType): Support {
  const missing: string[] = [];
  const warnings: string[] = [];
  for (const { field, isAsked, on } of features) {
    if (!isAsked(spec)) continue;
    const word = on[type];
    if (word === "no") missing.push(field);
    else if (word !== "yes") warnings.push(`${field} ${word}`);
  }
  if (missing.length === 0) return { valid: true, warnings };
  return { valid: false, message: `${type} cannot do ${missing.join(", ")}`, warnings };
}
