// Autoscalers on the embedded server: they follow their target, and never move it.
import { CoreEvent, Deployment, HorizontalPodAutoscaler } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { autoscalers } from "../src/autoscale/autoscalers.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { CronTab, serveCronTabs } from "./custom-scale.ts";

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

const conditions = async () => {
  const { status } = await it.client.get(HorizontalPodAutoscaler, "web", { namespace });
  return (status?.conditions ?? []).map(({ message, reason }) => `${reason}: ${message}`);
};
const unable = "FailedGetScale: the HPA controller was unable to get the target's current scale:";
const warnings = async () => {
  const { items } = await it.client.list(CoreEvent, { namespace });
  return items.map(({ reason, message }) => `${reason} ${message}`).sort();
};

describe("one of a custom resource", () => {
  const cronTab = () => it.client.create(CronTab, { metadata: { name: "web", namespace }, spec: { size: 2 } });
  const setStatus = (status: CronTab["status"]) =>
    it.client.status.patch(CronTab, { name: "web", namespace }, { merge: { status } });

  test("says what is missing, kind, object or scale, and follows what comes", async () => {
    it = await cluster([autoscalers()]);
    await scaler("CronTab", CronTab.apiVersion);
    await it.pass();
    const noKind = 'no matches for kind "CronTab" in group "stable.example.com"';
    expect(await conditions()).toEqual([`${unable} ${noKind}`]);
    await serveCronTabs(it.client);
    await it.pass(15_000);
    const noObject = 'crontabs.stable.example.com "web" not found';
    expect(await conditions()).toEqual([`${unable} ${noObject}`]);
    await cronTab();
    await it.pass(15_000);
    expect(await said()).toEqual([undefined, "True SucceededGetScale", "False InvalidSelector"]);
    expect((await conditions())[1]).toBe("InvalidSelector: the HPA target's scale is missing a selector");
    await setStatus({ size: 1, selector: "app in" });
    await it.pass(15_000);
    expect((await conditions())[1]).toMatch(
      /^InvalidSelector: couldn't convert selector into a corresponding internal selector object: /,
    );
    await setStatus({ size: 2, selector: "app=web" });
    await it.pass(15_000);
    expect(await said()).toEqual([2, "True SucceededGetScale", "False FailedGetResourceMetric"]);
    expect(await warnings()).toEqual([
      expect.stringMatching(/^FailedGetResourceMetric failed to get cpu utilization/),
      `FailedGetScale ${noObject}`,
      `FailedGetScale ${noKind}`,
      expect.stringMatching(/^InvalidSelector couldn't convert selector/),
      "SelectorRequired selector is required",
    ]);
    expect(it.writes().filter((line) => line.includes("crontabs"))).toEqual([]);
  });

  test("says that its kind has no scale", async () => {
    it = await cluster([autoscalers()]);
    await serveCronTabs(it.client, { hasScale: false });
    await cronTab();
    await scaler("CronTab", CronTab.apiVersion);
    await it.pass();
    expect(await conditions()).toEqual([`${unable} the server could not find the requested resource`]);
  });

  test("says that it may not read the scale, until it may", async () => {
    it = await cluster([autoscalers()]);
    await serveCronTabs(it.client);
    await cronTab();
    const message = 'crontabs.stable.example.com "web" is forbidden';
    it.server.faults.add({
      match: { resource: "crontabs", subresource: "scale" },
      effect: { status: 403, reason: "Forbidden", message },
    });
    await scaler("CronTab", CronTab.apiVersion);
    await it.pass();
    expect(await conditions()).toEqual([`${unable} ${message}`]);
    it.server.faults.clear();
    await it.pass(15_000);
    expect((await said())[1]).toBe("True SucceededGetScale");
  });
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
