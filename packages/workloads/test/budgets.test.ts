// Budgets on the embedded server, where evictions count them down.
import { CoreEvent, Deployment, Pod, PodDisruptionBudget, ReplicationController } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { budgets } from "../src/budget/budgets.ts";
import { deployments } from "../src/deployment/deployment.ts";
import { replicaSets } from "../src/replicaset/replicaset.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { CronTab, serveCronTabs } from "./custom-scale.ts";

const namespace = "default";
const all = () => [budgets(), deployments(), replicaSets()];
let it: Cluster;
afterEach(() => it.end());

const labels = { app: "web" };
const deployment = (replicas: number): Promise<Deployment> =>
  it.client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.test/app:1" }] } },
    },
  });
const budget = (spec: PodDisruptionBudget["spec"]): Promise<PodDisruptionBudget> =>
  it.client.create(PodDisruptionBudget, {
    metadata: { name: "web", namespace },
    spec: { selector: { matchLabels: labels }, ...spec },
  });
const pods = async () => (await it.client.list(Pod, { namespace })).items;
const status = async () => (await it.client.get(PodDisruptionBudget, "web", { namespace })).status;

/** All pods run and are ready. */
async function run(): Promise<void> {
  await it.pass(1000);
  for (const { metadata, spec } of await pods()) {
    const ref = { name: metadata?.name ?? "", namespace };
    const body = { target: { kind: "Node", name: "node" }, metadata: { name: ref.name } };
    if (spec?.nodeName === undefined) await it.client.subresource(Pod, ref, "binding", { method: "POST", body });
    await it.client.status.patch(Pod, ref, {
      strategic: { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
    });
  }
  await it.pass(1000);
}
const evict = (name: string) =>
  it.client.subresource(Pod, { name, namespace }, "eviction", { method: "POST", body: { metadata: { name } } });

test("the controller's scale counts at once, also where no pod has changed yet", async () => {
  it = await cluster(all());
  await deployment(4);
  await budget({ maxUnavailable: "25%" });
  await run();
  expect(await status()).toMatchObject({
    expectedPods: 4,
    desiredHealthy: 3,
    currentHealthy: 4,
    disruptionsAllowed: 1,
  });
  await it.restart([budgets()]);
  await it.client.patch(Deployment, { name: "web", namespace }, { merge: { spec: { replicas: 8 } } });
  await it.pass();
  expect(await status()).toMatchObject({
    expectedPods: 8,
    desiredHealthy: 6,
    currentHealthy: 4,
    disruptionsAllowed: 0,
  });
});

test("an eviction is one pod less, until it is gone and another is there", async () => {
  it = await cluster(all());
  await deployment(3);
  await budget({ minAvailable: 2 });
  await run();
  const [first, second] = await pods();
  await evict(first?.metadata?.name ?? "");
  await it.pass();
  expect(await status()).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 2 });
  const refused = expect(evict(second?.metadata?.name ?? "")).rejects.toThrow("disruption budget");
  await it.pass(30_000); // a client that is asked to come later does so
  await refused;
  await it.client.delete(
    Pod,
    { name: first?.metadata?.name ?? "", namespace },
    { propagation: "Background", gracePeriodSeconds: 0 },
  );
  await run();
  expect(await status()).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
});

test("a pod that was let go and stays counts again after two minutes", async () => {
  it = await cluster([budgets()]);
  await alone("alone");
  await budget({ minAvailable: 0 });
  await run();
  expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 1 });
  const disruptedPods = { alone: new Date(it.clock.now()).toISOString().replace(/\.\d+/, "") };
  await it.client.status.patch(
    PodDisruptionBudget,
    { name: "web", namespace },
    { merge: { status: { disruptedPods } } },
  );
  await it.pass();
  expect(await status()).toMatchObject({ currentHealthy: 0, disruptionsAllowed: 0, disruptedPods });
  await it.pass(119_000);
  expect(await status()).toMatchObject({ currentHealthy: 0 });
  await it.pass(2000);
  expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 1 });
  expect(await status()).not.toHaveProperty("disruptedPods");
});

const main = { name: "main", image: "example.test/app:1" };
const ref = { name: "web", namespace };
const alone = (name: string): Promise<Pod> =>
  it.client.create(Pod, {
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: "main", image: "example.test/app:1" }] },
  });

test("an eviction while the status is on its way is not forgotten", async () => {
  it = await cluster([budgets()]);
  for (const name of ["a", "b", "c"]) await alone(name);
  await budget({ minAvailable: 1 });
  await run();
  expect(await status()).toMatchObject({ disruptionsAllowed: 2 });
  const states: PodDisruptionBudget["status"][] = [];
  it.server.store.subscribe("/policy/poddisruptionbudgets/", it.server.store.revision, ({ record }) => {
    states.push((record.object() as PodDisruptionBudget).status);
  });
  it.server.faults.add({
    match: { resource: "poddisruptionbudgets", subresource: "status", userAgent: /kube-controller-manager/ },
    times: 1,
    effect: { latencyMs: 1000, phase: "before" },
  });
  const unready = { status: { conditions: [{ type: "Ready", status: "False" }] } };
  await it.client.status.patch(Pod, { name: "c", namespace }, { strategic: unready });
  await it.pass(500);
  await evict("a");
  await it.pass(10_000);
  const since = states.slice(states.findIndex((it) => it?.disruptedPods !== undefined));
  expect(since.length).toBeGreaterThan(1);
  expect(since.filter((it) => it?.disruptedPods === undefined && it?.disruptionsAllowed !== 0)).toEqual([]);
  expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
});

test("a budget may be over all pods of its namespace, or those of an expression", async () => {
  it = await cluster([budgets()]);
  await budget({ minAvailable: 1, selector: {} });
  await it.pass();
  await alone("a");
  await run();
  expect(await status()).toMatchObject({ expectedPods: 1, currentHealthy: 1 });
  const selector = { matchExpressions: [{ key: "app", operator: "Exists" }] };
  await it.client.patch(PodDisruptionBudget, { name: "web", namespace }, { merge: { spec: { selector } } });
  await alone("b");
  await run();
  expect(await status()).toMatchObject({ expectedPods: 2, currentHealthy: 2, disruptionsAllowed: 1 });
});

const owned = (name: string, owner: { apiVersion: string; kind: string; name: string; uid: string }): Promise<Pod> =>
  it.client.create(Pod, {
    metadata: { name, namespace, labels, ownerReferences: [{ ...owner, controller: true }] },
    spec: { containers: [{ name: "main", image: "example.test/app:1" }] },
  });
const events = async () => {
  const { items } = await it.client.list(CoreEvent, { namespace });
  return items.map(({ reason, message }) => `${reason} ${message}`).sort();
};
const failed = (why: string) =>
  `CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: ${why}`;

test("pods of what cannot be scaled let nobody go, and it is said why", async () => {
  it = await cluster([budgets()], { controllers: "none" });
  await owned("p", { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u" });
  await budget({ maxUnavailable: 1 });
  await run();
  const why = "jobs.batch does not implement the scale subresource";
  expect((await status())?.conditions).toMatchObject([{ status: "False", reason: "SyncFailed", message: why }]);
  expect(await events()).toContain(failed(why));
});

test("a ReplicationController counts by its scale", async () => {
  it = await cluster([budgets()], { controllers: "none" });
  const controller = await it.client.create(ReplicationController, {
    metadata: { name: "old", namespace },
    spec: { replicas: 3, selector: labels, template: { metadata: { labels }, spec: { containers: [main] } } },
  });
  await owned("p", {
    apiVersion: "v1",
    kind: "ReplicationController",
    name: "old",
    uid: controller.metadata?.uid ?? "",
  });
  await budget({ maxUnavailable: "50%" });
  await run();
  expect(await status()).toMatchObject({ expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 0 });
});

describe("pods of a custom resource", () => {
  const cronTab = async (size: number) => {
    const made = await it.client.create(CronTab, { metadata: { name: "my", namespace }, spec: { size } });
    return { apiVersion: CronTab.apiVersion, kind: CronTab.kind, name: "my", uid: made.metadata?.uid ?? "" };
  };
  const condition = async () => (await status())?.conditions?.[0];
  const unknownKind = 'no matches for kind "CronTab" in version "stable.example.com/v1"';

  test("count as its scale says, also after it changed without a pod", async () => {
    it = await cluster([budgets()], { controllers: "core" });
    await serveCronTabs(it.client);
    const owner = await cronTab(4);
    for (const name of ["a", "b", "c"]) await owned(name, owner);
    await budget({ maxUnavailable: "50%" });
    await run();
    expect(await status()).toMatchObject({
      expectedPods: 4,
      desiredHealthy: 2,
      currentHealthy: 3,
      disruptionsAllowed: 1,
      conditions: [{ status: "True", reason: "SufficientPods" }],
    });
    await it.client.scale.patch(CronTab, { name: "my", namespace }, { merge: { spec: { replicas: 8 } } });
    await it.pass(30_000);
    expect(await status()).toMatchObject({ expectedPods: 8, desiredHealthy: 4, disruptionsAllowed: 0 });
    await it.client.patch(PodDisruptionBudget, ref, { merge: { spec: { maxUnavailable: null, minAvailable: "25%" } } });
    await it.pass();
    expect(await status()).toMatchObject({ expectedPods: 8, desiredHealthy: 2, disruptionsAllowed: 1 });
    expect(await events()).toEqual([]);
  });

  test("let nobody go while the kind or the scale is missing, and do once they are there", async () => {
    it = await cluster([budgets()], { controllers: "none" });
    await owned("a", { apiVersion: CronTab.apiVersion, kind: CronTab.kind, name: "my", uid: "gone" });
    await budget({ maxUnavailable: 1 });
    await run();
    expect(await condition()).toMatchObject({ status: "False", reason: "SyncFailed", message: unknownKind });
    await serveCronTabs(it.client);
    await it.pass(30_000);
    expect(await condition()).toMatchObject({ reason: "SyncFailed", message: 'found no controllers for pod "a"' });
    const owner = await cronTab(1); // another one of the name
    await it.pass(30_000);
    expect(await condition()).toMatchObject({ reason: "SyncFailed", message: 'found no controllers for pod "a"' });
    const merge = { metadata: { ownerReferences: [{ ...owner, controller: true }] } };
    await it.client.patch(Pod, { name: "a", namespace }, { merge });
    await it.pass(30_000);
    expect(await condition()).toMatchObject({ status: "True", reason: "SufficientPods" });
    expect(await events()).toEqual([failed('found no controllers for pod "a"'), failed(unknownKind)]);
  });

  test("let nobody go where its kind has no scale", async () => {
    it = await cluster([budgets()], { controllers: "core" });
    await serveCronTabs(it.client, { hasScale: false });
    await owned("a", await cronTab(1));
    await budget({ maxUnavailable: 1 });
    await run();
    const message = "crontabs.stable.example.com does not implement the scale subresource";
    expect(await condition()).toMatchObject({ status: "False", reason: "SyncFailed", message });
    expect(await status()).toMatchObject({ disruptionsAllowed: 0 });
  });

  test("let nobody go while the scale may not be read, and do once it may", async () => {
    it = await cluster([budgets()], { controllers: "core" });
    await serveCronTabs(it.client);
    await owned("a", await cronTab(1));
    const message = 'crontabs.stable.example.com "my" is forbidden';
    it.server.faults.add({
      match: { resource: "crontabs", subresource: "scale" },
      effect: { status: 403, reason: "Forbidden", message },
    });
    await budget({ maxUnavailable: 1 });
    await run();
    expect(await condition()).toMatchObject({ status: "False", reason: "SyncFailed", message });
    expect(await events()).toEqual([failed(message)]);
    it.server.faults.clear();
    await it.pass(30_000);
    expect(await condition()).toMatchObject({ status: "True", reason: "SufficientPods", message: "" });
  });

  test("cost one look at the scale each half minute, and no write", async () => {
    it = await cluster([budgets()], { controllers: "core" });
    await serveCronTabs(it.client);
    await owned("a", await cronTab(1));
    await budget({ maxUnavailable: 1 });
    await run();
    it.writes();
    it.passes();
    await it.pass(300_000);
    expect(it.passes()).toBe(10);
    expect(it.writes()).toEqual([]);
  });
});

test("once settled, nothing is written and nobody wakes", async () => {
  it = await cluster(all());
  await deployment(2);
  await budget({ minAvailable: "50%" });
  await run();
  it.writes();
  it.passes();
  await it.pass(3_600_000);
  expect(it.passes()).toBe(0);
  await it.restart(all());
  await it.pass(1000);
  expect(it.writes()).toEqual([]);
});
