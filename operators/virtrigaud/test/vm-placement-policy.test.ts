// Policies as people meet them: on a server, with machines and providers around.
import type { KindRef } from "@telltale/kinds";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Provider, VirtualMachine, VMClass, VMPlacementPolicy } from "../src/kinds/index.ts";
import { vmPlacementPolicies } from "../src/vm-placement-policy/controller.ts";
import { connected, type ProviderOptions, type Stage, stage } from "./stage.ts";

const homes = ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
let all: Stage;
beforeAll(async () => {
  all = await stage({ controllers: () => [vmPlacementPolicies()], namespaces: homes });
});
afterAll(async () => {
  expect(all.complaints).toEqual([]);
  await all.end();
});

/** The stage in a namespace of its own. */
function begin() {
  const home = homes.pop() ?? "";
  return {
    apply: (kind: KindRef, name: string, spec: object, metadata: object = {}) =>
      all.apply(kind, name, spec, metadata, home),
    status: (kind: KindRef, name: string, status: object) => all.status(kind, name, status, home),
    remove: (kind: KindRef, name: string) => all.remove(kind, name, home),
    says: (kind: KindRef, name: string, type = "Ready") => all.says(kind, name, type, home),
    provider: (name: string, more: ProviderOptions = {}) => all.provider(name, { ...more, namespace: home }),
    policy: async (name: string) => (await all.get(VMPlacementPolicy, name, home))?.status,
    writes: () => all.writes().filter(({ line }) => line.includes(`/namespaces/${home}/`)),
    pass: all.pass,
  };
}

const machine = (policy: string, provider = "p") => ({
  providerRef: { name: provider },
  classRef: { name: "c" },
  imageRef: { name: "i" },
  placementRef: { name: policy },
});

it("S51 policy: a host that is both allowed and excluded makes it invalid, until that is corrected", async () => {
  const it = begin();
  await it.provider("p", { spec: { type: "vsphere" } });
  await it.apply(VMPlacementPolicy, "a", { hard: { hosts: ["h1"], excludedHosts: ["h1"] } });
  const problem = "spec.hard: host h1 is both allowed and excluded";
  expect(await it.says(VMPlacementPolicy, "a", "Validated")).toBe(`False Invalid ${problem}`);
  expect(await it.says(VMPlacementPolicy, "a")).toBe(`False Invalid ${problem}`);
  await it.apply(VMPlacementPolicy, "a", { hard: { hosts: ["h1"], excludedHosts: ["h2"] } });
  expect(await it.says(VMPlacementPolicy, "a")).toBe("True Valid Placement policy is valid and ready");
  expect((await it.policy("a"))?.observedGeneration).toBe(2);
});

it("is kept by nobody while there is no provider, and while none answers", async () => {
  const it = begin();
  await it.apply(VMPlacementPolicy, "a", { hard: { hosts: ["h1"] } });
  const both = async () => [await it.says(VMPlacementPolicy, "a"), await it.says(VMPlacementPolicy, "a", "Supported")];
  const none = "Unknown NoProviders there is no Provider";
  expect(await both()).toEqual([none, none]);
  await it.provider("p", { spec: { type: "vsphere" } });
  expect(await both()).toEqual([
    "True Valid Placement policy is valid and ready",
    "True Valid vsphere can keep every hard rule",
  ]);
  await it.status(Provider, "p", connected("False"));
  const away = "Unknown ProviderUnreachable Provider p cannot be reached: its conditions say why";
  expect(await both()).toEqual([away, away]);
});

it("S52 policy conflict: two strict one-per-host policies with three machines for two hosts name each other", async () => {
  const it = begin();
  await it.provider("p", { spec: { type: "vsphere" } });
  const spec = {
    hard: { hosts: ["h1", "h2"] },
    antiAffinity: { hostAntiAffinity: { enabled: true, scope: "strict" } },
  };
  await it.apply(VMPlacementPolicy, "a", spec);
  await it.apply(VMPlacementPolicy, "b", spec);
  for (const [name, policy] of [
    ["m0", "a"],
    ["m1", "a"],
    ["m2", "b"],
  ] as const) {
    expect((await it.policy("a"))?.conflictingPolicies).toEqual([]);
    await it.apply(VirtualMachine, name, machine(policy));
    await it.pass(1_000);
  }
  for (const [mine, other] of [
    ["a", "b"],
    ["b", "a"],
  ] as const) {
    expect((await it.policy(mine))?.conflictingPolicies).toEqual([
      {
        policyName: other,
        conflictType: "hard",
        severity: "high",
        description: "a and b have 3 machines for 2 places on h1, h2",
        resolutionSuggestion: "raise spec.priority of one of the two, or make their lists disjoint",
      },
    ]);
    expect(await it.says(VMPlacementPolicy, mine, "Conflicts")).toBe(`True Conflicts it contradicts ${other}`);
    expect(await it.says(VMPlacementPolicy, mine)).toMatch(/^True Valid/);
  }
  expect((await it.policy("a"))?.usedByVMs).toEqual([{ name: "m0" }, { name: "m1" }]);
  await it.remove(VirtualMachine, "m2");
  await it.pass(1_000);
  expect(await it.says(VMPlacementPolicy, "a", "Conflicts")).toMatch(/^False NoConflicts/);
});

it("each type of provider around says what it can keep, and of what is only preferred it warns", async () => {
  const it = begin();
  await it.apply(VMPlacementPolicy, "a", {
    hard: { hosts: ["h1"], zones: ["z1"] },
    soft: { clusters: ["c1"] },
    resourceConstraints: { minCPUPerHost: 4 },
  });
  expect((await it.policy("a"))?.validationResults).toEqual({});
  await it.provider("p", { spec: { type: "proxmox" } });
  await it.provider("q");
  await it.pass(1_000);
  const first = await it.policy("a");
  expect(first?.validationResults).toEqual({
    proxmox: {
      valid: true,
      message: "Policy is valid for Proxmox provider",
      supportedFeatures: ["hard.hosts", "hard.zones"],
      unsupportedFeatures: ["resourceConstraints.minCPUPerHost", "soft.clusters"],
      warnings: [
        "resourceConstraints.minCPUPerHost: no provider tells how full its hosts are",
        "soft.clusters is ignored",
      ],
      lastValidated: expect.any(String),
    },
    qemu: expect.objectContaining({ valid: false, errors: ["hard.hosts cannot be kept"] }),
  });
  expect(await it.says(VMPlacementPolicy, "a", "Supported")).toBe("False Unsupported qemu cannot keep hard.hosts");
  expect(await it.says(VMPlacementPolicy, "a")).toMatch(/^False Unsupported/);
  await it.remove(Provider, "q");
  expect(await it.says(VMPlacementPolicy, "a")).toMatch(/^True Valid/);
});

it("every list is told of by each type of provider, as one that it can keep or not", async () => {
  const it = begin();
  for (const type of ["vsphere", "libvirt"] as const) await it.provider(type, { spec: { type } });
  const lists = {
    clusters: ["c1"],
    excludedClusters: ["c2"],
    hosts: ["h1"],
    excludedHosts: ["h2"],
    datastores: ["d1"],
    excludedDatastores: ["d2"],
    folders: ["f1"],
    resourcePools: ["p1"],
    networks: ["lan"],
    zones: ["z1"],
    regions: ["r1"],
    nodeSelector: { rack: "a" },
    tolerations: [{ key: "k", operator: "Exists" }],
  };
  await it.apply(VMPlacementPolicy, "a", { hard: lists, soft: lists });
  await it.pass(1_000);
  const { vsphere, libvirt } = (await it.policy("a"))?.validationResults ?? {};
  const paths = (names: readonly string[]) => ["hard", "soft"].flatMap((at) => names.map((name) => `${at}.${name}`));
  const [labels, stores] = [
    ["nodeSelector", "tolerations"],
    ["datastores", "excludedDatastores"],
  ];
  const anywhere = ["networks", "regions", "zones"];
  const inVsphere = Object.keys(lists).filter((name) => !labels.includes(name));
  expect(vsphere?.supportedFeatures).toEqual(paths(inVsphere).sort());
  expect(vsphere?.unsupportedFeatures).toEqual(paths(labels).sort());
  expect(libvirt?.supportedFeatures).toEqual(paths([...labels, ...stores, ...anywhere]).sort());
  expect(vsphere?.errors).toEqual(["hard.nodeSelector cannot be kept", "hard.tolerations cannot be kept"]);
  expect(vsphere?.warnings).toContain("soft.tolerations is ignored");
});

it("two policies that cannot both be kept say so of each other, and neither is ready", async () => {
  const it = begin();
  await it.provider("p", { spec: { type: "vsphere" } });
  const near = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } };
  const vmAffinity = { requiredDuringScheduling: [near] };
  await it.apply(VMPlacementPolicy, "a", { hard: { hosts: ["h1"] }, affinity: { vmAffinity } });
  await it.apply(VMPlacementPolicy, "b", { hard: { hosts: ["h2"] } });
  await it.apply(VirtualMachine, "db", machine("b"), { labels: { app: "db" } });
  await it.pass(1_000);
  for (const [mine, other] of [
    ["a", "b"],
    ["b", "a"],
  ] as const) {
    expect(await it.says(VMPlacementPolicy, mine)).toBe(`False Conflicts it cannot be kept together with ${other}`);
    expect((await it.policy(mine))?.conflictingPolicies).toMatchObject([{ policyName: other, severity: "critical" }]);
  }
  await it.apply(VMPlacementPolicy, "b", { hard: { hosts: ["h1", "h2"] } });
  await it.pass(1_000);
  expect(await it.says(VMPlacementPolicy, "a")).toMatch(/^True Valid/);
});

it("nothing is written while nothing changes, but for the time of the check, once an hour", async () => {
  const it = begin();
  await it.provider("q");
  await it.apply(VMPlacementPolicy, "a", { hard: { networks: ["lan"] } });
  const before = await it.policy("a");
  it.writes();
  await it.pass(59 * 60_000);
  expect(it.writes()).toEqual([]);
  await it.pass(11 * 60_000);
  expect(it.writes()).toHaveLength(1);
  expect(await it.policy("a")).not.toEqual(before);
});

it("the statistics are another's: they stay as they are", async () => {
  const it = begin();
  await it.apply(VMPlacementPolicy, "a", { hard: { hosts: ["h1"] } });
  const placementStats = { totalPlacements: 3, failedPlacements: 1 };
  await it.status(VMPlacementPolicy, "a", { placementStats });
  await it.apply(VMPlacementPolicy, "a", { hard: { hosts: ["h2"] } });
  await it.pass(1_000);
  expect(await it.policy("a")).toMatchObject({ observedGeneration: 2, placementStats });
});

it("a TPM asked of machines with BIOS is wrong as long as they are", async () => {
  const it = begin();
  await it.provider("p");
  await it.apply(VMClass, "c", { cpu: 1, memory: "512Mi" });
  await it.apply(VMPlacementPolicy, "a", { securityConstraints: { requireTPM: true } });
  await it.apply(VirtualMachine, "m0", machine("a"));
  await it.pass(1_000);
  expect(await it.says(VMPlacementPolicy, "a")).toBe(
    "False Invalid spec.securityConstraints.requireTPM: the class of m0 has firmware BIOS",
  );
  await it.apply(VMClass, "c", { cpu: 1, memory: "512Mi", firmware: "UEFI" });
  expect(await it.says(VMPlacementPolicy, "a")).toMatch(/^True Valid/);
});
