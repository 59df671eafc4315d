import { instant } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import type { Provider, VirtualMachine, VMClass, VMPlacementPolicy } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { type Around, place } from "./engine.ts";
import { statsAfter } from "./stats.ts";

const now = instant(1_000_000);
const home = "demo";

const machine = (name: string, more: Partial<VirtualMachine["spec"]> = {}, labels: Record<string, string> = {}) =>
  ({
    metadata: { namespace: home, name, labels },
    spec: { providerRef: { name: "p" }, classRef: { name: "c" }, placementRef: { name: "policy" }, ...more },
  }) as VirtualMachine;

/** A machine that is there already. */
const settled = (name: string, at: object, labels: Record<string, string> = {}, policy = "policy"): VirtualMachine => {
  const it = machine(name, { placementRef: { name: policy } }, labels);
  return { ...it, metadata: { ...it.metadata, annotations: { [annotations.placement]: JSON.stringify(at) } } };
};

const policyOf = (spec: VMPlacementPolicy["spec"], name = "policy") =>
  ({
    metadata: { namespace: home, name, uid: `uid-${name}`, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec,
  }) as VMPlacementPolicy;

const provider = (defaults: object = {}, labels: Record<string, string> = {}) =>
  ({ metadata: { namespace: home, name: "p", labels }, spec: { type: "vsphere", defaults } }) as Provider;

const around = (more: Partial<Around> = {}): Around => ({
  provider: provider(),
  vmClass: undefined,
  others: [],
  policies: [],
  namespaceLabels: () => undefined,
  now,
  ...more,
});

const placed = (spec: VMPlacementPolicy["spec"], more: Partial<Around> = {}, vm = machine("new")) => {
  const placing = place(vm, policyOf(spec), around(more));
  return placing.is === "placed" ? placing.placement : placing.why;
};

describe("what is chosen", () => {
  test("without a policy it is what the spec says, then the defaults of the provider", () => {
    const defaults = { cluster: "c1", datastore: "d1", folder: "f1", storagePod: "s1" };
    const plain = (placement: NonNullable<VirtualMachine["spec"]["placement"]>) => {
      const placing = place(machine("new", { placement }), undefined, around({ provider: provider(defaults) }));
      return placing.is === "placed" ? placing.placement : {};
    };
    expect(plain({ cluster: "c9", host: "h9" })).toEqual({ Datastore: "d1", Cluster: "c9", Folder: "f1", Host: "h9" });
    expect(plain({ storagePod: "s9" })).toEqual({ StoragePod: "s9", Cluster: "c1", Folder: "f1" });
    expect(plain({ storagePod: "s9", datastore: "d9" })).toMatchObject({ Datastore: "d9" });
    expect(plain({ storagePod: "s9", datastore: "d9" })).not.toHaveProperty("StoragePod");
  });

  test("hard lists go before strict wishes, those before soft ones, and those before defaults", () => {
    const soft = { hosts: ["soft"] };
    const hostAffinity = { enabled: true, scope: "strict" as const, preferredHosts: ["near", "hard"] };
    expect(placed({ soft })).toEqual({ Host: "soft" });
    expect(placed({ soft, affinity: { hostAffinity } })).toEqual({ Host: "hard" });
    expect(placed({ soft, affinity: { hostAffinity }, hard: { hosts: ["hard", "other"] } })).toEqual({ Host: "hard" });
    const withDefault = { provider: provider({ cluster: "standard" }) };
    expect(placed({ soft: { clusters: ["better"] } }, withDefault)).toEqual({ Cluster: "better" });
    expect(placed({}, withDefault)).toEqual({ Cluster: "standard" });
  });

  test("the emptiest one is taken, and of equal ones the first by name", () => {
    const hard = { hosts: ["h2", "h1", "h3"] };
    expect(placed({ hard })).toEqual({ Host: "h1" });
    const others = [settled("a", { host: "h1" }), settled("b", { host: "h2" }), settled("c", { host: "h2" })];
    expect(placed({ hard }, { others })).toEqual({ Host: "h3" });
    expect(placed({ hard, soft: { hosts: ["h1"] }, weight: 1 }, { others })).toEqual({ Host: "h1" });
    expect(placed({ hard, soft: { hosts: ["h1"], excludedHosts: ["h1"] } }, { others })).toEqual({ Host: "h3" });
  });

  test("the annotation says what was chosen, by which policy and when", () => {
    const zoned = { provider: provider({}, { "topology.kubernetes.io/zone": "z1" }) };
    const placing = place(machine("new"), policyOf({ hard: { hosts: ["h1"] } }), around(zoned));
    expect(placing.is === "placed" && JSON.parse(placing.decision)).toEqual({
      policy: "policy",
      uid: "uid-policy",
      host: "h1",
      zone: "z1",
      at: "1970-01-01T00:16:40Z",
    });
  });
});

describe("what has no place", () => {
  const tight = (most?: number) => ({
    hard: { hosts: ["h1", "h2"] },
    antiAffinity: {
      hostAntiAffinity: { enabled: true, scope: "strict" as const, ...(most ? { maxVMsPerHost: most } : {}) },
    },
  });
  const full = [settled("a", { host: "h1" }), settled("b", { host: "h2" })];

  test("S51 policy: a host that is both allowed and excluded is none", () => {
    expect(placed({ hard: { hosts: ["h1"], excludedHosts: ["h1"] } })).toBe("host: the policy allows none");
  });

  test("a name in the spec that the policy does not allow", () => {
    const vm = machine("new", { placement: { host: "h9" } });
    expect(placed(tight(), {}, vm)).toBe("spec.placement.host: the policy does not allow h9");
  });

  test("each host has as many of the policy as it may; those of others do not count", () => {
    expect(placed(tight(), { others: full })).toBe("host: no room: at most 1 of the policy on each");
    expect(placed(tight(2), { others: full })).toEqual({ Host: "h1" });
    const [first, second] = [settled("a", { host: "h1" }), settled("b", { host: "h2" }, {}, "another")];
    expect(placed(tight(), { others: [first, second] })).toEqual({ Host: "h2" });
    // What it was given before is its own.
    expect(placed(tight(), { others: [settled("new", { host: "h1" }), second] })).toEqual({ Host: "h1" });
  });

  test("a class that is not as safe as the policy wants, counted rule by rule", () => {
    const securityConstraints = { requireTPM: true, requireSecureBoot: true, requireEncryptedStorage: true };
    const vmClass = (securityProfile: object) => ({ metadata: { name: "c" }, spec: { securityProfile } }) as VMClass;
    const placing = place(machine("new"), policyOf({ securityConstraints }), around({ vmClass: vmClass({}) }));
    expect(placing).toMatchObject({ is: "nowhere", violations: 3 });
    const safe = vmClass({ tpmEnabled: true, secureBoot: true, encryptionPolicy: { enabled: true } });
    expect(placed({ securityConstraints }, { vmClass: safe })).toEqual({});
  });

  test("a provider that is elsewhere, and a network that is not allowed", () => {
    const zoned = { provider: provider({}, { "topology.kubernetes.io/zone": "z1" }) };
    expect(placed({ hard: { zones: ["z1"], regions: ["r1"], nodeSelector: { disk: "ssd" } } }, zoned)).toBe(
      "region: provider p has no label that tells; nodeSelector: provider p lacks the label disk=ssd",
    );
    const vm = machine("new", { networks: [{ name: "n", networkRef: { name: "lan" } }, { name: "m" }] });
    expect(placed({ hard: { networks: ["dmz"] } }, {}, vm)).toBe("networks: the policy does not allow lan");
  });
});

describe("who is near whom", () => {
  const term = (topologyKey: string, app: string) => ({ topologyKey, labelSelector: { matchLabels: { app } } });
  const near = (app: string, key = "kubernetes.io/hostname") => ({
    affinity: { vmAffinity: { requiredDuringScheduling: [term(key, app)] } },
  });
  const far = (app: string) => ({
    antiAffinity: { vmAntiAffinity: { requiredDuringScheduling: [term("kubernetes.io/hostname", app)] } },
  });
  const db = settled("db-0", { host: "h2", cluster: "c2" }, { app: "db" });
  const hard = { hosts: ["h1", "h2"] };

  test("what must be near goes there, also where no list names it", () => {
    expect(placed({ hard, ...near("db") }, { others: [db] })).toEqual({ Host: "h2" });
    expect(placed(near("db", "virtrigaud.io/cluster"), { others: [db] })).toEqual({ Cluster: "c2" });
    expect(placed({ hard: { hosts: ["h1"] }, ...near("db") }, { others: [db] })).toMatch(/has to be near/);
  });

  test("the first of its own kind may go anywhere, and nobody can be near those that are not there", () => {
    expect(placed({ hard, ...near("web") }, {}, machine("new", {}, { app: "web" }))).toEqual({ Host: "h1" });
    expect(placed({ hard, ...near("db") })).toMatch(/has to be near/);
    expect(placed({ hard, ...near("db", "rack") }, { others: [db] })).toMatch(/has to be near/);
  });

  test("what must be apart is, whatever it would like", () => {
    expect(placed({ hard, ...far("db"), soft: { hosts: ["h2"] } }, { others: [db] })).toEqual({ Host: "h1" });
  });

  test("terms speak of their own namespace unless they name others", () => {
    const stranger = { ...db, metadata: { ...db.metadata, namespace: "other" } };
    const selecting = { ...term("kubernetes.io/hostname", "db"), namespaceSelector: { matchLabels: { team: "x" } } };
    const antiAffinity = { vmAntiAffinity: { requiredDuringScheduling: [selecting] } };
    const others = [stranger];
    expect(placed({ hard: { hosts: ["h2"] }, ...far("db") }, { others })).toEqual({ Host: "h2" });
    const namespaceLabels = () => ({ team: "x" });
    expect(placed({ hard: { hosts: ["h2"] }, antiAffinity }, { others, namespaceLabels })).toMatch(/keeps away from/);
  });

  test("preferred terms weigh against who is there already", () => {
    const preferred = (weight: number) => ({
      affinity: {
        vmAffinity: {
          preferredDuringScheduling: [{ weight, vmAffinityTerm: term("kubernetes.io/hostname", "db") }],
        },
      },
    });
    expect(placed({ hard, ...preferred(6) }, { others: [db] })).toEqual({ Host: "h2" });
    expect(placed({ hard, ...preferred(4) }, { others: [db] })).toEqual({ Host: "h1" });
  });

  test("an application keeps together or apart by its label", () => {
    const app = (scope: "strict" | "preferred") => ({ enabled: true, scope });
    const vm = machine("new", {}, { app: "db" });
    expect(placed({ hard, affinity: { applicationAffinity: app("strict") } }, { others: [db] }, vm)).toEqual({
      Host: "h2",
    });
    const apart = { antiAffinity: { applicationAntiAffinity: app("strict") } };
    expect(placed({ hard: { hosts: ["h2"] }, ...apart }, { others: [db] }, vm)).toMatch(/is there already/);
  });

  test("of two policies that disagree the one with the higher priority counts", () => {
    const alone = { securityConstraints: { isolationLevel: "maximum" as const } };
    const guarded = settled("g", { host: "h1" }, {}, "guarded");
    const [low, high] = [
      policyOf({ ...alone, priority: 1 }, "guarded"),
      policyOf({ ...alone, priority: 9 }, "guarded"),
    ];
    const spec = { hard: { hosts: ["h1"] }, priority: 5 };
    expect(placed(spec, { others: [guarded], policies: [low] })).toEqual({ Host: "h1" });
    expect(placed(spec, { others: [guarded], policies: [high] })).toBe("host: policy guarded keeps its machines apart");
    expect(placed({ ...spec, ...alone }, { others: [guarded] })).toBe("host: machines of others are there");
  });
});

describe("what is counted", () => {
  test("no more places than the schema allows: later ones are counted together", () => {
    let stats: ReturnType<typeof statsAfter> | undefined;
    for (let i = 0; i < 1_100; i += 1) stats = statsAfter(stats, { is: "placed", at: { host: `h${i}` } }, 0, now);
    stats = statsAfter(stats, { is: "placed", at: { host: "h7" } }, 0, now);
    const counted = stats.placementDistribution ?? {};
    expect(Object.keys(counted).length).toBe(1_000);
    expect([counted["host:h7"], counted["other"], stats.successfulPlacements]).toEqual([2, 101, 1_101]);
  });

  test("a success counts its time and its place, a failure the rules that it broke", () => {
    const first = statsAfter(undefined, { is: "placed", at: { host: "h1", cluster: "c1" } }, 2_000, now);
    const second = statsAfter(first, { is: "placed", at: { cluster: "c1" } }, 1_000, now);
    expect(statsAfter(second, { is: "nowhere", violations: 2 }, 0, now)).toEqual({
      totalPlacements: 3,
      successfulPlacements: 2,
      failedPlacements: 1,
      constraintViolations: 2,
      averagePlacementTime: "1.5s",
      lastPlacementTime: "1970-01-01T00:16:40Z",
      placementDistribution: { "host:h1": 1, "cluster:c1": 1 },
    });
  });
});
