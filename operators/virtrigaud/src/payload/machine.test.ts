// What is sent to make a machine and to change one, key by key (4.4), and what each provider reads out of it.
import { Secret } from "@telltale/status";
import { describe, expect, it } from "vitest";
import { classSpec, image, network, provider, small, vm } from "../../test/objects.ts";
import type { Provider, VMClass } from "../kinds/index.ts";
import {
  readClass,
  readCloneClass,
  readDesired,
  readDisks,
  readHost,
  readImage,
  readNetworks,
} from "../simulated/reading.ts";
import { classPayload } from "./class.ts";
import { cloneClassJson } from "./clone.ts";
import { createPayload, desiredPayload, type Ingredients } from "./machine.ts";
import { networksPayload } from "./networks.ts";

const ingredients = (more: Partial<Ingredients> = {}): Ingredients => ({
  vm: vm(),
  name: "web",
  provider: provider("qemu"),
  providerKey: "box",
  vmClass: small,
  image: image({ proxmox: { templateID: 9000 } }),
  networks: [],
  placement: [],
  ...more,
});

describe("class_json", () => {
  it("has every key, with null for what the class does not say, and GiB rounded up", () => {
    expect(classPayload(classSpec)).toEqual({
      CPU: 2,
      MemoryMiB: 4096,
      Firmware: "BIOS",
      DiskDefaults: { Type: "thick", SizeGiB: 11 },
      GuestToolsPolicy: "install",
      ExtraConfig: null,
      PerformanceProfile: null,
      SecurityProfile: null,
      ResourceLimits: null,
    });
  });

  it("has what the class says, all of it", () => {
    const spec: VMClass["spec"] = {
      cpu: 1,
      memory: "512Mi",
      firmware: "UEFI",
      guestToolsPolicy: "skip",
      extraConfig: { a: "b" },
      performanceProfile: { cpuHotAddEnabled: true, latencySensitivity: "high" },
      securityProfile: { secureBoot: true, tpmEnabled: true, tpmVersion: "2.0", encryptionPolicy: { enabled: true } },
      resourceLimits: { cpuLimit: 1000, memoryLimit: "1Gi" },
    };
    expect(classPayload(spec)).toEqual({
      CPU: 1,
      MemoryMiB: 512,
      Firmware: "UEFI",
      DiskDefaults: null,
      GuestToolsPolicy: "skip",
      ExtraConfig: { a: "b" },
      PerformanceProfile: {
        LatencySensitivity: "high",
        CPUHotAddEnabled: true,
        MemoryHotAddEnabled: false,
        VirtualizationBasedSecurity: false,
        NestedVirtualization: false,
        HyperThreadingPolicy: "auto",
      },
      SecurityProfile: {
        SecureBoot: true,
        TPMEnabled: true,
        TPMVersion: "2.0",
        VTDEnabled: false,
        EncryptionEnabled: true,
        KeyProvider: "",
        RequireEncryption: false,
      },
      ResourceLimits: {
        CPULimit: 1000,
        CPUReservation: null,
        MemoryLimitMiB: 1024,
        MemoryReservationMiB: null,
        CPUShares: null,
      },
    });
  });

  it("L-10 the machine's own sizes win, in Create and in Reconfigure", () => {
    const from = ingredients({ vm: vm({ resources: { cpu: 8, memoryMiB: 8192 } }) });
    const created = createPayload(from);
    if ("problem" in created) throw new Error(created.problem);
    const wanted = { cpu: 8, memoryMiB: 8192, diskGiB: 11 };
    expect(readClass(created.classJson ?? "", "struct")).toEqual(wanted);
    expect(readDesired(desiredPayload(from, false), "struct")).toMatchObject(wanted);
  });
});

describe("L-03 every provider reads what was meant", () => {
  it.each(["struct", "map"] as const)("sizes, disks and host, read as a %s", (reads) => {
    const from = ingredients({
      vm: vm({ disks: [{ name: "data", sizeGiB: 7 }] }),
      placement: [{ host: "h1" }],
    });
    const created = createPayload(from);
    if ("problem" in created) throw new Error(created.problem);
    expect(readClass(created.classJson ?? "", reads)).toEqual({ cpu: 2, memoryMiB: 4096, diskGiB: 11 });
    expect(readDisks(created.disksJson ?? "", reads)).toEqual([{ name: "data", sizeGiB: 7 }]);
    expect(readImage(created.imageJson ?? "", reads).template).toBe("9000");
    expect(readHost(created.placementJson ?? "", reads)).toBe("h1");
    expect(readDesired(desiredPayload(from, true), reads)).toEqual({
      cpu: 2,
      memoryMiB: 4096,
      diskGiB: 11,
      disks: [{ name: "data", sizeGiB: 7 }],
    });
  });

  it.each(["struct", "map"] as const)("the class of a clone, read as a %s", (reads) => {
    expect(readCloneClass(cloneClassJson({ cpu: 4, memory: "8Gi" }), reads)).toEqual({ cpu: 4, memoryMiB: 8192 });
  });

  it("a clone's class: one spelling takes nothing away from the other", () => {
    const sent = JSON.parse(cloneClassJson({ cpu: 4, memory: "8Gi", extraConfig: { a: "b" } }));
    expect(sent).toMatchObject({ cpu: 4, memory: "8Gi", CPU: 4, MemoryMiB: 8192, extraConfig: { a: "b" } });
    expect(Object.values(sent)).not.toContain(null);
  });

  it("networks, by Proxmox and by the others", () => {
    const card = {
      name: "eth0",
      networkRef: { name: "lan" },
      ipAddress: "10.0.0.5",
      prefix: 16,
      gateway: "10.0.0.1",
      dns: "1.1.1.1, 8.8.8.8",
      macAddress: "52:54:00:00:00:01",
    };
    const lan = network({
      network: { proxmox: { bridge: "vmbr2", vlanTag: 7, model: "virtio" }, libvirt: { networkName: "lan" } },
    });
    const of = (type: Provider["spec"]["type"]) =>
      JSON.stringify(networksPayload(vm({ networks: [card] }), [lan], provider(type)));
    const meant = { mac: card.macAddress, address: "10.0.0.5", gateway: "10.0.0.1", dns: ["1.1.1.1", "8.8.8.8"] };
    expect(readNetworks(of("proxmox"), "map")).toEqual([{ ...meant, name: "vmbr2", bridge: "vmbr2", vlan: 7 }]);
    expect(readNetworks(of("libvirt"), "struct")).toEqual([{ ...meant, name: "lan", bridge: "", vlan: 0 }]);
  });
});

it("placement_json is empty where there is nothing to say", () => {
  expect(createPayload(ingredients())).toMatchObject({ placementJson: "" });
});

it("disks_json has the SCSI options where they are given", () => {
  const disks = [
    { name: "a", sizeGiB: 1 },
    { name: "b", sizeGiB: 2, type: "thick", scsi: { controller: 1 } },
  ] as const;
  const created = createPayload(ingredients({ vm: vm({ disks: [...disks] }) }));
  expect(JSON.parse("problem" in created ? "" : (created.disksJson ?? ""))).toEqual([
    { SizeGiB: 1, Type: "thin", Name: "a" },
    {
      SizeGiB: 2,
      Type: "thick",
      Name: "b",
      SCSI: { controller: 1, sharedBus: "noSharing", controllerType: "pvscsi" },
    },
  ]);
});

it("desired_json holds no user data, and disks only when they are to change", () => {
  const from = ingredients({
    vm: vm({ disks: [{ name: "a", sizeGiB: 1 }], userData: { cloudInit: { inline: "canary" } } }),
  });
  const desired = JSON.parse(desiredPayload(from, false));
  expect(Object.keys(desired)).toEqual([
    "Name",
    "Class",
    "Image",
    "Networks",
    "Disks",
    "UserData",
    "MetaData",
    "Placement",
    "Tags",
  ]);
  expect(desired).toMatchObject({ Disks: null, UserData: null, MetaData: null });
  expect(JSON.stringify(desired)).not.toContain("canary");
  expect(JSON.parse(desiredPayload(from, true)).Disks).toHaveLength(1);
});

it("user data and metadata are sent as bytes", () => {
  const made = createPayload(ingredients(), { userData: new Secret("#cloud-config\n"), metaData: new Secret("ü") });
  if ("problem" in made) throw new Error(made.problem);
  expect(new TextDecoder().decode(made.userData)).toBe("#cloud-config\n");
  expect(new TextDecoder().decode(made.metaData)).toBe("ü");
});
