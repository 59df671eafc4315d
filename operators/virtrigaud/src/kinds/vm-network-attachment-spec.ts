// What a person says about a network (3.10): how each hypervisor calls it, where addresses come from, what is let through.
import { Dictionary, Enum, Fields, Flag, Int32, Int64, List, Optional, type Static, Text } from "@telltale/kinds";
import { environment, flag, int, ipv4, LocalRef, localRef, pairs, upTo, words } from "./fields.ts";
import { patterns } from "./patterns.ts";

const vlanId = () => int(1, 4094);
const atLeast = (minimum: number) => Optional(Int64({ minimum }));
const cidr4 = () => Text({ pattern: patterns.cidr4 });
const gateway = () => Text({ pattern: patterns.ipv4 });

const vsphere = Fields({
  portgroup: upTo(255),
  distributedSwitch: Optional(
    Fields({
      name: Text({ maxLength: 255 }),
      uuid: Optional(Text()),
      portgroupType: Optional(Enum(["ephemeral", "distributed"])),
    }),
  ),
  adapterType: Optional(Enum(["vmxnet3", "e1000", "e1000e"], { default: "vmxnet3" })),
  pciSlotNumber: int(32, 1024),
  vlan: Optional(
    Fields({
      type: Optional(Enum(["none", "vlan", "pvlan", "trunk"], { default: "none" })),
      vlanID: vlanId(),
      primaryVlanID: vlanId(),
      secondaryVlanID: vlanId(),
      trunkVlanIDs: Optional(List(Int32(), { maxItems: 100 })),
    }),
  ),
  security: Optional(
    Fields({ allowForgedTransmits: flag(true), allowMACChanges: flag(true), allowPromiscuous: flag(false) }),
  ),
  trafficShaping: Optional(
    Fields({
      enabled: flag(false),
      averageBandwidth: atLeast(1000),
      peakBandwidth: atLeast(1000),
      burstSize: atLeast(1024),
    }),
  ),
});

const libvirt = Fields({
  networkName: upTo(255),
  bridge: Optional(Fields({ name: Text({ maxLength: 15 }), stp: flag(false), delay: int(0, 30) })),
  model: Optional(Enum(["virtio", "e1000", "e1000e", "rtl8139", "pcnet", "ne2k_pci"], { default: "virtio" })),
  driver: Optional(
    Fields({
      name: Optional(Enum(["kvm", "vfio", "uio"])),
      queues: int(1, 16),
      txMode: Optional(Enum(["iothread", "timer"])),
      ioEventFD: Optional(Flag()),
      eventIDX: Optional(Flag()),
    }),
  ),
  filterRef: Optional(Fields({ filter: Text({ maxLength: 255 }), parameters: pairs(20) })),
});

const proxmox = Fields({
  bridge: Optional(Text({ maxLength: 15, pattern: "^vmbr[0-9]+$" })),
  model: Optional(Enum(["virtio", "e1000", "rtl8139", "vmxnet3"], { default: "virtio" })),
  vlanTag: vlanId(),
  mtu: int(68, 65_520),
  firewall: flag(false),
  rateLimit: Optional(Int32({ minimum: 1 })),
});

const network = Fields({
  type: Optional(Enum(["bridged", "nat", "isolated", "host-only", "external"], { default: "bridged" })),
  mtu: int(68, 9000, 1500),
  vsphere: Optional(vsphere),
  libvirt: Optional(libvirt),
  proxmox: Optional(proxmox),
});

const ipAllocation = Fields({
  type: Optional(Enum(["DHCP", "Static", "Pool", "None"], { default: "DHCP" })),
  staticConfig: Optional(
    Fields({
      address: cidr4(),
      gateway: ipv4(),
      routes: Optional(
        List(Fields({ destination: cidr4(), gateway: gateway(), metric: int(0, 65_535) }), { maxItems: 20 }),
      ),
    }),
  ),
  poolConfig: Optional(Fields({ poolRef: LocalRef, preferredIP: ipv4() })),
  dhcpConfig: Optional(Fields({ hostname: upTo(255), clientID: upTo(255), options: pairs(20) })),
  dnsConfig: Optional(Fields({ servers: words(10), searchDomains: words(10), options: pairs(10) })),
});

const actions = ["ACCEPT", "DROP", "REJECT"] as const;
const port = () => Int32({ minimum: 1, maximum: 65_535 });

const firewallRule = Fields({
  name: Text({ maxLength: 255 }),
  action: Enum(actions),
  direction: Enum(["in", "out", "inout"]),
  protocol: Optional(Enum(["tcp", "udp", "icmp", "all"])),
  ports: Optional(Fields({ start: port(), end: Optional(port()) })),
  sourceCIDR: Optional(Text()),
  destinationCIDR: Optional(Text()),
  priority: int(1, 1000),
});

const security = Fields({
  firewall: Optional(
    Fields({
      enabled: flag(false),
      defaultPolicy: Optional(Enum(actions, { default: "ACCEPT" })),
      rules: Optional(List(firewallRule, { maxItems: 100 })),
    }),
  ),
  isolation: Optional(
    Fields({
      mode: Optional(Enum(["none", "strict", "custom"])),
      allowedNetworks: words(50),
      deniedNetworks: words(50),
    }),
  ),
  encryption: Optional(
    Fields({
      enabled: flag(false),
      protocol: Optional(Enum(["ipsec", "wireguard", "openvpn"])),
      keyRef: localRef(),
    }),
  ),
});

export const VMNetworkAttachmentSpec = Fields({
  network,
  ipAllocation: Optional(ipAllocation),
  qos: Optional(
    Fields({ ingressLimit: atLeast(1000), egressLimit: atLeast(1000), priority: int(0, 7), dscp: int(0, 63) }),
  ),
  security: Optional(security),
  metadata: Optional(
    Fields({
      displayName: upTo(255),
      description: upTo(1024),
      environment: environment(),
      tags: Optional(Dictionary(Text(), { maxProperties: 50 })),
    }),
  ),
});
export type VMNetworkAttachmentSpec = Static<typeof VMNetworkAttachmentSpec>;
