import { describe, expect, test } from "vitest";
import type { VMNetworkAttachmentSpec } from "../kinds/index.ts";
import { nfsProblems } from "./nfs.ts";
import type { Problem } from "./problem.ts";
import { networkProblems } from "./vm-network-attachment.ts";

/** `field: what is wrong`, of each. */
const said = (problems: readonly Problem[]) => problems.map(({ field, wrong }) => `${field}: ${wrong}`);

describe("3.10 a VMNetworkAttachment", () => {
  const check = (spec: VMNetworkAttachmentSpec) => said(networkProblems({ spec }));
  const nat = { network: { type: "nat" } } as const;
  const fixed = (staticConfig: object | undefined) =>
    ({ ...nat, ipAllocation: { type: "Static", staticConfig } }) as VMNetworkAttachmentSpec;
  const vlan = (given: object) => ({ network: { vsphere: { vlan: given } } }) as VMNetworkAttachmentSpec;
  const at = "spec.network.vsphere.vlan";
  const rules = (rule: object) =>
    ({
      ...nat,
      security: { firewall: { rules: [{ name: "a", action: "DROP", direction: "in", ...rule }] } },
    }) as VMNetworkAttachmentSpec;

  test.each<[string, VMNetworkAttachmentSpec, readonly string[]]>([
    ["nat needs no name", nat, []],
    ["isolated needs no name", { network: { type: "isolated" } }, []],
    ["bridged needs one", { network: {} }, ["spec.network.type: needs a name on the hypervisor"]],
    ["bridged with one", { network: { libvirt: { bridge: { name: "br0" } } } }, []],
    ["a vlan without its id", vlan({ type: "vlan" }), [`${at}.vlanID: is missing`]],
    ["a vlan", vlan({ type: "vlan", vlanID: 7 }), []],
    [
      "a pvlan without ids",
      vlan({ type: "pvlan" }),
      [`${at}.primaryVlanID: is missing`, `${at}.secondaryVlanID: is missing`],
    ],
    ["a trunk without ids", vlan({ type: "trunk", trunkVlanIDs: [] }), [`${at}.trunkVlanIDs: is missing`]],
    [
      "a trunk with one that is none",
      vlan({ type: "trunk", trunkVlanIDs: [1, 4095] }),
      [`${at}.trunkVlanIDs[1]: is no VLAN`],
    ],
    ["Static without an address", fixed(undefined), ["spec.ipAllocation.staticConfig: is missing"]],
    ["Static", fixed({ address: "192.0.2.10/24", gateway: "192.0.2.1" }), []],
    ["zeros in front, as the schema allows", fixed({ address: "192.0.02.010/24", gateway: "192.0.2.001" }), []],
    [
      "a gateway elsewhere",
      fixed({ address: "192.0.2.10/25", gateway: "192.0.2.200" }),
      ["spec.ipAllocation.staticConfig.gateway: is not in the subnet of 192.0.2.10/25"],
    ],
    [
      "an address that is none",
      fixed({ address: "192.0.2.10" }),
      ["spec.ipAllocation.staticConfig.address: is no address with a prefix"],
    ],
    ["Pool without a pool", { ...nat, ipAllocation: { type: "Pool" } }, ["spec.ipAllocation.poolConfig: is missing"]],
    [
      "ports the wrong way around",
      rules({ ports: { start: 9, end: 8 } }),
      ["spec.security.firewall.rules[0].ports.end: is below start 9"],
    ],
    ["one port", rules({ ports: { start: 9 } }), []],
    ["networks of both families", rules({ sourceCIDR: "192.0.2.0/24", destinationCIDR: "2001:db8::/32" }), []],
    [
      "no network",
      rules({ sourceCIDR: "192.0.2.0/33" }),
      ["spec.security.firewall.rules[0].sourceCIDR: is no network"],
    ],
  ])("%s", (_, spec, problems) => {
    expect(check(spec)).toEqual(problems);
  });
});

describe("7.4 the parts of an NFS URL", () => {
  const check = (more: object) => nfsProblems({ server: "nas.example", export: "/exports/vm", ...more }).length;

  test("are a host, an absolute path and ids", () => {
    expect(check({ path: "a/b", uid: 0, gid: 4_294_967_295 })).toBe(0);
    expect(check({ export: "exports" })).toBe(1);
    expect(check({ server: "nas/x" })).toBe(1);
    expect(check({ uid: -1, gid: 4_294_967_296 })).toBe(2);
  });

  test.each(["a b", "a?uid=0", "a#b", "a&b", "../b", "a\nb", "a\u0000b", "a\u0085b"])("have no %j", (piece) => {
    expect(check({ path: piece })).toBe(1);
    expect(check({ export: `/${piece}` })).toBe(1);
  });
});
