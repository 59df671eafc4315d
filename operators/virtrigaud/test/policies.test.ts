// Where a machine goes by each rule of a policy, as its provider is asked.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Provider, VirtualMachine, VMClass, VMImage, VMPlacementPolicy } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { type Home, home } from "./home.ts";
import { type Stage, stage } from "./stage.ts";

let s: Stage;
beforeAll(async () => {
  s = await stage({
    controllers: ({ links, random }) => [
      virtualMachines({
        senses: {
          links,
          random,
          crossing: { isFree: false },
          streaks: new Streaks(),
          tls: new KnownSecrets(),
          places: new Reservations(),
          httpGet: async () => 200,
        },
        workers: 10,
      }),
    ],
  });
});
afterAll(() => s.end());

const [zone, region] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];
const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };
const isReady = (h: Home, name: string) => async () => (await h.says(VirtualMachine, name)).startsWith("True");

/** A provider in zone z1 of region r1, and machines that are there already, each where its spec says and with these labels. */
async function ground(there: readonly (readonly [name: string, place: object, labels?: object, more?: object])[] = []) {
  const h = await home(s);
  const host = await h.provider("box", { spec: { type: "vsphere" } });
  await h.patch(Provider, "box", { metadata: { labels: { [zone]: "z1", [region]: "r1", rack: "a" } } });
  await h.apply(VMClass, "small", { cpu: 1, memory: "512Mi" });
  await h.apply(VMImage, "tiny", { source: { vsphere: { templateName: "tiny" } } });
  for (const [name, placement, labels = {}, more = {}] of there) {
    await h.apply(VirtualMachine, name, { ...refs, placement, ...more }, { labels });
    await s.until(isReady(h, name), 120_000);
  }
  host.forgetCalls();
  return { h, host };
}

/** A machine with this policy: where it was asked for, without what is empty. */
async function placed(h: Home, host: SimulatedHost, policy: object, labels: object = { app: "web" }) {
  await h.apply(VMPlacementPolicy, "rules", policy);
  await h.apply(VirtualMachine, "web", { ...refs, placementRef: { name: "rules" } }, { labels });
  await s.until(isReady(h, "web"), 120_000);
  const { placementJson = "" } = host.asked("create")[0]?.request ?? {};
  const asked = Object.entries(JSON.parse(placementJson || "{}") as Record<string, string>);
  return Object.fromEntries(asked.filter(([, value]) => value !== ""));
}

async function refused(h: Home, host: SimulatedHost, policy: object): Promise<string> {
  await h.apply(VMPlacementPolicy, "rules", policy);
  await h.apply(VirtualMachine, "web", { ...refs, placementRef: { name: "rules" } }, { labels: { app: "web" } });
  await s.pass(5_000);
  expect(host.asked("create")).toEqual([]);
  return h.says(VirtualMachine, "web");
}

describe("lists", () => {
  const both = { clusters: ["c1", "c2"], datastores: ["d1", "d2"] };

  it("hard ones are kept", async () => {
    const { h, host } = await ground();
    const hard = {
      ...both,
      excludedClusters: ["c1"],
      excludedDatastores: ["d1"],
      folders: ["f1"],
      resourcePools: ["p1"],
      zones: ["z1"],
      regions: ["r1"],
      nodeSelector: { rack: "a" },
      tolerations: [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }],
    };
    expect(await placed(h, host, { hard })).toEqual({
      Cluster: "c2",
      Datastore: "d2",
      Folder: "f1",
      ResourcePool: "p1",
    });
  });

  it.each([
    [{ zones: ["z2"] }, "zone: the policy does not allow z1, where provider box is"],
    [{ regions: ["r2"] }, "region: the policy does not allow r1, where provider box is"],
    [{ nodeSelector: { rack: "b" } }, "nodeSelector: provider box lacks the label rack=b"],
  ])("a provider that is elsewhere is refused: %j", async (hard, why) => {
    const { h, host } = await ground();
    expect(await refused(h, host, { hard })).toBe(`False PlacementFailed ${why}`);
  });

  it("soft ones are followed", async () => {
    const { h, host } = await ground();
    const soft = { clusters: ["c2"], datastores: ["d2"], folders: ["f2"], resourcePools: ["p2"] };
    expect(await placed(h, host, { soft })).toEqual({
      Cluster: "c2",
      Datastore: "d2",
      Folder: "f2",
      ResourcePool: "p2",
    });
  });

  it("what is rather not wanted is taken last", async () => {
    const { h, host } = await ground();
    const soft = { excludedClusters: ["c1"], excludedDatastores: ["d1"] };
    expect(await placed(h, host, { hard: both, soft })).toEqual({ Cluster: "c2", Datastore: "d2" });
  });
});

describe("affinity to names", () => {
  it.each([undefined, "preferred", "strict"])("is kept with scope %s", async (scope) => {
    const { h, host } = await ground();
    const rule = { enabled: true, ...(scope && { scope }) };
    const affinity = {
      hostAffinity: { ...rule, preferredHosts: ["h2"] },
      clusterAffinity: { ...rule, preferredClusters: ["c2"] },
      datastoreAffinity: { ...rule, preferredDatastores: ["d2"] },
      zoneAffinity: { ...rule, preferredZones: ["z1"] },
    };
    expect(await placed(h, host, { affinity })).toEqual({ Host: "h2", Cluster: "c2", Datastore: "d2" });
  });

  it("to another zone is refused only where it is strict", async () => {
    const { h, host } = await ground();
    const rule = (scope: string) => ({ affinity: { zoneAffinity: { enabled: true, scope, preferredZones: ["z2"] } } });
    const why = "zone: the policy does not allow z1, where provider box is";
    expect(await refused(h, host, rule("strict"))).toBe(`False PlacementFailed ${why}`);
    expect(await placed(h, host, rule("preferred"))).toEqual({});
  });
});

describe("so many of a policy on one", () => {
  const hard = { clusters: ["c1", "c2"], datastores: ["d1", "d2"] };
  const antiAffinity = (scope: string) => ({
    clusterAntiAffinity: { enabled: true, scope, maxVMsPerCluster: 1 },
    datastoreAntiAffinity: { enabled: true, scope, maxVMsPerDatastore: 1 },
  });
  const first = ["first", { cluster: "c1", datastore: "d1" }, {}, { placementRef: { name: "rules" } }] as const;

  it.each(["strict", "preferred"])("the second one goes elsewhere with scope %s", async (scope) => {
    const { h, host } = await ground();
    await h.apply(VMPlacementPolicy, "rules", { hard, antiAffinity: antiAffinity(scope) });
    const [name, placement, , more] = first;
    await h.apply(VirtualMachine, name, { ...refs, placement, ...more });
    await s.until(isReady(h, name), 120_000);
    host.forgetCalls();
    const policy = { hard, antiAffinity: antiAffinity(scope) };
    expect(await placed(h, host, policy)).toEqual({ Cluster: "c2", Datastore: "d2" });
  });

  it("a zone that is full refuses the next", async () => {
    const { h, host } = await ground();
    const policy = { antiAffinity: { zoneAntiAffinity: { enabled: true, scope: "strict", maxVMsPerZone: 1 } } };
    await h.apply(VMPlacementPolicy, "rules", policy);
    await h.apply(VirtualMachine, "first", { ...refs, placementRef: { name: "rules" } });
    await s.until(isReady(h, "first"), 120_000);
    host.forgetCalls();
    const why = "no room: at most 1 of the policy on each";
    expect(await refused(h, host, policy)).toContain(`False PlacementFailed`);
    expect(await h.says(VirtualMachine, "web")).toContain(why);
  });
});

describe("machines of the same application", () => {
  const hard = { hosts: ["h1", "h2"] };
  const rule = (scope: string | undefined) => ({ enabled: true, applicationLabel: "part-of", ...(scope && { scope }) });
  const labels = { "part-of": "shop" };

  it.each([undefined, "strict"])("are near or apart, with scope %s", async (scope) => {
    const near = await ground([
      ["kin", { host: "h2" }, labels],
      ["stranger", { host: "h1" }, { "part-of": "bank" }],
    ]);
    const affinity = { applicationAffinity: rule(scope) };
    expect(await placed(near.h, near.host, { hard, affinity }, labels)).toEqual({ Host: "h2" });
    const far = await ground([
      ["kin", { host: "h1" }, labels],
      ["stranger", { host: "h2" }, { "part-of": "bank" }],
    ]);
    const antiAffinity = { applicationAntiAffinity: rule(scope) };
    expect(await placed(far.h, far.host, { hard, antiAffinity }, labels)).toEqual({ Host: "h2" });
  });
});

describe("machines that a term selects", () => {
  const hard = { hosts: ["h1", "h2"] };
  const gold = { app: "db", tier: "gold" };
  const bronze = { app: "db", tier: "bronze" };
  /** Every way to select in one. */
  const term = (namespace: string) => ({
    topologyKey: "kubernetes.io/hostname",
    labelSelector: {
      matchLabels: { app: "db" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["gold"] }],
    },
    matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }],
    namespaces: ["elsewhere"],
    namespaceSelector: {
      matchLabels: { "kubernetes.io/metadata.name": namespace },
      matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["elsewhere"] }],
    },
  });
  const rules = {
    required: (h: Home) => ({ requiredDuringScheduling: [term(h.namespace)] }),
    preferred: (h: Home) => ({ preferredDuringScheduling: [{ weight: 50, vmAffinityTerm: term(h.namespace) }] }),
  };

  it.each(["required", "preferred"] as const)("are near or apart where that is %s", async (how) => {
    const near = await ground([
      ["other", { host: "h1" }, bronze],
      ["meant", { host: "h2" }, gold],
    ]);
    const vmAffinity = rules[how](near.h);
    expect(await placed(near.h, near.host, { hard, affinity: { vmAffinity } })).toEqual({ Host: "h2" });
    const far = await ground([
      ["meant", { host: "h1" }, gold],
      ["other", { host: "h2" }, bronze],
    ]);
    const vmAntiAffinity = rules[how](far.h);
    expect(await placed(far.h, far.host, { hard, antiAffinity: { vmAntiAffinity } })).toEqual({ Host: "h2" });
  });
});
