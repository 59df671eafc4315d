// Every field of a machine, of its class, of its network and of its provider's defaults that the contract carries is in the request
// that makes the machine, as each type of provider reads it.
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { VirtualMachine, VMClass, VMImage, VMNetworkAttachment } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { honest, slow } from "../src/simulated/faults.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { vmClasses } from "../src/vm-class/controller.ts";
import { vmNetworkAttachments } from "../src/vm-network-attachment/controller.ts";
import { namespace, type ProviderOptions, type Stage, stage } from "./stage.ts";

let here: Stage;
afterEach(() => here.end());

const crossing = { isFree: false };

async function open(type: string, spec: object, provider: ProviderOptions["spec"] = {}) {
  here = await stage({
    controllers: ({ links, random }) => [
      virtualMachines({
        senses: {
          links,
          random,
          crossing,
          streaks: new Streaks(),
          tls: new KnownSecrets(),
          places: new Reservations(),
          httpGet: async () => 200,
        },
        workers: 10,
      }),
      vmClasses({ crossing, workers: 1 }),
      vmNetworkAttachments({ crossing, workers: 1 }),
    ],
  });
  await here.apply(VMImage, "tiny", { source: sources[type] });
  const host = await here.provider("box", { spec: { type: type as "qemu", ...provider } });
  const make = async (machine: object) => {
    const refs = { providerRef: { name: "box" }, classRef: { name: "large" }, imageRef: { name: "tiny" } };
    await here.apply(VirtualMachine, "web", { ...refs, ...machine });
    const isReady = async () => (await here.says(VirtualMachine, "web")).startsWith("True");
    await here.until(isReady, 120_000);
    const { classJson, networksJson, disksJson, placementJson, userData, metaData, tags } =
      host.asked("create")[0]?.request ?? {};
    const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
    return {
      vmClass: JSON.parse(classJson ?? ""),
      networks: JSON.parse(networksJson ?? ""),
      disks: JSON.parse(disksJson ?? ""),
      placement: JSON.parse(placementJson || "null"),
      userData: text(userData),
      metaData: text(metaData),
      tags,
    };
  };
  await here.apply(VMClass, "large", spec);
  return { make, host };
}

const sources: Readonly<Record<string, object>> = {
  vsphere: { vsphere: { templateName: "tiny" } },
  libvirt: { libvirt: { path: "/images/tiny.qcow2" } },
  proxmox: { proxmox: { templateID: 9000 } },
};

const large = {
  cpu: 4,
  memory: "8Gi",
  firmware: "UEFI",
  guestToolsPolicy: "upgrade",
  diskDefaults: { size: "50Gi", type: "thick" },
  resourceLimits: { cpuLimit: 4000, cpuReservation: 1000, cpuShares: 50, memoryLimit: "8Gi", memoryReservation: "1Gi" },
  performanceProfile: {
    cpuHotAddEnabled: true,
    memoryHotAddEnabled: true,
    hyperThreadingPolicy: "prefer",
    latencySensitivity: "high",
    nestedVirtualization: true,
    virtualizationBasedSecurity: true,
  },
  securityProfile: {
    secureBoot: true,
    tpmEnabled: true,
    tpmVersion: "2.0",
    vtdEnabled: true,
    encryptionPolicy: { enabled: true, keyProvider: "hardware", requireEncryption: false },
  },
  extraConfig: { "vsphere.hardwareVersion": "21" },
};

const lan = {
  network: {
    type: "bridged",
    mtu: 9000,
    vsphere: {
      portgroup: "pg",
      distributedSwitch: { name: "dvs" },
      adapterType: "e1000",
      pciSlotNumber: 192,
      vlan: { type: "vlan", vlanID: 12 },
      security: { allowPromiscuous: true },
      trafficShaping: { enabled: true },
    },
    libvirt: {
      networkName: "lan",
      bridge: { name: "br0", stp: true, delay: 2 },
      model: "e1000e",
      driver: { name: "kvm" },
      filterRef: { filter: "clean-traffic" },
    },
    proxmox: { bridge: "vmbr2", model: "vmxnet3", vlanTag: 7, mtu: 1400, firewall: true, rateLimit: 10 },
  },
  ipAllocation: {
    type: "Static",
    staticConfig: {
      address: "192.0.2.10/24",
      gateway: "192.0.2.1",
      routes: [{ destination: "198.51.100.0/24", gateway: "192.0.2.254", metric: 5 }],
    },
    dhcpConfig: { hostname: "web" },
    dnsConfig: { servers: ["192.0.2.2", "192.0.2.3"], searchDomains: ["example"], options: { ndots: "2" } },
  },
  qos: { priority: 3 },
  security: {
    firewall: {
      enabled: true,
      defaultPolicy: "DROP",
      rules: [
        {
          name: "ssh",
          action: "ACCEPT",
          direction: "in",
          protocol: "tcp",
          ports: { start: 22, end: 22 },
          sourceCIDR: "192.0.2.0/24",
          destinationCIDR: "198.51.100.0/24",
        },
      ],
    },
    isolation: { mode: "strict" },
  },
  metadata: { displayName: "LAN" },
};

const machine = {
  disks: [
    {
      name: "data",
      sizeGiB: 10,
      type: "thick",
      expandPolicy: "Online",
      scsi: { controller: 1, controllerType: "lsilogic", sharedBus: "virtualSharing" },
    },
    { name: "more", sizeGiB: 1 },
  ],
  networks: [{ name: "eth0", networkRef: { name: "lan" }, macAddress: "52:54:00:00:00:03" }],
  userData: { ignition: { secretRef: { name: "first-boot" } } },
  metaData: { cloudInit: { inline: "a: 1", secretRef: { name: "first-boot" } } },
  placement: { cluster: "c1", host: "h1", datastore: "d1", storagePod: "p1", folder: "f1", resourcePool: "r1" },
  tags: ["blue"],
};

const address = {
  IPPolicy: "static",
  StaticIP: "192.0.2.10",
  Prefix: 24,
  Gateway: "192.0.2.1",
  DNS: "192.0.2.2,192.0.2.3",
  MacAddress: "52:54:00:00:00:03",
};

describe("the request for a machine", () => {
  it.each([
    [
      "vsphere",
      { Portgroup: "pg", NetworkName: "pg", VLAN: 12, Model: "e1000", PCISlotNumber: 192, ...address },
      ["network.mtu", "network.vsphere.distributedSwitch.name", "network.vsphere.security.allowPromiscuous"],
    ],
    [
      "libvirt",
      { NetworkName: "lan", Bridge: "br0", Model: "e1000e", ...address },
      ["network.libvirt.bridge.delay", "network.libvirt.driver.name", "network.libvirt.filterRef.filter"],
    ],
    [
      "proxmox",
      {
        name: "vmbr2",
        vlan: 7,
        mac: "52:54:00:00:00:03",
        Model: "vmxnet3",
        static_ip: { address: "192.0.2.10/24", gateway: "192.0.2.1", dns: ["192.0.2.2", "192.0.2.3"] },
      },
      ["network.proxmox.firewall", "network.proxmox.mtu", "network.proxmox.rateLimit"],
    ],
  ] as const)("%s: all that is carried is in it, and the network names the rest", async (type, card, ignored) => {
    const { make } = await open(type, large);
    await here.apply(VMNetworkAttachment, "lan", lan);
    const stringData = { ignition: "{}", metadata: "b: 2" };
    await here.client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "first-boot", namespace },
      stringData,
    });
    const asked = await make(machine);
    expect(asked.networks).toEqual([expect.objectContaining(card)]);
    expect(asked.vmClass).toEqual({
      CPU: 4,
      MemoryMiB: 8192,
      Firmware: "UEFI",
      GuestToolsPolicy: "upgrade",
      DiskDefaults: { Type: "thick", SizeGiB: 50 },
      ExtraConfig: { "vsphere.hardwareVersion": "21" },
      ResourceLimits: {
        CPULimit: 4000,
        CPUReservation: 1000,
        CPUShares: 50,
        MemoryLimitMiB: 8192,
        MemoryReservationMiB: 1024,
      },
      PerformanceProfile: {
        CPUHotAddEnabled: true,
        MemoryHotAddEnabled: true,
        HyperThreadingPolicy: "prefer",
        LatencySensitivity: "high",
        NestedVirtualization: true,
        VirtualizationBasedSecurity: true,
      },
      SecurityProfile: {
        SecureBoot: true,
        TPMEnabled: true,
        TPMVersion: "2.0",
        VTDEnabled: true,
        EncryptionEnabled: true,
        KeyProvider: "hardware",
        RequireEncryption: false,
      },
    });
    expect(asked.disks).toEqual([
      {
        Name: "data",
        SizeGiB: 10,
        Type: "thick",
        SCSI: { controller: 1, controllerType: "lsilogic", sharedBus: "virtualSharing" },
      },
      { Name: "more", SizeGiB: 1, Type: "thin" },
    ]);
    // A datastore counts before a storage pod.
    expect(asked.placement).toEqual({
      Cluster: "c1",
      Host: "h1",
      Datastore: "d1",
      StoragePod: "",
      Folder: "f1",
      ResourcePool: "r1",
    });
    expect([asked.userData, asked.metaData, asked.tags]).toEqual(["{}", "a: 1\nb: 2", ["blue"]]);
    const network = (await here.get(VMNetworkAttachment, "lan"))?.status?.providerStatus?.["box"];
    expect(network?.available).toBe(true);
    for (const path of ignored) expect(network?.message).toContain(path);
  });

  it("what the machine leaves open is what its provider has for all", async () => {
    const defaults = {
      cluster: "c9",
      datastore: "",
      folder: "f9",
      network: "pg9",
      resourcePool: "r9",
      storagePod: "p9",
    };
    const { make } = await open("vsphere", { cpu: 1, memory: "512Mi" }, { defaults });
    await here.apply(VMNetworkAttachment, "lan", { network: { vsphere: {} } });
    const networks = [{ name: "eth0", networkRef: { name: "lan" } }];
    const asked = await make({ networks, userData: { ignition: { inline: "{}" } } });
    expect(asked.placement).toEqual({
      Cluster: "c9",
      Host: "",
      Datastore: "",
      StoragePod: "p9",
      Folder: "f9",
      ResourcePool: "r9",
    });
    expect(asked.networks).toEqual([expect.objectContaining({ Portgroup: "pg9", IPPolicy: "dhcp" })]);
    expect(asked.userData).toBe("{}");
  });
});

it("a provider is asked as often, and by as many at a time, as it allows", async () => {
  const limits = {
    rateLimit: { qps: 1, burst: 1 },
    connectionPooling: { connectionTimeout: "7s", idleTimeout: "1m", maxConnections: 1, maxIdleConnections: 1 },
  };
  const { host } = await open("libvirt", { cpu: 1, memory: "512Mi" }, limits);
  host.script("create", slow(20_000, honest), slow(20_000, honest));
  const refs = { providerRef: { name: "box" }, classRef: { name: "large" }, imageRef: { name: "tiny" } };
  for (const name of ["a", "b"]) await here.apply(VirtualMachine, name, refs);
  const isReady = async (name: string) => (await here.says(VirtualMachine, name)).startsWith("True");
  await here.until(async () => (await isReady("a")) && (await isReady("b")), 300_000);
  const gaps = (times: readonly number[]) => times.slice(1).map((at, i) => at - (times[i] ?? 0));
  expect(Math.min(...gaps(host.calls.map(({ at }) => at)))).toBeGreaterThanOrEqual(1_000);
  expect(Math.min(...gaps(host.asked("create").map(({ at }) => at)))).toBeGreaterThanOrEqual(20_000);
  expect(here.dialled).toEqual([expect.objectContaining({ connectTimeout: 7_000, idleTimeout: 60_000 })]);
});

describe("a network with VLANs", () => {
  it.each([
    [{ type: "pvlan", primaryVlanID: 100, secondaryVlanID: 101 }, "True Valid the spec keeps the rules"],
    [{ type: "trunk", trunkVlanIDs: [1, 4094] }, "True Valid the spec keeps the rules"],
    [{ type: "pvlan", primaryVlanID: 100 }, /^False Invalid spec.network.vsphere.vlan.secondaryVlanID/],
    [{ type: "trunk", trunkVlanIDs: [1, 5000] }, /^False Invalid spec.network.vsphere.vlan.trunkVlanIDs\[1\] 5000/],
  ])("%j", async (vlan, said) => {
    await open("vsphere", large);
    await here.apply(VMNetworkAttachment, "lan", { network: { vsphere: { portgroup: "pg", vlan } } });
    await here.pass(2_000);
    expect(await here.says(VMNetworkAttachment, "lan", "Validated")).toMatch(said);
  });
});
