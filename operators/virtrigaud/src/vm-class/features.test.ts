// The table of 3.7, row by row.
import { describe, expect, it } from "vitest";
import type { ProviderType, VMClassSpec } from "../kinds/index.ts";
import { supportOn } from "./features.ts";

const base: VMClassSpec = { cpu: 1, memory: "1Gi" };
type Row = readonly [
  string,
  Partial<VMClassSpec>,
  Readonly<Record<"vsphere" | "libvirt" | "proxmox" | "qemu", string>>,
];

const rows: readonly Row[] = [
  ["cpu and memory", {}, { vsphere: "yes", libvirt: "yes", proxmox: "yes", qemu: "yes" }],
  ["UEFI", { firmware: "UEFI" }, { vsphere: "yes", libvirt: "warning", proxmox: "warning", qemu: "warning" }],
  ["EFI", { firmware: "EFI" }, { vsphere: "yes", libvirt: "warning", proxmox: "warning", qemu: "warning" }],
  [
    "secure boot",
    { firmware: "UEFI", securityProfile: { secureBoot: true } },
    { vsphere: "yes", libvirt: "yes", proxmox: "warning", qemu: "no" },
  ],
  [
    "a TPM",
    { securityProfile: { tpmEnabled: true, tpmVersion: "2.0" } },
    { vsphere: "yes", libvirt: "yes", proxmox: "no", qemu: "no" },
  ],
  [
    "an old TPM",
    { securityProfile: { tpmEnabled: true, tpmVersion: "1.2" } },
    { vsphere: "no", libvirt: "no", proxmox: "no", qemu: "no" },
  ],
  [
    "nested virtualization",
    { performanceProfile: { nestedVirtualization: true } },
    { vsphere: "yes", libvirt: "yes", proxmox: "no", qemu: "warning" },
  ],
  [
    "hot-add",
    { performanceProfile: { cpuHotAddEnabled: true, memoryHotAddEnabled: true } },
    { vsphere: "yes", libvirt: "yes", proxmox: "yes", qemu: "yes" },
  ],
  [
    "VBS",
    { performanceProfile: { virtualizationBasedSecurity: true } },
    { vsphere: "yes", libvirt: "no", proxmox: "no", qemu: "no" },
  ],
  ["VT-d", { securityProfile: { vtdEnabled: true } }, { vsphere: "yes", libvirt: "yes", proxmox: "no", qemu: "no" }],
  [
    "limits",
    { resourceLimits: { cpuShares: 100 } },
    { vsphere: "warning", libvirt: "warning", proxmox: "warning", qemu: "warning" },
  ],
  [
    "latency and hyper-threading",
    { performanceProfile: { latencySensitivity: "high", hyperThreadingPolicy: "avoid" } },
    { vsphere: "warning", libvirt: "warning", proxmox: "warning", qemu: "warning" },
  ],
  [
    "encryption that must be",
    { securityProfile: { encryptionPolicy: { enabled: true, requireEncryption: true } } },
    { vsphere: "no", libvirt: "no", proxmox: "no", qemu: "no" },
  ],
  [
    "encryption that may be",
    { securityProfile: { encryptionPolicy: { enabled: true } } },
    { vsphere: "warning", libvirt: "warning", proxmox: "warning", qemu: "warning" },
  ],
  [
    "where and how fast disks are",
    { diskDefaults: { storageClass: "fast", iops: 1_000 } },
    { vsphere: "warning", libvirt: "warning", proxmox: "warning", qemu: "warning" },
  ],
  ["nvme", { diskDefaults: { type: "nvme" } }, { vsphere: "no", libvirt: "no", proxmox: "no", qemu: "yes" }],
];

const word = (spec: VMClassSpec, type: ProviderType): string => {
  const { valid, warnings, message } = supportOn(spec, type);
  if (!valid) return message?.startsWith(`${type} cannot do `) === true ? "no" : "no, and nobody says why";
  return warnings.length > 0 ? "warning" : "yes";
};

describe("what each type of provider makes of", () => {
  it.each(rows)("%s", (_name, asked, on) => {
    const spec = { ...base, ...asked };
    const found = (["vsphere", "libvirt", "proxmox", "qemu"] as const).map((type) => [type, word(spec, type)]);
    expect(Object.fromEntries(found)).toEqual(on);
  });
});

it("what the server fills in asks for nothing", () => {
  const spec: VMClassSpec = {
    ...base,
    firmware: "BIOS",
    diskDefaults: { type: "thin", size: "40Gi" },
    performanceProfile: { latencySensitivity: "normal", hyperThreadingPolicy: "auto", cpuHotAddEnabled: false },
    securityProfile: { secureBoot: false, tpmEnabled: false, encryptionPolicy: { enabled: false } },
    resourceLimits: {},
  };
  for (const type of ["vsphere", "firecracker"] as const) expect(word(spec, type)).toBe("yes");
});
