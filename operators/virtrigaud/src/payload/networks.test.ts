import { describe, expect, it } from "vitest";
import { network, provider, vm } from "../../test/objects.ts";
import { networksPayload } from "./networks.ts";

describe("networks_json", () => {
  it("has every key", () => {
    const lan = network({
      network: { vsphere: { portgroup: "pg", adapterType: "e1000", pciSlotNumber: 192, vlan: { vlanID: 12 } } },
    });
    const [payload] = networksPayload(vm({ networks: [{ name: "eth0" }] }), [lan], provider("vsphere"));
    expect(payload).toEqual({
      Name: "eth0",
      Portgroup: "pg",
      NetworkName: "pg",
      Bridge: "",
      VLAN: 12,
      Model: "e1000",
      MacAddress: "",
      IPPolicy: "dhcp",
      StaticIP: "",
      Prefix: 0,
      Gateway: "",
      DNS: "",
      PCISlotNumber: 192,
    });
  });

  it("a card without a network is the template's, and its address is still sent", () => {
    const [payload] = networksPayload(
      vm({ networks: [{ name: "eth0", ipAddress: "10.0.0.9" }] }),
      [],
      provider("libvirt"),
    );
    expect(payload).toMatchObject({ NetworkName: "", Bridge: "", StaticIP: "10.0.0.9", IPPolicy: "static" });
  });

  it("an address that the network has set aside is sent, each card its own", () => {
    const lan = network(
      { network: { type: "nat" }, ipAllocation: { type: "Pool", dnsConfig: { servers: ["9.9.9.9", "1.1.1.1"] } } },
      {
        ipAllocations: [
          { vm: "demo/other", ip: "10.0.0.2" },
          { vm: "demo/web", ip: "10.0.0.3", mac: "52:54:00:00:00:03" },
          { vm: "demo/web", ip: "10.0.0.4" },
        ],
      },
    );
    const cards = [{ name: "eth0" }, { name: "eth1" }];
    const payloads = networksPayload(vm({ networks: cards }), [lan, lan], provider("qemu"));
    expect(payloads.map(({ StaticIP, MacAddress }) => `${StaticIP} ${MacAddress}`)).toEqual([
      "10.0.0.3 52:54:00:00:00:03",
      "10.0.0.4 ",
    ]);
    expect(payloads[0]?.DNS).toBe("9.9.9.9,1.1.1.1");
  });

  it("addresses are sent without zeros in front, which are octal to some", () => {
    const ipAllocation = { type: "Pool" as const, poolConfig: { poolRef: { name: "pool" } } };
    const status = {
      ipAllocations: [
        { vm: "demo/web", ip: "10.0.0.3" },
        { vm: "demo/web", ip: "10.0.0.9", mac: "m" },
      ],
    };
    const pool = { ranges: "10.0.0.0/24", prefix: "24", gateway: "010.000.000.001", dns: "10.0.0.002, fd00::1" };
    const card = { name: "eth0", ipAddress: "010.0.0.009" };
    const lan = network({ network: { type: "nat" }, ipAllocation }, status);
    expect(networksPayload(vm({ networks: [card] }), [lan], provider("qemu"), [pool])[0]).toMatchObject({
      ...{ StaticIP: "10.0.0.9", MacAddress: "m", Gateway: "10.0.0.1", DNS: "10.0.0.2,fd00::1" },
    });
    const fixed = { type: "Static" as const, staticConfig: { address: "192.0.02.10/24", gateway: "192.0.2.01" } };
    const own = network({ network: { type: "nat" }, ipAllocation: fixed });
    expect(networksPayload(vm({ networks: [{ name: "eth0" }] }), [own], provider("qemu"))[0]).toMatchObject({
      ...{ StaticIP: "192.0.2.10", Prefix: 24, Gateway: "192.0.2.1" },
    });
  });

  it("what DHCP was seen to give is not asked for", () => {
    const seen = { ipAllocations: [{ vm: "demo/web", ip: "10.0.0.3" }] };
    const lan = network({ network: { type: "nat" }, ipAllocation: { type: "DHCP" } }, seen);
    const [payload] = networksPayload(vm({ networks: [{ name: "eth0" }] }), [lan], provider("qemu"));
    expect(payload).toMatchObject({ StaticIP: "", IPPolicy: "dhcp" });
  });

  it("a network without a block for the provider is the provider's own", () => {
    const lan = network({ network: { libvirt: { networkName: "lan" } } });
    const box = provider("proxmox", { network: "vmbr3" });
    const [payload] = networksPayload(vm({ networks: [{ name: "eth0" }] }), [lan], box);
    expect(payload).toMatchObject({ Bridge: "vmbr3", name: "vmbr3" });
  });

  it("an address out of a pool comes with the pool's own subnet, unless the card says otherwise", () => {
    const ipAllocation = { type: "Pool" as const, poolConfig: { poolRef: { name: "pool" } } };
    const status = { ipAllocations: [{ vm: "demo/web", ip: "10.0.0.5" }] };
    const lan = network({ network: { type: "nat" }, ipAllocation }, status);
    const pool = { ranges: "10.0.0.0/24", prefix: "24", gateway: "10.0.0.1", dns: "10.0.0.2,10.0.0.3" };
    const of = (card: object) =>
      networksPayload(vm({ networks: [{ name: "eth0", ...card }] }), [lan], provider("qemu"), [pool])[0];
    expect(of({})).toMatchObject({ StaticIP: "10.0.0.5", Prefix: 24, Gateway: "10.0.0.1", DNS: "10.0.0.2,10.0.0.3" });
    expect(of({ prefix: 16, gateway: "10.0.9.9" })).toMatchObject({ Prefix: 16, Gateway: "10.0.9.9" });
  });
});
