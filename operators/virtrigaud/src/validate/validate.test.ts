import { arbitraryOf } from "@telltale/kinds/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Provider,
  type ProviderSpec,
  VirtualMachine,
  type VirtualMachineSpec,
  VMClass,
  type VMClassSpec,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  type VMNetworkAttachmentSpec,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import {
  durationProblems,
  importedDiskProblems,
  networkProblems,
  nfsProblems,
  type Problem,
  providerProblems,
  told,
  toldAll,
  virtualMachineProblems,
  vmClassProblems,
  vmImageProblems,
} from "./index.ts";

/** `field: what is wrong`, of each. */
const said = (problems: readonly Problem[]) => problems.map(({ field, wrong }) => `${field}: ${wrong}`);

test("a problem names the field, what it holds and the way out", () => {
  const problem = { field: "spec.cpu", value: "0", wrong: "is too few", fix: "use 1 or more" };
  expect(told(problem)).toBe("spec.cpu 0 is too few: use 1 or more");
  expect(told({ ...problem, value: "" })).toBe("spec.cpu is too few: use 1 or more");
  expect(toldAll([])).toBeUndefined();
  expect(toldAll([problem, problem, problem, problem, problem])).toMatch(/; and 2 more$/);
});

describe("3.1 a VirtualMachine", () => {
  const least: VirtualMachineSpec = { providerRef: { name: "box" }, classRef: { name: "small" } };
  const image = { imageRef: { name: "tiny" } };
  const disk = { importedDisk: { diskID: "d1" } };
  const check = (spec: Partial<VirtualMachineSpec>, metadata: VirtualMachine["metadata"] = { name: "web" }) =>
    said(virtualMachineProblems({ metadata, spec: { ...least, ...spec } }));
  const handler = { exec: { command: ["a"] }, httpGet: { port: 80 } };

  test.each<[string, Partial<VirtualMachineSpec>, readonly string[]]>([
    ["rule 1: an image", image, []],
    ["rule 1: a disk", disk, []],
    ["rule 1: neither", {}, ["spec.imageRef: is missing"]],
    ["rule 1: both", { ...image, ...disk }, ["spec.imageRef: stands beside spec.importedDisk"]],
    [
      "rule 3: disks of one name",
      {
        ...image,
        disks: [
          { name: "a", sizeGiB: 1 },
          { name: "b", sizeGiB: 1 },
          { name: "a", sizeGiB: 2 },
        ],
      },
      ["spec.disks[2].name: is used twice"],
    ],
    [
      "rule 3: networks of one name",
      { ...image, networks: [{ name: "eth0" }, { name: "eth0" }] },
      ["spec.networks[1].name: is used twice"],
    ],
    [
      "rule 5: cloud-init and Ignition",
      { ...image, userData: { cloudInit: { inline: "a" }, ignition: { inline: "b" } } },
      ["spec.userData: has both cloudInit and ignition"],
    ],
    ["rule 5: one of them", { ...image, userData: { ignition: { inline: "b" } } }, []],
    [
      "2.3 two handlers in one hook",
      { ...image, lifecycle: { preStop: handler } },
      ["spec.lifecycle.preStop: has exec and httpGet"],
    ],
    [
      "2.6 a length that is none",
      { ...image, lifecycle: { gracefulShutdownTimeout: "1d" } },
      ["spec.lifecycle.gracefulShutdownTimeout: is not a length of time"],
    ],
  ])("%s", (_, spec, problems) => {
    expect(check(spec)).toEqual(problems);
  });

  test("rule 1: an adopted one may have neither", () => {
    expect(check({}, { name: "web", labels: { [labels.adopted]: "true" } })).toEqual([]);
    expect(check({}, { name: "web", labels: { [labels.adopted]: "false" } })).toHaveLength(1);
  });

  test("7.6 has a name that a hypervisor can have", () => {
    const called = (name: string, given?: string) =>
      check(image, { name, ...(given === undefined ? {} : { annotations: { [annotations.vmName]: given } }) });
    expect(called("web")).toEqual([]);
    expect(called("web.example")).toEqual(["metadata.name: cannot be a name on the hypervisor"]);
    expect(called("a".repeat(64))).toHaveLength(1);
    expect(called("web.example", "web-example")).toEqual([]);
    for (const wrong of ["", "Web", "../x", "a b", "-a", "a;rm"]) expect(called("web", wrong), wrong).toHaveLength(1);
  });

  test("3.1 a disk without a path lies where only libvirt looks", () => {
    const at = (type: "libvirt" | "qemu", spec: Partial<VirtualMachineSpec>) =>
      said(importedDiskProblems({ ...least, ...spec }, type));
    expect(at("libvirt", disk)).toEqual([]);
    expect(at("qemu", disk)).toEqual(["spec.importedDisk.path: is missing"]);
    expect(at("qemu", { importedDisk: { diskID: "d", path: "/d" } })).toEqual([]);
    expect(at("qemu", image)).toEqual([]);
  });
});

describe("3.2 a Provider", () => {
  const spec: ProviderSpec = {
    type: "qemu",
    endpoint: "tcp://127.0.0.1:9443",
    credentialSecretRef: { name: "creds" },
    runtime: { image: "example/provider:dev" },
  };
  const check = (more: Partial<ProviderSpec>) =>
    said(providerProblems({ metadata: { name: "box", namespace: "demo" }, spec: { ...spec, ...more } }));

  test.each<[string, Partial<ProviderSpec>, readonly string[]]>([
    ["as it should be", {}, []],
    ["with its Secret beside it", { credentialSecretRef: { name: "c", namespace: "demo" } }, []],
    [
      "with its Secret elsewhere",
      { credentialSecretRef: { name: "c", namespace: "infra" } },
      ["spec.credentialSecretRef.namespace: is not the namespace of the Provider"],
    ],
    ["without an image", { runtime: { image: "" } }, ["spec.runtime.image: is missing"]],
    [
      "with a length that is none",
      { healthCheck: { interval: "soon" } },
      ["spec.healthCheck.interval: is not a length of time"],
    ],
  ])("%s", (_, more, problems) => {
    expect(check(more)).toEqual(problems);
  });
});

describe("3.7 a VMClass", () => {
  const check = (more: Partial<VMClassSpec>) => said(vmClassProblems({ spec: { cpu: 1, memory: "512Mi", ...more } }));
  const memory = ["spec.memory: cannot be the memory of a machine"];

  test.each([
    ["128Mi", []],
    ["1Ti", []],
    ["4Gi", []],
    [536_870_912, []],
    ["127Mi", memory],
    ["1025Gi", memory],
    ["1G", memory], // not a whole number of MiB
    ["100m", memory],
    ["-1Gi", memory],
    ["much", memory],
  ])("with %s of memory", (amount, problems) => {
    expect(check({ memory: amount })).toEqual(problems);
  });

  test.each<[string, Partial<VMClassSpec>, readonly string[]]>([
    ["as much reserved as the limit", { resourceLimits: { memoryReservation: "1Gi", memoryLimit: "1024Mi" } }, []],
    [
      "more memory reserved than the limit",
      { resourceLimits: { memoryReservation: "2Gi", memoryLimit: "1Gi" } },
      ["spec.resourceLimits.memoryReservation: is more than memoryLimit 1Gi"],
    ],
    [
      "more CPU reserved than the limit",
      { resourceLimits: { cpuReservation: 200, cpuLimit: 100 } },
      ["spec.resourceLimits.cpuReservation: is more than cpuLimit 100"],
    ],
    ["a reservation without a limit", { resourceLimits: { cpuReservation: 200 } }, []],
    [
      "a limit that is no amount",
      { resourceLimits: { memoryLimit: "1e.5" } },
      ["spec.resourceLimits.memoryLimit: is no amount"],
    ],
    [
      "secure boot with BIOS",
      { securityProfile: { secureBoot: true } },
      ["spec.securityProfile.secureBoot: needs UEFI"],
    ],
    ["secure boot with UEFI", { firmware: "UEFI", securityProfile: { secureBoot: true } }, []],
    ["a TPM with EFI", { firmware: "EFI", securityProfile: { tpmEnabled: true, tpmVersion: "2.0" } }, []],
    [
      "a TPM with BIOS",
      { firmware: "BIOS", securityProfile: { tpmEnabled: true } },
      ["spec.securityProfile.tpmEnabled: needs UEFI"],
    ],
    [
      "a version of no TPM",
      { securityProfile: { tpmVersion: "1.2" } },
      ["spec.securityProfile.tpmVersion: stands beside tpmEnabled: false"],
    ],
    [
      "encryption needed and not wanted",
      { securityProfile: { encryptionPolicy: { requireEncryption: true } } },
      ["spec.securityProfile.encryptionPolicy.requireEncryption: stands beside enabled: false"],
    ],
  ])("%s", (_, more, problems) => {
    expect(check(more)).toEqual(problems);
  });
});

describe("3.8 a VMImage", () => {
  const check = (source: VMImage["spec"]["source"]) => said(vmImageProblems({ spec: { source } }));
  const url = "https://images.example/tiny.qcow2";

  test.each<[string, VMImage["spec"]["source"], readonly string[]]>([
    ["from nowhere", {}, ["spec.source: names no source that is known"]],
    ["from a URL", { http: { url } }, []],
    ["with a SHA-256", { http: { url, checksum: "a".repeat(64) } }, []],
    ["with an MD5", { http: { url, checksum: "A".repeat(32), checksumType: "md5" } }, []],
    ["with half a SHA-256", { http: { url, checksum: "a".repeat(32) } }, ["spec.source.http.checksum: is no sha256"]],
    [
      "with a checksum that is none",
      { libvirt: { url, checksum: "x".repeat(128), checksumType: "sha512" } },
      ["spec.source.libvirt.checksum: is no sha512"],
    ],
    [
      "with a length that is none",
      { http: { url, timeout: "1d" } },
      ["spec.source.http.timeout: is not a length of time"],
    ],
  ])("%s", (_, source, problems) => {
    expect(check(source)).toEqual(problems);
  });
});

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

describe("S46 bad duration", () => {
  test("a snapshot that is to be kept for 30d says so, whichever field it is in", () => {
    const problems = durationProblems(VMSnapshot, { vmRef: { name: "web" }, retentionPolicy: { maxAge: "30d" } });
    expect(toldAll(problems)).toBe(
      'spec.retentionPolicy.maxAge "30d" is not a length of time: write it as 90s, 30m or 720h: there is no day',
    );
    expect(
      durationProblems(VMMigration, { options: { timeout: "1d", retryPolicy: { retryDelay: "x" } } }),
    ).toHaveLength(2);
    expect(durationProblems(VMSnapshot, { retentionPolicy: { maxAge: "720h" } })).toEqual([]);
  });
});

describe("L-34 whatever a server lets through", () => {
  const metadata = { name: "x", namespace: "demo" };
  const all = [
    [VirtualMachine, (spec: unknown) => virtualMachineProblems({ metadata, spec: spec as never })],
    [Provider, (spec: unknown) => providerProblems({ metadata, spec: spec as never })],
    [VMClass, (spec: unknown) => vmClassProblems({ spec: spec as never })],
    [VMImage, (spec: unknown) => vmImageProblems({ spec: spec as never })],
    [VMNetworkAttachment, (spec: unknown) => networkProblems({ spec: spec as never })],
  ] as const;

  test.each(all.map(([kind, check]) => [kind.kind, kind, check] as const))(
    "the rules of a %s end in an answer, also without what has to be there",
    (_, kind, check) => {
      expect(check({})).toBeInstanceOf(Array);
      fc.assert(
        fc.property(arbitraryOf(fc, kind.schema.spec), fc.nat(), (spec, hole) => {
          const told = toldAll(check(spec)) ?? "";
          expect(told.length).toBeLessThan(2048);
          const members = Object.entries(spec as object);
          check(Object.fromEntries(members.filter((_, i) => i !== hole % Math.max(1, members.length))));
        }),
        { numRuns: 40, seed: 1 },
      );
    },
  );
});
