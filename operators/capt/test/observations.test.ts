// Each condition that can be True, by the table of docs/observations.md: it is True, its observation is taken away, and it is not.
import { fileURLToPath } from "node:url";
import type { Response, Transport } from "@telltale/client";
import type { Condition, Kind, KindRef, KubeObject } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { parts } from "../src/config.ts";
import * as kinds from "../src/kinds/index.ts";
import {
  CAPTCluster,
  CaptMachine,
  CaptMachineDeployment,
  CaptMachineSet,
  type ClusterV1beta2,
  Workspace,
  WorkspaceTemplate,
} from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { missingEngine } from "../src/runner/missing-engine.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { type Demo, demo, minute, planeDone, reset, template, vpcDone } from "./demo.ts";
import { type Away, type Observation, observations, page } from "./observations.ts";
import { type RunnerStage, runnerStage } from "./runner-stage.ts";
import { namespace, type Told } from "./stage.ts";

const endpoint = { host: "10.0.0.1", port: 6443 };
const machineDone: Told = { synced: true, ready: true, outputs: { instance_id: "i-1", provider_id: "demo:///i-1" } };

/** A cluster with everything in it, and a way to keep the operator from asking for Workspaces. */
interface Scene extends Demo {
  block(): void;
}

let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
});

async function scene(version: "v1beta1" | "v1beta2"): Promise<Scene> {
  let isBlocked = false;
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "InternalError",
    code: 500,
  });
  const failure: Response = {
    status: 500,
    headers: { "content-type": "application/json" },
    text: async () => body,
    async *chunks() {
      yield body;
    },
  };
  const wrap = (way: Transport): Transport => ({
    send: (request) =>
      isBlocked && request.method === "GET" && /\/workspaces\/[^?/]+$/.test(request.path.split("?")[0] ?? "")
        ? Promise.resolve(failure)
        : way.send(request),
    close: () => way.close(),
  });
  const it = await demo({
    version,
    wrap,
    config: { controllers: parts, features: { machines: true }, clusterApiMode: "standalone" },
  });
  end = () => it.end();
  return Object.assign(it, {
    block() {
      isBlocked = true;
    },
  });
}

const machineTemplate = template("machine", 'output "instance_id" { value = "x" }');
const machineSpec = {
  nodeGroupRef: { name: "w", namespace },
  workspaceTemplateRef: { name: "machine" },
  instanceType: "s",
};

/** All runs that there are come to this. */
async function allRun(it: Scene, more: Told = {}): Promise<void> {
  for (const { metadata } of await it.list(it.kinds.Workspace)) {
    const name = metadata.name ?? "";
    const done = name.startsWith("demo-net") ? vpcDone : name.startsWith("demo-cp") ? planeDone : machineDone;
    await it.runs(name, { ...done, ...more });
  }
}

async function begun(version: "v1beta1" | "v1beta2", plane: object = {}): Promise<Scene> {
  const it = await scene(version);
  await it.make(WorkspaceTemplate, machineTemplate);
  await it.templates();
  await it.cluster();
  await it.network({ controlPlaneEndpoint: endpoint });
  await it.plane(plane);
  const metadata = { name: "workers", labels: { "cluster.x-k8s.io/cluster-name": "demo" } };
  await it.make(CaptMachineDeployment, {
    metadata,
    spec: { replicas: 1, template: { metadata: { labels: metadata.labels }, spec: machineSpec } },
  });
  await it.pass(2_000);
  return it;
}

async function ready(version: "v1beta1" | "v1beta2" = "v1beta2"): Promise<Scene> {
  const it = await begun(version);
  for (let i = 0; i < 3; i += 1) {
    await allRun(it);
    await it.pass(15_000);
  }
  await it.pass(minute);
  return it;
}

async function patchWorkspaces(
  it: Scene,
  change: (stored: readonly Condition[]) => readonly Condition[],
): Promise<void> {
  for (const { metadata, status } of await it.list(it.kinds.Workspace)) {
    const conditions = change((status?.conditions ?? []) as readonly Condition[]);
    const merge = { status: { conditions } } as never;
    await it.client.status.patch(it.kinds.Workspace, { name: metadata.name ?? "" }, { merge });
  }
  await it.pass();
}

const pretended = (it: Scene) =>
  ({
    type: "Simulated",
    status: "True",
    reason: "Simulated",
    message: "",
    lastTransitionTime: new Date(it.clock.now()).toISOString().replace(/\.\d+/, ""),
  }) as Condition;

/** How the True comes about, how its observation is taken away, and how long that may take to be seen. */
interface Scenario {
  readonly given: (version: "v1beta1" | "v1beta2") => Promise<Scene>;
  readonly away: (it: Scene) => Promise<void>;
}

const late = async (version: "v1beta1" | "v1beta2"): Promise<Scene> => {
  const it = await begun(version);
  await it.pass(50 * minute);
  return it;
};

const removeWorkspaces = async (it: Scene) => {
  for (const name of ["vpc", "cp", "machine"]) await it.remove(WorkspaceTemplate, name);
  for (const { metadata } of await it.list(it.kinds.Workspace))
    await it.remove(it.kinds.Workspace, metadata.name ?? "");
  await it.pass(6 * minute);
};

const scenarios: Partial<Record<Away, Scenario>> = {
  "it is made": {
    given: begun,
    async away(it) {
      for (let i = 0; i < 3; i += 1) {
        await allRun(it);
        await it.pass(15_000);
      }
    },
  },
  "its Workspace is gone": { given: ready, away: removeWorkspaces },
  "its Workspace is paused": {
    given: ready,
    async away(it) {
      for (const { metadata } of await it.list(it.kinds.Workspace))
        await it.runs(metadata.name ?? "", { synced: false, reason: "ReconcilePaused" });
      await it.pass(6 * minute);
    },
  },
  "its runs fail for half an hour": {
    given: ready,
    async away(it) {
      for (const { metadata } of await it.list(it.kinds.Workspace))
        await it.runs(metadata.name ?? "", { synced: false, message: "no answer from the cloud" });
      await it.pass(36 * minute);
    },
  },
  "no program runs its Workspace": {
    given: ready,
    async away(it) {
      await patchWorkspaces(it, (stored) =>
        stored.map((one) =>
          one.type === "Ready" ? { ...one, status: "Unknown", reason: "NoRunner" } : { ...one, status: "Unknown" },
        ),
      );
      await it.pass(6 * minute);
    },
  },
  "requests for its Workspace fail": {
    given: ready,
    async away(it) {
      it.block();
      await it.pass(20 * minute);
    },
  },
  "the Secret with its outputs is gone": {
    given: ready,
    async away(it) {
      for (const name of ["demo-net-vpc-connection", "demo-cp-eks-connection"]) await it.remove(Secret, name);
      await it.pass(6 * minute);
    },
  },
  "its Workspace is not simulated any more": {
    async given(version) {
      const it = await ready(version);
      const mark = pretended(it);
      await patchWorkspaces(it, (stored) => [...stored, mark]);
      await it.pass(6 * minute);
      return it;
    },
    async away(it) {
      await patchWorkspaces(it, (stored) => stored.filter(({ type }) => type !== "Simulated"));
      await it.pass(6 * minute);
    },
  },
  "its endpoint is taken out": {
    async given(version) {
      const it = await scene(version);
      await it.templates();
      await it.cluster();
      await it.network({ vpcTemplateRef: undefined, existingVpcId: "vpc-1", controlPlaneEndpoint: endpoint });
      await it.pass(minute);
      return it;
    },
    async away(it) {
      // The Cluster has taken it over, and keeps it until somebody takes it out there.
      const none = { merge: { spec: { controlPlaneEndpoint: null } } } as never;
      await it.client.patch(CAPTCluster, { name: "demo-net", namespace }, none);
      const Cluster = it.kinds.Cluster as typeof ClusterV1beta2;
      await it.client.patch(Cluster, { name: "demo", namespace }, none);
      await it.pass(6 * minute);
    },
  },
  "the change is applied": {
    async given(version) {
      const it = await ready(version);
      await it.edit("plane", { version: "1.32" });
      await it.pass(15_000);
      return it;
    },
    async away(it) {
      const outputs = { ...planeDone.outputs, cluster_version: "1.32" };
      await it.planeRuns({ ...planeDone, outputs });
      await it.pass(2 * minute);
    },
  },
  "a person resets the failure": {
    given: late,
    async away(it) {
      await it.annotate("network", reset("1"));
      await it.annotate("plane", reset("1"));
      await it.pass(2_000);
    },
  },
  "a person ends the pause": {
    async given(version) {
      const it = await ready(version);
      await it.pause(true);
      for (const [kind, name] of [
        [CaptMachine, (await it.list(CaptMachine))[0]?.metadata.name ?? ""],
        [CaptMachineSet, (await it.list(CaptMachineSet))[0]?.metadata.name ?? ""],
        [CaptMachineDeployment, "workers"],
      ] as const)
        await it.client.patch(
          kind as KindRef<KubeObject>,
          { name, namespace },
          { merge: { metadata: { annotations: { [annotations.paused]: "" } } } },
        );
      await it.pass(minute);
      return it;
    },
    async away(it) {
      await it.pause(false);
      for (const kind of [CaptMachine, CaptMachineSet, CaptMachineDeployment] as readonly KindRef<KubeObject>[])
        for (const { metadata } of await it.list(kind))
          await it.client.patch(
            kind,
            { name: metadata?.name ?? "", namespace },
            { merge: { metadata: { annotations: { [annotations.paused]: null } } } },
          );
      await it.pass(minute);
    },
  },
  "its template is gone": {
    given: ready,
    async away(it) {
      for (const name of ["vpc", "cp", "machine"]) await it.remove(WorkspaceTemplate, name);
      await it.pass(10_000);
    },
  },
  "its template is edited to one that cannot be rendered": {
    given: ready,
    async away(it) {
      const merge = { spec: { template: { spec: { forProvider: { entrypoint: "../x" } } } } } as never;
      for (const name of ["vpc", "cp", "machine"])
        await it.client.patch(WorkspaceTemplate, { name, namespace }, { merge });
      await it.pass(10_000);
    },
  },
};

/** What was late came, and is gone again. */
const lateNetwork: Scenario = {
  async given(version) {
    const it = await late(version);
    await allRun(it);
    await it.pass(2 * minute);
    return it;
  },
  away: removeWorkspaces,
};
const latePlane: Scenario = {
  async given(version) {
    const it = await begun(version);
    await it.vpcRuns();
    await it.pass(50 * minute);
    await it.planeRuns();
    await it.pass(2 * minute);
    return it;
  },
  away: removeWorkspaces,
};

const clusterVersion = ({ kind, version }: Kind) =>
  kind === "Cluster" ? (version as "v1beta1" | "v1beta2") : "v1beta2";

/** The statuses of a condition on all objects of a kind. */
async function statuses(it: Scene, { kind, condition }: Observation): Promise<readonly string[]> {
  const served = kind.kind === "Cluster" ? (it.kinds.Cluster as KindRef) : (kind as KindRef);
  const all = (await it.list(served)) as readonly {
    readonly status?: { readonly conditions?: readonly Condition[] };
  }[];
  return all.map(({ status }) => status?.conditions?.find(({ type }) => type === condition)?.status ?? "absent");
}

const title = ({ kind, condition }: Observation) => `${kind.kind} ${kind.version} ${condition}`;

const scenarioOf = ({ kind, condition }: Observation, away: Away): Scenario | undefined => {
  if (condition !== "RecoveryAvailable") return scenarios[away];
  return kind === CAPTCluster ? lateNetwork : latePlane;
};

describe("a True ends when", () => {
  const cases = observations
    .filter(({ kind }) => kind !== Workspace)
    .flatMap((row) =>
      row.ends.map((away) => ({ row, away, scenario: scenarioOf(row, away), version: clusterVersion(row.kind) })),
    );
  const groups = Map.groupBy(
    cases,
    ({ away, scenario, version }) =>
      `${away}${scenario === lateNetwork ? ", a network that came late" : scenario === latePlane ? ", a control plane that came late" : ""} (Cluster ${version})`,
  );

  test.each([...groups])(
    "%s",
    async (_name, rows) => {
      const [{ scenario, version } = { scenario: undefined, version: "v1beta2" as const }] = rows;
      if (scenario === undefined) throw new Error("the table names a way that this test does not know");
      const it = await scenario.given(version);
      const before = Object.fromEntries(
        await Promise.all(rows.map(async ({ row }) => [title(row), await statuses(it, row)] as const)),
      );
      for (const { row } of rows) expect(before[title(row)], `${title(row)} before`).toContain("True");
      await scenario.away(it);
      const after = Object.fromEntries(
        await Promise.all(rows.map(async ({ row }) => [title(row), await statuses(it, row)] as const)),
      );
      for (const { row } of rows) expect(after[title(row)], `${title(row)} after`).not.toContain("True");
    },
    60_000,
  );
});

describe("a True of a Workspace ends when", () => {
  let s: RunnerStage;
  const tofu = () => ({ ...simulatedEngine({ clock: s.clock }), name: "tofu" as const });
  const started = async (more: object = {}) => {
    s = await runnerStage({ engine: missingEngine() });
    end = () => s.end();
    await s.crash(tofu());
    await s.make(more);
    await s.pass(10_000);
    for (const type of ["Ready", "Synced"]) expect(await s.says(type)).toMatch(/^True/);
  };
  const ways: Readonly<Record<string, () => Promise<void>>> = {
    async "the runs of the Workspace fail for half an hour"() {
      await started();
      const fail = [{ operation: "plan", times: 1_000, class: "PlanFailed", message: "no answer" }];
      await s.annotate({ [annotations.simScript]: JSON.stringify({ fail }) });
      await s.pass(15 * minute);
      expect(await s.says("Ready")).toBe("True Available What the last run that went through left was there then");
      await s.pass(40 * minute);
    },
    async "the Workspace is paused by a person"() {
      await started();
      await s.annotate({ [annotations.crossplanePaused]: "true" });
      await s.pass(minute);
    },
    async "the program that ran it is not there any more"() {
      await started();
      await s.crash(missingEngine());
      await s.pass(minute);
    },
    async "another program takes the place of the simulated one"() {
      s = await runnerStage();
      end = () => s.end();
      await s.make();
      await s.pass(10_000);
      expect(await s.says("Simulated")).toMatch(/^True/);
      await s.crash(missingEngine());
      await s.pass(minute);
    },
  };
  const rows = observations.filter(({ kind }) => kind === Workspace);

  test.each([...new Set(rows.flatMap(({ ends }) => ends))])("%s", async (away) => {
    const way = ways[away];
    if (way === undefined) throw new Error("the table names a way that this test does not know");
    await way();
    for (const { condition } of rows.filter(({ ends }) => ends.includes(away)))
      expect(await s.says(condition), condition).not.toMatch(/^True/);
  });
});

test("the table has every condition that can be True, once, with what ends it", () => {
  const declared = (Object.values(kinds) as readonly unknown[])
    .filter((it): it is Kind => typeof it === "object" && it !== null && "conditions" in it && "plural" in it)
    .filter(({ kind, scope }) => kind !== "Workspace" || scope === "Cluster");
  const canBeTrue = declared.flatMap((kind) =>
    Object.entries(kind.conditions.types)
      .filter(
        ([, { reasons, form }]) =>
          form === "mirrored" || Object.values(reasons ?? {}).some(({ on }) => on.includes("True")),
      )
      .map(([condition]) => `${kind.kind} ${kind.version} ${condition}`),
  );
  expect(
    observations
      .filter(({ kind }) => kind.kind !== "Cluster")
      .map(title)
      .sort(),
  ).toEqual(canBeTrue.filter((it) => !it.startsWith("Cluster ")).sort());
  for (const row of observations)
    expect([title(row), row.ends.length > 0 || row.lasts !== undefined]).toEqual([title(row), true]);
});

test.each(["v1beta1", "v1beta2"] as const)(
  "the table has every condition that the bridge says True on a Cluster %s",
  async (version) => {
    const it = await ready(version);
    const mark = pretended(it);
    await patchWorkspaces(it, (stored) => [...stored, mark]);
    await it.pass(minute);
    const found = (await it.the.cluster()).status?.conditions ?? [];
    const known = observations
      .filter(({ kind }) => kind.kind === "Cluster" && kind.version === version)
      .map(({ condition }) => condition);
    expect(found.map(({ type }) => type).filter((type) => !known.includes(type))).toEqual([]);
  },
);

test("the page is the table", async () => {
  await expect(page()).toMatchFileSnapshot(fileURLToPath(new URL("../docs/observations.md", import.meta.url)));
});
