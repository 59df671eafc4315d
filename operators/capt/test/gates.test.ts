// Section 16, gates: who is left alone, and who is held.
import { afterEach, expect, test } from "vitest";
import { CAPTCluster, CAPTControlPlane, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { annotations, labels } from "../src/names.ts";
import { anyCluster } from "../src/server.ts";
import { type Demo, type DemoOptions, demo, minute } from "./demo.ts";
import { namespace } from "./stage.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

test("AS-06 CC-1 CP-1 without owners nothing is written in a day, whatever people label", async () => {
  const it = await fresh();
  await it.templates();
  await it.network();
  await it.plane();
  for (let i = 0; i < 50; i += 1) {
    const merge = { metadata: { labels: { round: `${i}` } } };
    await it.client.patch(CAPTCluster, { name: "demo-net", namespace }, { merge });
    await it.client.patch(CAPTControlPlane, { name: "demo-cp", namespace }, { merge });
    await it.pass(24 * minute + 48_000);
  }
  expect(it.writes()).toEqual([]);
  for (const { metadata, status } of [await it.the.network(), await it.the.plane()]) {
    // That is what the definition itself stores: nobody has looked.
    expect([metadata.finalizers, status]).toEqual([undefined, { observedGeneration: -1 }]);
  }
  expect(await it.events(CAPTCluster)).toEqual([]);
});

test("AS-07 a reference to a Cluster that is not there starts nothing, until that very Cluster is", async () => {
  const it = await fresh({ config: { controllers: ["infrastructure"] } });
  await it.templates();
  const owner = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Cluster", name: "demo", uid: "another" };
  const spec = { region: "eu-west-1", vpcTemplateRef: { name: "vpc" } };
  await it.make(CAPTCluster, { metadata: { name: "demo-net", ownerReferences: [owner] }, spec });
  await it.pass(10 * minute);
  await it.cluster();
  await it.pass(minute);
  expect(it.writes()).toEqual([]);
  const { uid } = (await it.the.cluster()).metadata;
  const merge = { metadata: { ownerReferences: [{ ...owner, uid }] } };
  await it.client.patch(CAPTCluster, { name: "demo-net", namespace }, { merge });
  await it.pass(10_000);
  expect(await it.the.vpcApply()).toBeDefined();
});

test("AS-08 paused before the start: only that is said", async () => {
  const it = await fresh();
  await it.templates();
  await it.cluster({ paused: true });
  await it.network();
  await it.plane();
  await it.own();
  await it.pass(20 * minute);
  expect(await it.networkSays("Paused")).toBe("True Paused Cluster spec.paused is true");
  for (const { metadata, status } of [await it.the.network(), await it.the.plane()]) {
    expect([metadata.finalizers, status?.conditions?.map(({ type }) => type)]).toEqual([undefined, ["Paused"]]);
    expect(status).toMatchObject({ ready: false });
  }
  expect(it.writes().map(({ path }) => path.split("/").slice(-2).join("/"))).toEqual([
    "demo-net/status",
    "demo-cp/status",
  ]);
  await it.pause(false);
  await it.pass(1_000);
  expect(await it.the.vpcApply()).toBeDefined();
});

test("AS-08 CC-4 paused in the middle: the clock begins anew when it is let go", async () => {
  const it = await fresh();
  await it.all();
  await it.pass(10 * minute);
  await it.pause(true);
  await it.pass(120 * minute);
  expect((await it.the.network()).status?.failureReason).toBeUndefined();
  await it.pause(false);
  await it.pass(14 * minute + 55_000);
  expect((await it.the.network()).status?.failureReason).toBeUndefined();
  await it.pass(10_000);
  expect((await it.the.network()).status?.failureReason).toMatch(/^(VPC|Workspace)ReadyTimeout$/);
});

test("AS-08 an edit while paused is still an edit afterwards: it ends a failure", async () => {
  const it = await fresh();
  await it.all();
  await it.pass(16 * minute);
  expect((await it.the.network()).status?.failureReason).toBeDefined();
  await it.pause(true);
  await it.edit("network", { variables: { cidr: "10.0.0.0/16" } });
  await it.annotate("network", { [annotations.paused]: "" });
  await it.annotate("network", { [annotations.paused]: null });
  await it.pause(false);
  await it.pass(2_000);
  expect((await it.the.network()).status?.failureReason).toBeUndefined();
});

test("AS-09 paused and deleted: finalizers and children stay until it is let go", async () => {
  const it = await fresh();
  await it.all();
  await it.pass(2_000);
  await it.pause(true);
  await it.remove(CAPTCluster, "demo-net");
  await it.pass(60 * minute);
  expect((await it.the.network()).metadata.finalizers).toHaveLength(1);
  expect((await it.the.vpcApply())?.metadata.deletionTimestamp).toBeUndefined();
  await it.remove(CAPTControlPlane, "demo-cp");
  await it.pause(false);
  await it.pass(minute);
  expect(await it.get(CAPTCluster, "demo-net")).toBeUndefined();
  expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
});

test.each([
  ["annotation", { annotations: { [annotations.managedBy]: "somebody" } }],
  ["label", { labels: { [labels.managedBy]: "somebody" } }],
])("AS-10 what somebody else manages, by %s, is left alone", async (_how, mark) => {
  const it = await fresh();
  await it.templates();
  await it.cluster();
  const spec = { region: "eu-west-1", vpcTemplateRef: { name: "vpc" } };
  await it.make(CAPTCluster, { metadata: { name: "demo-net", ...mark }, spec });
  await it.client.patch(
    CAPTCluster,
    { name: "demo-net", namespace },
    { merge: { metadata: { ownerReferences: [await ownerOf(it)] } } },
  );
  await it.pass(60 * minute);
  expect(it.writes()).toEqual([]);
});

test("G2 with a watch filter only labelled objects are looked at", async () => {
  const it = await fresh({ config: { watchFilter: "mine" } });
  await it.all();
  await it.pass(minute);
  expect(it.writes()).toEqual([]);
  const merge = { metadata: { labels: { [labels.watchFilter]: "mine" } } };
  await it.client.patch(CAPTCluster, { name: "demo-net", namespace }, { merge });
  await it.pass(1_000);
  expect((await it.the.network()).status?.ready).toBe(false);
});

test("G7b while the Cluster goes away nothing new is made", async () => {
  const it = await fresh();
  await it.cluster();
  await it.network();
  await it.own();
  await it.pass(2_000);
  const Cluster = anyCluster(it.kinds);
  const merge = { metadata: { finalizers: ["cluster.cluster.x-k8s.io"] } };
  await it.client.patch(Cluster, { name: "demo", namespace }, { merge });
  await it.remove(Cluster, "demo");
  it.writes();
  await it.templates();
  await it.pass(20 * minute);
  expect(it.writes()).toEqual([]);
  expect(await it.the.vpcApply()).toBeUndefined();
});

async function ownerOf(it: Demo): Promise<object> {
  const { metadata } = await it.the.cluster();
  return { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "demo", uid: metadata.uid };
}
