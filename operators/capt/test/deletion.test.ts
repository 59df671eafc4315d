// Section 16, deletion: what goes first, what waits, and what stays.
import type { KubeObject } from "@telltale/kinds";
import { afterEach, describe, expect, test } from "vitest";
import {
  CAPTCluster,
  CAPTControlPlane,
  CaptMachine,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { annotations, finalizers, labels } from "../src/names.ts";
import { anyCluster } from "../src/server.ts";
import { type Demo, type DemoOptions, demo, minute, template, vpcModule } from "./demo.ts";
import { namespace } from "./stage.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

const alone: DemoOptions = { runner: "simulated", config: { clusterApiMode: "standalone" } };

async function running(options: DemoOptions = alone, more: { network?: object } = {}): Promise<Demo> {
  const it = await fresh(options);
  await it.templates();
  await it.cluster();
  await it.network(more.network);
  await it.plane();
  if (options.config?.clusterApiMode !== "standalone") await it.own();
  await it.pass(30_000);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready" });
  it.writes();
  return it;
}

async function nothingLeft(it: Demo): Promise<void> {
  expect(await it.get(CAPTCluster, "demo-net")).toBeUndefined();
  expect(await it.get(CAPTControlPlane, "demo-cp")).toBeUndefined();
  expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
  expect(await it.list(it.kinds.Workspace)).toEqual([]);
}

const deletions = (it: Demo) =>
  it
    .writes()
    .filter(({ method }) => method === "DELETE")
    .map(({ path }) => path.split("/").slice(-2).join("/"));

test("AS-36 alone: the kubeconfig's apply, the control plane's, then the network's, then the Cluster", async () => {
  const it = await fresh(alone);
  await it.templates();
  await it.make(WorkspaceTemplate, template("eks-kubeconfig-template", 'output "kubeconfig" { value = "x" }'));
  await it.make(WorkspaceTemplate, template("plain", 'output "cluster_endpoint" { value = "x" }'));
  await it.cluster();
  await it.network();
  await it.plane({ workspaceTemplateRef: { name: "plain" } });
  await it.pass(minute);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready" });
  it.writes();
  await it.remove(anyCluster(it.kinds), "demo");
  for (let step = 0; step < 120; step += 1) {
    await it.pass(1_000);
    const isSecretThere = (await it.the.secret("demo-net-vpc-connection")) !== undefined;
    const isPlaneThere = (await it.the.workspace("demo-cp-eks-controlplane-apply")) !== undefined;
    expect(isSecretThere || !isPlaneThere).toBe(true);
  }
  await nothingLeft(it);
  expect(await it.get(anyCluster(it.kinds), "demo")).toBeUndefined();
  const order = deletions(it).filter((path) => path.startsWith("workspacetemplateapplies/") || path.startsWith("capt"));
  expect(order).toEqual([
    "captcontrolplanes/demo-cp",
    "workspacetemplateapplies/demo-cp-kubeconfig-apply",
    "workspacetemplateapplies/demo-cp-eks-controlplane-apply",
    "captclusters/demo-net",
    "workspacetemplateapplies/demo-net-vpc",
  ]);
  expect(it.complaints).toEqual([]);
});

test("AS-36 with Cluster API there: whatever it deletes first, the network waits for the control plane", async () => {
  const it = await running({ runner: "simulated" });
  await it.remove(CAPTCluster, "demo-net");
  await it.remove(CAPTControlPlane, "demo-cp");
  await it.pass(2 * minute);
  await nothingLeft(it);
  expect(deletions(it).filter((path) => path.startsWith("workspacetemplateapplies/"))).toEqual([
    "workspacetemplateapplies/demo-cp-eks-controlplane-apply",
    "workspacetemplateapplies/demo-net-vpc",
  ]);
});

describe("AS-37 deleted in the middle: everything goes, and nothing new is made", () => {
  const states: readonly (readonly [string, (it: Demo) => Promise<void>])[] = [
    ["C4 P1 without templates", async (it) => void (await it.pass(2_000))],
    [
      "C6 P1 with a template that cannot be rendered yet",
      async (it) => {
        await it.templates();
        await it.pass(300);
      },
    ],
    [
      "C7 P1 while the network is made",
      async (it) => {
        await it.templates();
        await it.pass(12_000);
      },
    ],
    [
      "C8 P1 while its run fails",
      async (it) => {
        await it.templates();
        await it.pass(12_000);
        await it.vpcRuns({ synced: false, message: "no quota" });
        await it.pass(2_000);
      },
    ],
    [
      "C9 P1 while its Secret is missing",
      async (it) => {
        await it.templates();
        await it.pass(12_000);
        await it.vpcRuns({ synced: true, ready: true });
        await it.pass(2_000);
      },
    ],
    [
      "C11 P6 while the control plane is made",
      async (it) => {
        await it.templates();
        await it.pass(12_000);
        await it.vpcRuns();
        await it.pass(12_000);
      },
    ],
    [
      "C11 P8 while the control plane's Secret is missing",
      async (it) => {
        await it.templates();
        await it.pass(12_000);
        await it.vpcRuns();
        await it.pass(12_000);
        await it.planeRuns({ synced: true, ready: true });
        await it.pass(2_000);
      },
    ],
    [
      "C11 P12 when all is ready",
      async (it) => {
        await it.templates();
        await it.pass(12_000);
        await it.vpcRuns();
        await it.pass(12_000);
        await it.planeRuns();
        await it.pass(2_000);
      },
    ],
  ];

  test.each(states)("%s", async (_name, reach) => {
    const it = await fresh({ config: { clusterApiMode: "standalone" } });
    await it.cluster();
    await it.network();
    await it.plane();
    await reach(it);
    const known = (await it.list(WorkspaceTemplateApply)).map(({ metadata }) => metadata.uid);
    await it.remove(anyCluster(it.kinds), "demo");
    for (let i = 0; i < 30; i += 1) {
      await it.pass(5_000);
      for (const { metadata } of await it.list(WorkspaceTemplateApply)) expect(known).toContain(metadata.uid);
    }
    await nothingLeft(it);
    expect(await it.get(anyCluster(it.kinds), "demo")).toBeUndefined();
    expect(it.complaints).toEqual([]);
  });
});

test("AS-38 what has failed goes like anything else", async () => {
  const it = await fresh({ config: { clusterApiMode: "standalone" } });
  await it.templates();
  await it.cluster();
  await it.network();
  await it.plane();
  await it.pass(16 * minute);
  expect((await it.the.network()).status?.failureReason).toBeDefined();
  expect((await it.the.plane()).status?.failureReason).toBeDefined();
  await it.remove(anyCluster(it.kinds), "demo");
  await it.pass(2 * minute);
  await nothingLeft(it);
});

test("AS-39 CC-10 a network that is to stay stays, and is taken up again without a change", async () => {
  const it = await running(alone, { network: { retainVpcOnDelete: true } });
  const before = await it.the.workspace("demo-net-vpc");
  const { vpcId } = (await it.the.network()).status ?? {};
  await it.remove(anyCluster(it.kinds), "demo");
  await it.pass(3 * minute);
  expect(await it.get(CAPTCluster, "demo-net")).toBeUndefined();
  expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
  const [kept, ...more] = await it.list(it.kinds.Workspace);
  expect([kept?.metadata.uid, kept?.metadata.deletionTimestamp, more]).toEqual([before?.metadata.uid, undefined, []]);
  const runs = it.runsEnded.length;
  await it.cluster();
  await it.network({ retainVpcOnDelete: true });
  await it.pass(30_000);
  expect((await it.the.network()).status).toMatchObject({ ready: true, vpcId });
  expect(it.runsEnded.slice(runs).filter((run) => run.startsWith("apply"))).toEqual([]);
});

test("AS-40 a destroy that fails twice is told at the top, and the third goes through", async () => {
  const it = await running();
  const workspace = await it.the.workspace("demo-net-vpc");
  const fail = [{ operation: "destroy", times: 2, class: "DestroyFailed", message: "still in use" }];
  const notes = { [annotations.simScript]: JSON.stringify({ fail }) };
  await it.client.patch(
    it.kinds.Workspace,
    { name: workspace?.metadata.name ?? "" },
    { merge: { metadata: { annotations: notes } } },
  );
  await it.pass(1_000);
  await it.remove(anyCluster(it.kinds), "demo");
  const messages = new Set<string>();
  for (let i = 0; i < 240 && (await it.get(CAPTCluster, "demo-net")) !== undefined; i += 1) {
    await it.pass(2_500);
    const found = await it.get(CAPTCluster, "demo-net");
    if (found !== undefined) {
      expect(found.metadata.finalizers).toContain(finalizers.captCluster);
      messages.add(await it.networkSays("Deleting"));
    }
  }
  expect([...messages].some((message) => message.includes("still in use"))).toBe(true);
  await nothingLeft(it);
});

test("AS-41 a network that is deleted alone waits for the control plane", async () => {
  const it = await running({ runner: "simulated" });
  await it.remove(CAPTCluster, "demo-net");
  await it.pass(30 * minute);
  expect(await it.networkSays("Deleting")).toBe(
    "True WaitingForControlPlaneDeletion waiting for CAPTControlPlane demo-cp",
  );
  expect((await it.the.network()).status).toMatchObject({ ready: false });
  expect((await it.the.vpcApply())?.metadata.deletionTimestamp).toBeUndefined();
  expect((await it.the.plane()).status?.ready).toBe(true);
});

test("L-6 the control plane's Secrets go with it, and nobody deletes them", async () => {
  const it = await running({ runner: "simulated" });
  await it.remove(CAPTControlPlane, "demo-cp");
  await it.pass(minute);
  expect(await it.the.secret("demo-kubeconfig")).toBeUndefined();
  expect(deletions(it).filter((path) => path.startsWith("secrets/demo-"))).not.toContain("secrets/demo-kubeconfig");
});

test("D6 the finalizer of older installations goes with ours", async () => {
  const it = await fresh();
  await it.cluster();
  const metadata = { name: "demo-net", finalizers: [finalizers.captClusterLegacy] };
  await it.make(CAPTCluster, { metadata, spec: { region: "eu-west-1", existingVpcId: "vpc-1" } });
  await it.own();
  await it.remove(CAPTCluster, "demo-net");
  await it.pass(1_000);
  expect(await it.get(CAPTCluster, "demo-net")).toBeUndefined();
});

test("what is held by finalizers of others says so when all is gone that it had made", async () => {
  const it = await running({ runner: "simulated" });
  const held = [
    [CAPTCluster, "demo-net", finalizers.captCluster],
    [CAPTControlPlane, "demo-cp", finalizers.captControlPlane],
    [WorkspaceTemplateApply, "demo-net-vpc", finalizers.workspaceTemplateApply],
  ] as const;
  for (const [kind, name, ours] of held) {
    const merge = { metadata: { finalizers: [ours, "example.com/hold"] } };
    await it.client.patch<KubeObject>(kind, { name, namespace }, { merge });
  }
  const completed = "everything that it had made is gone; finalizers of others hold it: example.com/hold";
  await it.remove(CAPTControlPlane, "demo-cp");
  await it.pass(minute);
  expect(await it.planeSays("Deleting")).toBe(`True DeletionCompleted ${completed}`);
  expect(await it.planeSays("Available")).toBe(`False Deleting ${completed}`);
  expect((await it.the.plane()).metadata.finalizers).toEqual(["example.com/hold"]);
  const release = { merge: { metadata: { finalizers: null } } } as never;
  await it.client.patch(CAPTControlPlane, { name: "demo-cp", namespace }, release);
  await it.remove(CAPTCluster, "demo-net");
  await it.pass(minute);
  expect(await it.says(WorkspaceTemplateApply, "demo-net-vpc", "Deleting")).toBe(`True DeletionCompleted ${completed}`);
  await it.client.patch(WorkspaceTemplateApply, { name: "demo-net-vpc", namespace }, release);
  await it.pass(minute);
  expect(await it.networkSays("Deleting")).toBe(`True DeletionCompleted ${completed}`);
  expect(await it.networkSays("Ready")).toBe(`False Deleting ${completed}`);
  await it.client.patch(CAPTCluster, { name: "demo-net", namespace }, release);
  await it.pass(minute);
  await nothingLeft(it);
});

test("D3 the network waits for machines of its Cluster", async () => {
  const it = await fresh({ config: { features: { machines: true } } });
  await it.cluster();
  await it.network({ vpcTemplateRef: undefined, existingVpcId: "vpc-1" });
  await it.own();
  await it.make(CaptMachine, {
    metadata: { name: "m", labels: { [labels.clusterName]: "demo" } },
    spec: {
      nodeGroupRef: { name: "workers", namespace },
      workspaceTemplateRef: { name: "machine" },
      instanceType: "small",
    },
  });
  await it.remove(CAPTCluster, "demo-net");
  await it.pass(minute);
  expect(await it.networkSays("Deleting")).toBe("True WaitingForMachineDeletion waiting for 1 machines");
  await it.remove(CaptMachine, "m");
  await it.pass(minute);
  expect(await it.get(CAPTCluster, "demo-net")).toBeUndefined();
});

test("D4 deleting without an owner cleans up what was made", async () => {
  const it = await fresh({ runner: "simulated" });
  await it.templates();
  await it.make(WorkspaceTemplate, template("other", vpcModule));
  await it.cluster();
  await it.network();
  await it.own();
  await it.pass(10_000);
  await it.client.patch(CAPTCluster, { name: "demo-net", namespace }, {
    merge: { metadata: { ownerReferences: null } },
  } as never);
  await it.remove(CAPTCluster, "demo-net");
  await it.pass(minute);
  await nothingLeft(it);
});
