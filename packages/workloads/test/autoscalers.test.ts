// Autoscalers on the embedded server: they follow their target, and never move it.
import { Deployment, HorizontalPodAutoscaler } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { autoscalers } from "../src/autoscale/autoscalers.ts";
import { type Cluster, cluster } from "./cluster.ts";

const namespace = "default";
let it: Cluster;
afterEach(() => it.end());

const labels = { app: "web" };
const deployment = (): Promise<Deployment> =>
  it.client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: {
      replicas: 5,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.test/app:1" }] } },
    },
  });
const scaler = (kind = "Deployment", apiVersion = "apps/v1"): Promise<HorizontalPodAutoscaler> =>
  it.client.create(HorizontalPodAutoscaler, {
    metadata: { name: "web", namespace },
    spec: { minReplicas: 1, maxReplicas: 3, scaleTargetRef: { apiVersion, kind, name: "web" } },
  });
const said = async () => {
  const { status } = await it.client.get(HorizontalPodAutoscaler, "web", { namespace });
  return [status?.currentReplicas, ...(status?.conditions ?? []).map(({ status: is, reason }) => `${is} ${reason}`)];
};

test("one that waits for its target follows it, and does not touch it", async () => {
  it = await cluster([autoscalers()]);
  await scaler();
  await it.pass();
  expect(await said()).toEqual([undefined, "False FailedGetScale"]);
  await deployment();
  await it.pass();
  expect(await said()).toEqual([undefined, "True SucceededGetScale", "False FailedGetResourceMetric"]);
  await it.client.status.patch(Deployment, { name: "web", namespace }, { merge: { status: { replicas: 4 } } });
  await it.pass();
  expect((await said())[0]).toBe(4);
  expect(it.writes().filter((line) => line.includes("deployments"))).toEqual([]);
});

test("one of a kind whose scale nobody reads says so, and not that there is none", async () => {
  it = await cluster([autoscalers()]);
  await scaler("Widget", "example.com/v1");
  await it.pass();
  const { status } = await it.client.get(HorizontalPodAutoscaler, "web", { namespace });
  expect(status?.conditions?.[0]?.message).toContain(
    'the scale of kind "Widget" in group "example.com" is not read here; only Deployment, ReplicaSet, StatefulSet are',
  );
});

test("once settled, nothing is written and nobody wakes", async () => {
  it = await cluster([autoscalers()]);
  await deployment();
  await scaler();
  await it.pass(1000);
  it.writes();
  it.passes();
  await it.pass(3_600_000);
  expect(it.passes()).toBe(0);
  await it.restart([autoscalers()]);
  await it.pass(1000);
  expect(it.writes()).toEqual([]);
});
