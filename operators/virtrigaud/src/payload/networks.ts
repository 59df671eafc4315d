// `networks_json` (4.4, 3.10): the cards of a machine, in the order of its spec. Proxmox reads other keys than the rest, so for it both
// are sent. Pure.
import { plainIpv4 } from "../ipv4.ts";
import type { Provider, VirtualMachine, VMNetworkAttachment, VMNetworkRef } from "../kinds/index.ts";

export interface NetworkPayload {
  readonly Name: string;
  readonly Portgroup: string;
  readonly NetworkName: string;
  readonly Bridge: string;
  readonly VLAN: number;
  readonly Model: string;
  readonly MacAddress: string;
  readonly IPPolicy: "dhcp" | "static";
  readonly StaticIP: string;
  readonly Prefix: number;
  readonly Gateway: string;
  /** With commas between them. */
  readonly DNS: string;
  readonly PCISlotNumber: number | null;
}

/** What Proxmox looks at, letter by letter. */
export interface ProxmoxNetworkPayload extends NetworkPayload {
  /** A bridge. */
  readonly name: string;
  readonly vlan?: number;
  readonly mac?: string;
  readonly static_ip?: { readonly address: string; readonly gateway?: string; readonly dns?: readonly string[] };
}

/** What a pool says of its subnet, in the words of its ConfigMap (3.10). */
export type PoolData = Readonly<Record<string, string>>;

/** Attachments and pools are those of the spec's networks, position by position; a card without one is the template's. */
export function networksPayload(
  vm: Pick<VirtualMachine, "metadata" | "spec">,
  attachments: readonly (VMNetworkAttachment | undefined)[],
  provider: Provider,
  pools: readonly (PoolData | undefined)[] = [],
): readonly NetworkPayload[] {
  const used = new Map<VMNetworkAttachment, number>();
  return (vm.spec.networks ?? []).map((card, i) => {
    const attachment = attachments[i];
    const turn = attachment === undefined ? 0 : (used.get(attachment) ?? 0);
    if (attachment !== undefined) used.set(attachment, turn + 1);
    const address = addressOf(card, attachment, `${vm.metadata.namespace}/${vm.metadata.name}`, turn, pools[i]);
    const payload = { Name: card.name, ...linkOf(attachment, provider), ...address };
    return provider.spec.type === "proxmox" ? forProxmox(payload) : payload;
  });
}

type Address = Pick<NetworkPayload, "MacAddress" | "IPPolicy" | "StaticIP" | "Prefix" | "Gateway" | "DNS">;
type Wiring = Pick<NetworkPayload, "Portgroup" | "NetworkName" | "Bridge" | "VLAN" | "Model" | "PCISlotNumber">;

const none: Wiring = { Portgroup: "", NetworkName: "", Bridge: "", VLAN: 0, Model: "", PCISlotNumber: null };

function linkOf(attachment: VMNetworkAttachment | undefined, { spec }: Provider): Wiring {
  if (attachment === undefined) return none;
  const { vsphere, libvirt, proxmox } = attachment.spec.network;
  const fallback = spec.defaults?.network ?? "";
  switch (family(spec.type)) {
    case "vsphere":
      return {
        ...none,
        Portgroup: vsphere?.portgroup ?? fallback,
        NetworkName: vsphere?.portgroup ?? fallback,
        VLAN: vsphere?.vlan?.vlanID ?? 0,
        Model: vsphere?.adapterType ?? "",
        PCISlotNumber: vsphere?.pciSlotNumber ?? null,
      };
    case "libvirt": {
      const bridge = libvirt?.bridge?.name ?? "";
      const name = libvirt?.networkName ?? (bridge === "" ? fallback : "");
      return { ...none, NetworkName: name, Bridge: bridge, Model: libvirt?.model ?? "" };
    }
    case "proxmox": {
      const bridge = proxmox?.bridge ?? fallback;
      return { ...none, Bridge: bridge, Model: proxmox?.model ?? "", VLAN: proxmox?.vlanTag ?? 0 };
    }
  }
}

/** Whose block of a network counts. */
const family = (type: Provider["spec"]["type"]): "vsphere" | "libvirt" | "proxmox" =>
  type === "vsphere" || type === "proxmox" ? type : "libvirt";

/** What the card asks for; else what the network has set aside for it. */
function addressOf(
  card: VMNetworkRef,
  attachment: VMNetworkAttachment | undefined,
  vm: string,
  turn: number,
  pool: PoolData = {},
): Address {
  const { type = "DHCP", staticConfig, dnsConfig } = attachment?.spec.ipAllocation ?? {};
  const asides = (attachment?.status?.ipAllocations ?? []).filter((one) => one.vm === vm);
  const asked = card.ipAddress === undefined ? undefined : plainIpv4(card.ipAddress);
  const aside = asides.find(({ ip }) => ip === asked) ?? asides[turn];
  const isGiven = type === "Static" || type === "Pool";
  const [fixed = "", fixedPrefix = ""] = (type === "Static" ? (staticConfig?.address ?? "") : "").split("/");
  const ip = asked ?? ((isGiven ? aside?.ip : undefined) || plainIpv4(fixed));
  return {
    MacAddress: card.macAddress ?? aside?.mac ?? "",
    IPPolicy: ip === "" ? "dhcp" : "static",
    StaticIP: ip,
    Prefix: card.prefix ?? Number(fixedPrefix || (pool["prefix"] ?? "")),
    Gateway: plainIpv4(card.gateway ?? (ip === "" ? "" : (staticConfig?.gateway ?? pool["gateway"]?.trim() ?? ""))),
    DNS: plainList(card.dns ?? (dnsConfig?.servers?.join(",") || (pool["dns"] ?? ""))),
  };
}

const plainList = (list: string): string =>
  list
    .split(",")
    .map((one) => plainIpv4(one.trim()))
    .join(",");

function forProxmox(payload: NetworkPayload): ProxmoxNetworkPayload {
  const { Bridge, VLAN, MacAddress, StaticIP, Prefix, Gateway, DNS } = payload;
  const dns = DNS.split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return {
    ...payload,
    name: Bridge === "" ? "vmbr0" : Bridge,
    ...(VLAN > 0 && { vlan: VLAN }),
    ...(MacAddress !== "" && { mac: MacAddress }),
    ...(StaticIP !== "" && {
      static_ip: {
        address: `${StaticIP}/${Prefix > 0 ? Prefix : 24}`,
        ...(Gateway !== "" && { gateway: Gateway }),
        ...(dns.length > 0 && { dns }),
      },
    }),
  };
}
