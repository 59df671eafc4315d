// Whether a network can be used as it is described (3.10 reconcile 1). That a static address is asked for twice is for who sees
// the machines. Pure.

import { addressIn, isNetwork, parseCidr } from "../ipv4.ts";
import type { VMNetworkAttachment, VMNetworkAttachmentSpec } from "../kinds/index.ts";
import { type Problem, problem, unless } from "./problem.ts";

type Network = VMNetworkAttachmentSpec["network"];

export function networkProblems({ spec }: Pick<VMNetworkAttachment, "spec">): readonly Problem[] {
  const { network = {} }: Partial<VMNetworkAttachmentSpec> = spec;
  return [
    ...blockProblems(network),
    ...vlanProblems(network.vsphere?.vlan),
    ...allocationProblems(spec.ipAllocation),
    ...(spec.security?.firewall?.rules ?? []).flatMap(firewallProblems),
  ];
}

/** A network that a provider makes by itself needs no name there. */
function blockProblems({ type = "bridged", vsphere, libvirt, proxmox }: Network): readonly Problem[] {
  const isNamed = [vsphere, libvirt, proxmox].some((block) => block !== undefined);
  const fix = "give network.vsphere, network.libvirt or network.proxmox, or make the type nat or isolated";
  const isGeneric = type === "nat" || type === "isolated";
  return unless(isNamed || isGeneric, "spec.network.type", type, "needs a name on the hypervisor", fix);
}

function vlanProblems(vlan: NonNullable<Network["vsphere"]>["vlan"]): readonly Problem[] {
  const at = "spec.network.vsphere.vlan";
  const { type = "none", vlanID, primaryVlanID, secondaryVlanID, trunkVlanIDs = [] } = vlan ?? {};
  const missing = (field: string) => problem(`${at}.${field}`, undefined, "is missing", `type ${type} needs it`);
  if (type === "vlan") return vlanID === undefined ? [missing("vlanID")] : [];
  if (type === "pvlan") {
    const ids = { primaryVlanID, secondaryVlanID };
    return Object.entries(ids).flatMap(([field, id]) => (id === undefined ? [missing(field)] : []));
  }
  if (type !== "trunk") return [];
  if (trunkVlanIDs.length === 0) return [missing("trunkVlanIDs")];
  return trunkVlanIDs.flatMap((id, i) =>
    unless(id >= 1 && id <= 4094, `${at}.trunkVlanIDs[${i}]`, id, "is no VLAN", "use 1 to 4094"),
  );
}

function allocationProblems(allocation: VMNetworkAttachmentSpec["ipAllocation"]): readonly Problem[] {
  const { type = "DHCP", staticConfig, poolConfig } = allocation ?? {};
  const at = "spec.ipAllocation";
  const missing = (field: string) => problem(`${at}.${field}`, undefined, "is missing", `type ${type} needs it`);
  if (type === "Pool") return poolConfig === undefined ? [missing("poolConfig")] : [];
  if (type !== "Static") return [];
  return staticConfig === undefined ? [missing("staticConfig")] : staticProblems(`${at}.staticConfig`, staticConfig);
}

type Static = NonNullable<NonNullable<VMNetworkAttachmentSpec["ipAllocation"]>["staticConfig"]>;

function staticProblems(at: string, { address, gateway, routes = [] }: Static): readonly Problem[] {
  const subnet = parseCidr(address);
  const cidr = "write it as 192.0.2.10/24";
  if (subnet === undefined) return [problem(`${at}.address`, address, "is no address with a prefix", cidr)];
  const number = gateway === undefined ? undefined : addressIn(gateway);
  const isInside = gateway === undefined || (number !== undefined && number >= subnet.first && number <= subnet.last);
  return [
    ...unless(isInside, `${at}.gateway`, gateway, `is not in the subnet of ${address}`, "correct one of the two"),
    ...routes.flatMap(({ destination, gateway: next }, i) => [
      ...unless(isNetwork(destination), `${at}.routes[${i}].destination`, destination, "is no network", cidr),
      ...unless(addressIn(next) !== undefined, `${at}.routes[${i}].gateway`, next, "is no address", "correct it"),
    ]),
  ];
}

type FirewallRule = NonNullable<
  NonNullable<NonNullable<VMNetworkAttachmentSpec["security"]>["firewall"]>["rules"]
>[number];

function firewallProblems({ ports, sourceCIDR, destinationCIDR }: FirewallRule, i: number): readonly Problem[] {
  const at = `spec.security.firewall.rules[${i}]`;
  const { start = 0, end = start } = ports ?? {};
  const cidrs = { sourceCIDR, destinationCIDR };
  return [
    ...unless(end >= start, `${at}.ports.end`, end, `is below start ${start}`, "turn the two around"),
    ...Object.entries(cidrs).flatMap(([field, cidr]) =>
      unless(
        cidr === undefined || cidr === "" || isNetwork(cidr),
        `${at}.${field}`,
        cidr,
        "is no network",
        "write it as 192.0.2.0/24 or 2001:db8::/32",
      ),
    ),
  ];
}
