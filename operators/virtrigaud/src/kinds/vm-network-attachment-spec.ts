// What a person says about a network (3.10): how each hypervisor calls it, where addresses come from, what is let through.
import { Dictionary, Enum, Fields, Flag, Int32, Int64, List, Optional, type Static, Text } from "@telltale/kinds";
import {
  checked,
  environment,
  flag,
  forPeople,
  inert,
  int,
  ipv4,
  LocalRef,
  localRef,
  pairs,
  unused,
  upTo,
  words,
} from "./fields.ts";
import { patterns } from "./patterns.ts";

const ignored = <T extends Parameters<typeof unused>[0]>(schema: T): T => unused(schema, untold);
const onlyChecked = <T extends Parameters<typeof unused>[0]>(schema: T): T => checked(schema, untold);
const untold = "providers are not told; status.providerStatus names it";

const vlanId = () => int(1, 4094);
const atLeast = (minimum: number) => Optional(Int64({ minimum }));
const cidr4 = () => Text({ pattern: patterns.cidr4 });
const gateway = () => Text({ pattern: patterns.ipv4 });

const vsphere = Fields({
  portgroup: upTo(255),
  distributedSwitch: ignored(
    Optional(
      Fields({
        name: Text({ maxLength: 255 }),
        uuid: Optional(Text()),
        portgroupType: Optional(Enum(["ephemeral", "distributed"])),
      }),
    ),
  ),
  adapterType: Optional(Enum(["vmxnet3", "e1000", "e1000e"], { default: "vmxnet3" })),
  pciSlotNumber: int(32, 1024),
  vlan: Optional(
    Fields({
      type: Optional(Enum(["none", "vlan", "pvlan", "trunk"], { default: "none" })),
      vlanID: vlanId(),
      primaryVlanID: inert(vlanId(), untold),
      secondaryVlanID: inert(vlanId(), untold),
      trunkVlanIDs: inert(Optional(List(Int32(), { maxItems: 100 })), untold),
    }),
  ),
  security: ignored(
    Optional(Fields({ allowForgedTransmits: flag(true), allowMACChanges: flag(true), allowPromiscuous: flag(false) })),
  ),
  trafficShaping: ignored(
    Optional(
      Fields({
        enabled: flag(false),
        averageBandwidth: atLeast(1000),
        peakBandwidth: atLeast(1000),
        burstSize: atLeast(1024),
      }),
    ),
  ),
});

const libvirt = Fields({
  networkName: upTo(255),
  bridge: Optional(Fields({ name: Text({ maxLength: 15 }), stp: ignored(flag(false)), delay: ignored(int(0, 30)) })),
  model: Optional(Enum(["virtio", "e1000", "e1000e", "rtl8139", "pcnet", "ne2k_pci"], { default: "virtio" })),
  driver: ignored(
    Optional(
      Fields({
        name: Optional(Enum(["kvm", "vfio", "uio"])),
        queues: int(1, 16),
        txMode: Optional(Enum(["iothread", "timer"])),
        ioEventFD: Optional(Flag()),
        eventIDX: Optional(Flag()),
      }),
    ),
  ),
  filterRef: ignored(Optional(Fields({ filter: Text({ maxLength: 255 }), parameters: pairs(20) }))),
});

const proxmox = Fields({
  bridge: Optional(Text({ maxLength: 15, pattern: "^vmbr[0-9]+$" })),
  model: Optional(Enum(["virtio", "e1000", "rtl8139", "vmxnet3"], { default: "virtio" })),
  vlanTag: vlanId(),
  mtu: ignored(int(68, 65_520)),
  firewall: ignored(flag(false)),
  rateLimit: ignored(Optional(Int32({ minimum: 1 }))),
});

const network = Fields({
  type: Optional(Enum(["bridged", "nat", "isolated", "host-only", "external"], { default: "bridged" })),
  mtu: ignored(int(68, 9000, 1500)),
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
      routes: onlyChecked(
        Optional(List(Fields({ destination: cidr4(), gateway: gateway(), metric: int(0, 65_535) }), { maxItems: 20 })),
      ),
    }),
  ),
  poolConfig: Optional(Fields({ poolRef: LocalRef, preferredIP: ipv4() })),
  dhcpConfig: ignored(Optional(Fields({ hostname: upTo(255), clientID: upTo(255), options: pairs(20) }))),
  dnsConfig: Optional(Fields({ servers: words(10), searchDomains: ignored(words(10)), options: ignored(pairs(10)) })),
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
  qos: ignored(
    Optional(
      Fields({ ingressLimit: atLeast(1000), egressLimit: atLeast(1000), priority: int(0, 7), dscp: int(0, 63) }),
    ),
  ),
  security: onlyChecked(Optional(security)),
  metadata: unused(
    Optional(
      Fields({
        displayName: upTo(255),
        description: upTo(1024),
        environment: environment(),
        tags: Optional(Dictionary(Text(), { maxProperties: 50 })),
      }),
    ),
    forPeople,
  ),
});
export type VMNetworkAttachmentSpec = Static<typeof VMNetworkAttachmentSpec>;
