// What a network's spec asks for that the contract with providers does not carry (3.10): it is named, so that nobody is misled. Pure.
import type { ProviderType, VMNetworkAttachmentSpec } from "../kinds/index.ts";

const blocks = { vsphere: "network.vsphere", libvirt: "network.libvirt", proxmox: "network.proxmox" } as const;
const isBlock = (type: string): type is keyof typeof blocks => Object.hasOwn(blocks, type);

/** Whether a type of provider can take the network: it has a block of its own, or the network is of the kind that needs none. */
export function isDeclaredFor({ network }: VMNetworkAttachmentSpec, type: ProviderType): boolean {
  if (isBlock(type)) return network[type] !== undefined;
  // It takes a name from libvirt's block.
  const isGeneric = network.type === "nat" || network.type === "isolated" || network.libvirt !== undefined;
  return type === "qemu" && isGeneric;
}

/** What reaches providers, or is for people, or is kept here. */
const carried: ReadonlySet<string> = new Set([
  "network.type",
  "network.vsphere.portgroup",
  "network.vsphere.vlan.vlanID",
  "network.vsphere.pciSlotNumber",
  "network.vsphere.adapterType",
  "network.libvirt.networkName",
  "network.libvirt.bridge.name",
  "network.libvirt.model",
  "network.proxmox.bridge",
  "network.proxmox.model",
  "network.proxmox.vlanTag",
  "ipAllocation.type",
  "ipAllocation.staticConfig.address",
  "ipAllocation.staticConfig.gateway",
  "ipAllocation.dnsConfig.servers",
  "ipAllocation.poolConfig.poolRef.name",
  "ipAllocation.poolConfig.preferredIP",
]);

/** What the server fills in says nothing about what anybody wants; nor does a switch that is off. */
const standard: Readonly<Record<string, unknown>> = {
  "network.mtu": 1500,
  "network.vsphere.vlan.type": "none",
  "network.vsphere.security.allowForgedTransmits": true,
  "network.vsphere.security.allowMACChanges": true,
  "security.firewall.defaultPolicy": "ACCEPT",
};

/** The paths of a spec that a type of provider never hears of, in order. */
export function ignoredBy(spec: VMNetworkAttachmentSpec, type: ProviderType): readonly string[] {
  const own = type === "qemu" ? "libvirt" : type;
  const others = Object.entries(blocks).flatMap(([other, path]) => (other === own ? [] : [`${path}.`]));
  const found: string[] = [];
  for (const [path, value] of leaves(spec, "")) {
    if (carried.has(path) || path.startsWith("metadata.") || others.some((other) => path.startsWith(other))) continue;
    if (path === "network.vsphere.vlan.type" && value === "vlan") continue;
    const usual = Object.hasOwn(standard, path) ? standard[path] : false;
    if (value !== usual) found.push(path);
  }
  return found.sort();
}

/** Members with a value of their own. A list is one. */
function* leaves(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (typeof value !== "object" || value === null) yield [path, value];
  else if (Array.isArray(value)) {
    if (value.length > 0) yield [path, value];
  } else {
    for (const [name, member] of Object.entries(value)) {
      yield* leaves(member, path === "" ? name : `${path}.${name}`);
    }
  }
}
