import { expect, test } from "vitest";
import type { VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import { conflictsOf } from "./conflicts.ts";
import { unkept, validated } from "./features.ts";
import { problemsOf } from "./semantics.ts";

type Spec = VMPlacementPolicy["spec"];

const term = (app: string, topologyKey = "kubernetes.io/hostname") => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
});
const near = (...terms: object[]) => ({ affinity: { vmAffinity: { requiredDuringScheduling: terms } } }) as Spec;
const far = (...terms: object[]) => ({ antiAffinity: { vmAntiAffinity: { requiredDuringScheduling: terms } } }) as Spec;

const wrong: readonly [string, Spec, RegExp][] = [
  ["S1", { hard: { clusters: ["c"], excludedClusters: ["c"] } }, /cluster c is both allowed and excluded/],
  ["S1", { hard: { datastores: ["d"], excludedDatastores: ["d"] } }, /datastore d is both/],
  [
    "S2",
    { affinity: { zoneAffinity: { enabled: true, scope: "strict" } } },
    /zoneAffinity is strict and names nothing/,
  ],
  [
    "S3",
    { hard: { hosts: ["h1"] }, affinity: { hostAffinity: { enabled: true, scope: "strict", preferredHosts: ["h2"] } } },
    /spec.hard allows none of h2/,
  ],
  ["S4", { ...near(term("db")), ...far(term("db")) }, /require the same machines by kubernetes.io\/hostname/],
  ["S5", near({ topologyKey: "k", matchExpressions: [{ key: "a", operator: "In" }] }), /In on a needs values/],
  [
    "S5",
    far({ topologyKey: "k", matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] }),
    /Exists on a takes no values/,
  ],
  [
    "S6",
    { securityConstraints: { allowedSecurityGroups: ["a", "b"], deniedSecurityGroups: ["b"] } },
    /security group b is both/,
  ],
  ["S8", { soft: { tolerations: [{ key: "k", operator: "Exists", value: "v" }] } }, /Exists on k takes no value/],
];

test.each(wrong)("%s: %j is wrong", (_rule, spec, message) => {
  expect(problemsOf(spec, [])).toEqual([expect.stringMatching(message)]);
});

test("what a spec leaves open is not wrong", () => {
  const sound: readonly Spec[] = [
    {},
    { affinity: { hostAffinity: { enabled: true } } },
    { affinity: { hostAffinity: { enabled: false, scope: "strict" } } },
    { hard: { hosts: ["h1"], excludedHosts: ["h2"] } },
    { ...near(term("db")), ...far(term("db", "topology.kubernetes.io/zone")) },
  ];
  for (const spec of sound) expect(problemsOf(spec, [])).toEqual([]);
});

test("the matrix: what each type cannot keep", () => {
  const hard = {
    clusters: ["c"],
    hosts: ["h"],
    datastores: ["d"],
    networks: ["n"],
    zones: ["z"],
    nodeSelector: { a: "b" },
  };
  const spec: Spec = {
    hard,
    antiAffinity: { datastoreAntiAffinity: { enabled: true, scope: "strict" } },
    ...near(term("db", "rack")),
  };
  const strange = "affinity.vmAffinity.requiredDuringScheduling[0]";
  expect(unkept(spec, "vsphere")).toEqual([strange, "hard.nodeSelector"]);
  expect(unkept(spec, "proxmox")).toEqual([strange, "hard.clusters", "hard.nodeSelector"]);
  const strict = "antiAffinity.datastoreAntiAffinity";
  expect(unkept(spec, "libvirt")).toEqual([strange, strict, "hard.clusters", "hard.hosts"]);
  expect(unkept(spec, "qemu")).toEqual([strange, strict, "hard.clusters", "hard.datastores", "hard.hosts"]);
  expect(validated(spec, "libvirt").warnings).toEqual(["hard.datastores: it is taken as the name of a pool"]);
});

const policy = (name: string, spec: Spec) =>
  ({ metadata: { namespace: "demo", name, uid: name }, spec }) as VMPlacementPolicy;
const vm = (name: string, app: string) => {
  const labels: Record<string, string> = { app };
  return { metadata: { namespace: "demo", name, labels } } as VirtualMachine;
};

const between = (a: Spec, b: Spec) => {
  const users = [{ vm: vm("web-0", "web"), vmClass: undefined }];
  const others = [{ policy: policy("b", b), vms: [vm("db-0", "db")] }];
  const found = conflictsOf({
    policy: policy("a", a),
    users,
    types: [],
    providers: [],
    others,
    namespaceLabels: () => undefined,
  });
  return found.map(({ conflictType, severity }) => `${conflictType} ${severity}`);
};

const limited = (most: number, hosts: string[]): Spec => ({
  hard: { hosts },
  antiAffinity: { hostAntiAffinity: { enabled: true, maxVMsPerHost: most } },
});

const pairs: readonly [string, Spec, Spec, string[]][] = [
  [
    "near machines that are allowed only elsewhere",
    { ...near(term("db")), hard: { hosts: ["h1"] } },
    { hard: { hosts: ["h2"] } },
    ["affinity critical"],
  ],
  [
    "near machines that may be there too",
    { ...near(term("db")), hard: { hosts: ["h1"] } },
    { hard: { hosts: ["h1"] } },
    [],
  ],
  ["near machines that want to be away", near(term("db")), far(term("web")), ["affinity critical"]],
  ["the same the other way round", far(term("db")), near(term("web")), ["affinity critical"]],
  ["near and away by different keys", near(term("db")), far(term("web", "virtrigaud.io/cluster")), []],
  ["different numbers on one host", limited(1, ["h1", "h2"]), limited(3, ["h2"]), ["resource medium"]],
  ["different numbers on different hosts", limited(1, ["h1"]), limited(3, ["h2"]), []],
  [
    "one that wants to be alone on a shared host",
    { securityConstraints: { isolationLevel: "maximum" }, hard: { hosts: ["h1"] } },
    { hard: { hosts: ["h1", "h2"] } },
    ["security high"],
  ],
  ["one likes what the other does not", { soft: { hosts: ["h1"] } }, { soft: { excludedHosts: ["h1"] } }, ["soft low"]],
];

test.each(pairs)("%s", (_what, a, b, found) => {
  expect(between(a, b)).toEqual(found);
});

test("the worst conflicts come first, and there are at most fifty", () => {
  const others = Array.from({ length: 60 }, (_, i) => {
    const spec: Spec = i === 59 ? far(term("web")) : { soft: { excludedHosts: ["h1"] } };
    return { policy: policy(`p${String(i).padStart(2, "0")}`, spec), vms: [vm("db-0", "db")] };
  });
  const mine = policy("a", { soft: { hosts: ["h1"] }, ...near(term("db")) });
  const users = [{ vm: vm("web-0", "web"), vmClass: undefined }];
  const found = conflictsOf({
    policy: mine,
    users,
    types: [],
    providers: [],
    others,
    namespaceLabels: () => undefined,
  });
  expect(found).toHaveLength(50);
  expect(found[0]).toMatchObject({ policyName: "p59", severity: "critical" });
  expect(found[1]?.policyName).toBe("p00");
});
