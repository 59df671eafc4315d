import { arbitraryOf } from "@telltale/kinds/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Provider,
  type ProviderSpec,
  VirtualMachine,
  type VirtualMachineSpec,
  VMClass,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import {
  durationProblems,
  importedDiskProblems,
  problem as makeProblem,
  networkProblems,
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
  expect(told(makeProblem("spec.a", `x\u202ey\n${"z".repeat(99)}`, "is wrong", "fix it"))).toMatch(
    /^spec\.a "xy\\nz+… is wrong: fix it$/,
  );
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
