// The samples lived through: with the whole operator, alone, on Workspaces that are only pretended to be run.
import { seededRandom } from "@telltale/clock";
import type { KindRef } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { parts, standardConfig } from "../src/config.ts";
import { captOperator } from "../src/index.ts";
import {
  CAPTCluster,
  CAPTClusterTemplate,
  CAPTControlPlane,
  CAPTControlPlaneTemplate,
  CaptMachine,
  CaptMachineDeployment,
  CaptMachineTemplate,
  ClusterV1beta1,
  Workspace,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { simulatedEngine, workspaceRunner } from "../src/runner/index.ts";
import { samples } from "./samples.ts";
import { type Stage, stage } from "./stage.ts";

const minute = 60_000;
const kinds: readonly KindRef[] = [
  Secret,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
  CAPTCluster,
  CAPTControlPlane,
  CAPTClusterTemplate,
  CAPTControlPlaneTemplate,
  CaptMachineDeployment,
  CaptMachineTemplate,
  ClusterV1beta1,
];

let on: Stage | undefined;
afterEach(() => on?.end());

/** A sample on a server with our operator, as a person applies it. */
async function applied(file: string): Promise<Stage> {
  const it = await stage({
    kinds: { Cluster: ClusterV1beta1 },
    objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "capt-system" } }],
    controllers({ clock, kinds: served }) {
      const random = seededRandom(4);
      const runner = workspaceRunner({ engine: simulatedEngine({ clock }), clock, random, namespace: "capt-system" });
      return captOperator({
        config: { ...standardConfig, controllers: parts, features: { machines: true }, clusterApiMode: "standalone" },
        kinds: served,
        runner,
      });
    },
  });
  on = it;
  const source = await samples();
  for (const { object } of await source.apply(file)) {
    const kind = kinds.find((one) => one.kind === object.kind);
    if (kind === undefined) throw new Error(`a sample of the kind ${object.kind}: add it to this test`);
    const { name, labels } = object.metadata ?? {};
    const { spec, data, type } = object as { spec?: object; data?: object; type?: string };
    const body = JSON.parse(JSON.stringify({ spec, data, type }).replaceAll('"default"', '"t1"'));
    await it.make(kind, { metadata: { name, labels }, ...body });
  }
  await source.server.stop();
  return it;
}

test.each([
  ["minimal.yaml", "demo", "demo-net", "demo-cp", "v1.31.0"],
  ["full.yaml", "full", "full-net", "full-cp", "v1.31.0"],
  ["existing-vpc.yaml", "existing", "existing-net", "existing-cp", "v1.31.0"],
])("%s becomes a cluster, and goes again when it is deleted", async (file, cluster, network, plane, version) => {
  const it = await applied(file);
  await it.pass(5 * minute);
  const found = await it.get(ClusterV1beta1, cluster);
  expect(found?.status).toMatchObject({ phase: "Provisioned", infrastructureReady: true, controlPlaneReady: true });
  expect(await it.says(CAPTCluster, network, "Ready")).toMatch(
    file === "existing-vpc.yaml" ? /^True Ready using VPC/ : /^True Simulated VPC .* nothing of it is real/,
  );
  expect(await it.says(CAPTControlPlane, plane, "Ready")).toMatch(/^True Simulated control plane v1\.31\.0 at /);
  expect((await it.get(CAPTControlPlane, plane))?.status).toMatchObject({ phase: "Ready", initialized: true, version });
  expect(await it.get(Secret, `${cluster}-kubeconfig`)).toMatchObject({ type: "cluster.x-k8s.io/secret" });
  expect(it.complaints).toEqual([]);

  await it.remove(ClusterV1beta1, cluster);
  await it.pass(5 * minute);
  expect(await it.get(ClusterV1beta1, cluster)).toBeUndefined();
  expect(await it.list(CAPTCluster)).toEqual([]);
  expect(await it.list(CAPTControlPlane)).toEqual([]);
  expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
  // The full sample keeps its network.
  const left = (await it.list(Workspace)).map(({ metadata }) => metadata.name?.replace(/-[0-9a-f]{8}$/, ""));
  expect(left).toEqual(file === "full.yaml" ? ["full-net-vpc"] : []);
  expect(it.complaints).toEqual([]);
});

test("what was asked to be simulated says so from the Workspace to the Cluster, and its columns with it", async () => {
  const it = await applied("full.yaml");
  await it.pass(5 * minute);
  const [apply] = await it.list(WorkspaceTemplateApply);
  const chain = [
    [Workspace, (await it.list(Workspace))[0]?.metadata.name ?? ""],
    [WorkspaceTemplateApply, apply?.metadata.name ?? ""],
    [CAPTCluster, "full-net"],
    [CAPTControlPlane, "full-cp"],
    [ClusterV1beta1, "full"],
  ] as const;
  for (const [kind, name] of chain) {
    expect(await it.says(kind as KindRef, name, "Simulated"), kind.kind).toMatch(/^True Simulated/);
    // Nothing else that is True passes for a real one.
    for (const type of [
      "Ready",
      "Available",
      "VPCReady",
      "WorkspaceReady",
      "InfrastructureReady",
      "ControlPlaneReady",
    ]) {
      expect(await it.says(kind as KindRef, name, type), `${kind.kind} ${type}`).toMatch(
        /^(True Simulated .*real.*)?$/,
      );
    }
    expect(kind.columns.at(-1)).toMatchObject({
      name: "SIMULATED",
      jsonPath: ".status.conditions[?(@.type=='Simulated')].status",
    });
  }
});

test("apply.yaml makes one Workspace after the other, with the names that its modules ask for", async () => {
  const it = await applied("apply.yaml");
  await it.pass(2 * minute);
  for (const name of ["logs-apply", "traces-apply"]) {
    expect(await it.says(WorkspaceTemplateApply, name, "Ready")).toMatch(/^True Simulated/);
    expect(await it.says(WorkspaceTemplateApply, name, "DependenciesReady")).toMatch(/^True DependenciesReady/);
  }
  const modules = (await it.list(Workspace)).map(({ spec }) => spec.forProvider.module);
  expect(modules).toEqual([expect.stringContaining('"logs, kept'), expect.stringContaining('"traces, kept')]);
  expect(it.complaints).toEqual([]);
});

/** The finalizers of machines have the names that they always had; a server would like them to have a slash. */
const serious = ({ complaints }: Stage) => complaints.filter((it) => !it.includes("domain-qualified finalizer"));

test("machines.yaml makes three machines, and takes them away with their deployment", async () => {
  const it = await applied("machines.yaml");
  await it.pass(3 * minute);
  const { status } = (await it.get(CaptMachineDeployment, "workers")) ?? {};
  expect(status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3, unavailableReplicas: 0 });
  const machines = await it.list(CaptMachine);
  expect(machines.map((machine) => machine.status?.ready)).toEqual([true, true, true]);
  for (const { metadata, status: said } of machines) {
    expect(said?.addresses).toEqual([{ type: "InternalIP", address: said?.privateIp }]);
    expect(await it.says(CaptMachine, metadata.name ?? "", "Ready")).toMatch(
      /^True Simulated .* nothing of it is real/,
    );
  }
  expect(new Set(machines.map(({ spec }) => spec.providerID)).size).toBe(3);
  expect(serious(it)).toEqual([]);
  await it.remove(CaptMachineDeployment, "workers");
  await it.pass(3 * minute);
  expect(await it.list(CaptMachine)).toEqual([]);
  expect(await it.list(Workspace)).toEqual([]);
  expect(serious(it)).toEqual([]);
});

test("cluster-class.yaml makes nothing by itself", async () => {
  const it = await applied("cluster-class.yaml");
  await it.pass(minute);
  expect(it.writes()).toEqual([]);
});
