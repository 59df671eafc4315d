// What DaemonSets do where no recording shows it: several nodes that come, go and change, pods that fail, and updates over nodes.
import { ControllerRevision, CoreEvent, DaemonSet, Node, Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { daemonSets } from "../src/daemonset/daemonset.ts";
import { nodeOf } from "../src/daemonset/pod.ts";
import { isReady } from "../src/pods/facts.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { daemon, rolling } from "./daemons.ts";
import { type Fate, join, sweep } from "./sweep.ts";

let here: Cluster | undefined;
afterEach(async () => here?.end());

const place = { namespace: "default" };
const agent = { name: "agent", ...place };
const image = (tag: number) => ({
  template: { spec: { containers: [{ name: "main", image: `example.test/app:${tag}` }] } },
});

async function begun(names: readonly string[], ...of: Parameters<typeof daemon>): Promise<Cluster> {
  here = await cluster([daemonSets()]);
  for (const name of names) await join(here, name);
  const { spec } = daemon(...of);
  if (spec !== undefined) await here.client.create(DaemonSet, { metadata: agent, spec });
  await sweep(here);
  return here;
}

const change = ({ client }: Cluster, spec: object) => client.patch(DaemonSet, agent, { strategic: { spec } });
const changeNode = ({ client }: Cluster, name: string, merge: object) => client.patch(Node, { name }, { merge });
const statusOf = async ({ client }: Cluster) => (await client.get(DaemonSet, "agent", place)).status;

/** `a:2` is a pod on, or for, node a with the image of tag 2. */
async function pods({ client }: Cluster): Promise<readonly string[]> {
  const { items } = await client.list(Pod, place);
  return items.map((pod) => `${nodeOf(pod)}:${pod.spec?.containers[0]?.image?.split(":")[1]}`).sort();
}

async function said({ client, pass }: Cluster, reason: string): Promise<readonly string[]> {
  await pass(10_000);
  const { items } = await client.list(CoreEvent, place);
  return items.filter((it) => it.reason === reason).map((it) => it.message ?? "");
}

async function fail({ client }: Cluster, phase = "Failed"): Promise<string> {
  const [pod] = (await client.list(Pod, place)).items;
  const name = pod?.metadata?.name ?? "";
  await client.status.patch(Pod, { name, ...place }, { merge: { status: { phase } } });
  return name;
}

describe("nodes", () => {
  test("that match nothing leave a DaemonSet with nothing to do", async () => {
    const it = await begun(["a"], {}, { nodeSelector: { disk: "none" } });
    expect(await pods(it)).toEqual([]);
    expect(await statusOf(it)).toEqual({
      observedGeneration: 1,
      currentNumberScheduled: 0,
      desiredNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
    });
  });

  test("each have one pod, those that come get one, and of those that go none is expected", async () => {
    const it = await begun(["a", "b"]);
    expect(await pods(it)).toEqual(["a:2", "b:2"]);
    await join(it, "c");
    await sweep(it);
    expect(await pods(it)).toEqual(["a:2", "b:2", "c:2"]);
    expect(await statusOf(it)).toMatchObject({ desiredNumberScheduled: 3, numberReady: 3, numberAvailable: 3 });
    await it.client.delete(Node, { name: "c" }, { propagation: "Background" });
    await sweep(it);
    expect(await statusOf(it)).toMatchObject({ desiredNumberScheduled: 2, numberReady: 2, numberMisscheduled: 0 });
  });

  test("that go before their pod has arrived take it along", async () => {
    const waiting: Fate = () => "pending";
    const it = await begun([]);
    await join(it, "a");
    await sweep(it, waiting);
    expect(await pods(it)).toEqual(["a:2"]);
    await it.client.delete(Node, { name: "a" }, { propagation: "Background" });
    await sweep(it, waiting);
    expect(await pods(it)).toEqual([]);
  });

  test("whose labels change are homes or not", async () => {
    const it = await begun(["a", "b"], {}, { nodeSelector: { disk: "ssd" } });
    await changeNode(it, "b", { metadata: { labels: { disk: "ssd" } } });
    await sweep(it);
    expect(await pods(it)).toEqual(["b:2"]);
    await changeNode(it, "b", { metadata: { labels: { disk: "tape" } } });
    await sweep(it);
    expect(await pods(it)).toEqual([]);
  });

  test("that are tainted keep their pod, or lose it, as the taint has it; those that take no more pods keep it", async () => {
    const it = await begun(["a", "b", "c"]);
    await changeNode(it, "a", { spec: { taints: [{ key: "x", effect: "NoSchedule" }] } });
    await changeNode(it, "b", { spec: { taints: [{ key: "x", effect: "NoExecute" }] } });
    await changeNode(it, "c", { spec: { unschedulable: true } });
    await sweep(it);
    expect(await pods(it)).toEqual(["a:2", "c:2"]);
    expect(await statusOf(it)).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 1, numberReady: 1 });
  });

  test("that only tell of their health ask for nothing", async () => {
    const it = await begun(["a"]);
    it.passes();
    await it.client.status.patch(Node, { name: "a" }, { merge: { status: { phase: "Running" } } });
    await it.pass(1_000);
    expect(it.passes()).toBe(0);
  });
});

describe("an update", () => {
  test("goes from node to node, with no more missing than may be", async () => {
    const it = await begun(["a", "b", "c"]);
    let least = 3;
    it.server.store.subscribe("/", it.server.store.revision, ({ record }) => {
      const { kind, status } = record.object() as DaemonSet;
      if (kind === "DaemonSet") least = Math.min(least, status?.numberReady ?? 0);
    });
    await change(it, image(3));
    await sweep(it);
    expect(await pods(it)).toEqual(["a:3", "b:3", "c:3"]);
    expect(least).toBe(2);
    expect(await statusOf(it)).toMatchObject({ observedGeneration: 2, updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  test("with surge has the new pod beside the old one until it works", async () => {
    const it = await begun(["a"], { updateStrategy: rolling(0, 1) });
    await change(it, image(3));
    await sweep(it, (pod) => (pod.spec?.containers[0]?.image?.endsWith(":3") ? "unready" : undefined));
    expect(await pods(it)).toEqual(["a:2", "a:3"]);
    expect(await statusOf(it)).toMatchObject({ numberReady: 1, numberAvailable: 1 });
    expect(await statusOf(it)).not.toHaveProperty("updatedNumberScheduled");
    await sweep(it);
    expect(await pods(it)).toEqual(["a:3"]);
    expect(await statusOf(it)).toMatchObject({ numberReady: 1, updatedNumberScheduled: 1 });
  });

  test("waits for pods to be ready for long enough", async () => {
    const it = await begun(["a", "b"], { minReadySeconds: 30 });
    expect(await statusOf(it)).toMatchObject({ numberReady: 2, numberUnavailable: 2 });
    await it.pass(30_000);
    expect(await statusOf(it)).toMatchObject({ numberReady: 2, numberAvailable: 2 });
    await change(it, image(3));
    await sweep(it);
    expect(await pods(it)).toEqual(["a:3", "b:2"]);
    await it.pass(30_000);
    await sweep(it);
    expect(await pods(it)).toEqual(["a:3", "b:3"]);
  });

  test("by hand happens where a pod is deleted", async () => {
    const it = await begun(["a", "b"], { updateStrategy: { type: "OnDelete" } });
    await change(it, image(3));
    await sweep(it);
    expect(await pods(it)).toEqual(["a:2", "b:2"]);
    const [first] = (await it.client.list(Pod, place)).items;
    const gone = nodeOf(first ?? {}) ?? "";
    const ref = { name: first?.metadata?.name ?? "", ...place };
    await it.client.delete(Pod, ref, { propagation: "Background" });
    await sweep(it);
    expect(await pods(it)).toEqual(gone === "a" ? ["a:3", "b:2"] : ["a:2", "b:3"]);
  });

  test("back to an older template uses its revision with a higher number, and the oldest are forgotten", async () => {
    const it = await begun(["a"], { revisionHistoryLimit: 1 });
    const numbers = async () => {
      const { items } = await it.client.list(ControllerRevision, place);
      return items.map(({ revision }) => revision).sort();
    };
    await change(it, image(3));
    await sweep(it);
    await change(it, image(2));
    await sweep(it);
    expect([await numbers(), await pods(it)]).toEqual([[2, 3], ["a:2"]]);
    await change(it, image(4));
    await sweep(it);
    expect(await numbers()).toEqual([3, 4]);
  });
});

describe("a pod that has ended", () => {
  test("is replaced at once, and later and later where it fails again", async () => {
    const it = await begun(["a"]);
    const first = await fail(it);
    await it.pass(0);
    expect((await it.client.list(Pod, place)).items.map(({ metadata }) => metadata?.name)).not.toContain(first);
    const second = await fail(it);
    const isThere = async () => (await it.client.list(Pod, place)).items.some((pod) => pod.metadata?.name === second);
    await it.pass(900);
    expect(await isThere()).toBe(true);
    await it.pass(200);
    expect(await isThere()).toBe(false);
    expect(await said(it, "FailedDaemonPod")).toContain(
      `Found failed daemon pod default/${first} on node a, will try to kill it`,
    );
  });

  test("well is replaced too", async () => {
    const it = await begun(["a"]);
    const name = await fail(it, "Succeeded");
    await sweep(it);
    const [pod, ...others] = (await it.client.list(Pod, place)).items;
    expect([others, isReady(pod ?? {}), pod?.metadata?.name === name]).toEqual([[], true, false]);
    expect(await said(it, "SucceededDaemonPod")).toEqual([
      `Found succeeded daemon pod default/${name} on node a, will try to delete it`,
    ]);
  });
});

test("a refusal is said with the words of the server, the counts go on, and it is tried again", async () => {
  const it = await begun([]);
  it.server.faults.add({
    match: { resource: "pods", verbs: ["create"], userAgent: /kube-controller-manager/ },
    times: 2,
    effect: { status: 403, reason: "Forbidden", message: 'pods "agent-" is forbidden: no' },
  });
  await join(it, "a");
  await it.pass(0);
  expect(await statusOf(it)).toMatchObject({ desiredNumberScheduled: 1, currentNumberScheduled: 0 });
  await it.pass(60_000);
  await sweep(it);
  expect(await statusOf(it)).toMatchObject({ numberReady: 1 });
  expect(await said(it, "FailedCreate")).toEqual(['Error creating: pods "agent-" is forbidden: no']);
});

test("a name that is taken is told of in the count of collisions", async () => {
  const it = await begun(["a"]);
  const [mine] = (await it.client.list(ControllerRevision, place)).items;
  const name = mine?.metadata?.name ?? "";
  await it.client.delete(DaemonSet, agent, { propagation: "Background" });
  await sweep(it);
  await it.client.create(ControllerRevision, {
    metadata: { name, ...place },
    revision: 9,
    data: { other: true } as never,
  });
  const { spec } = daemon();
  if (spec !== undefined) await it.client.create(DaemonSet, { metadata: agent, spec });
  await sweep(it);
  expect(await statusOf(it)).toMatchObject({ collisionCount: 1, numberReady: 1, updatedNumberScheduled: 1 });
});

test("pods without an owner are taken in by a DaemonSet of the same template", async () => {
  const it = await begun(["a", "b"]);
  await it.client.delete(DaemonSet, agent, { propagation: "Orphan" });
  await sweep(it);
  it.writes();
  const { spec } = daemon();
  if (spec !== undefined) await it.client.create(DaemonSet, { metadata: agent, spec });
  await sweep(it);
  expect(it.writes().filter((line) => /^(POST|DELETE)/.test(line))).toEqual([]);
  expect(await statusOf(it)).toMatchObject({ numberReady: 2, updatedNumberScheduled: 2 });
});

test("a revision that says the same under another hash is no reason for new pods", async () => {
  const it = await begun(["a"]);
  await change(it, image(3));
  await sweep(it);
  await it.client.delete(DaemonSet, agent, { propagation: "Orphan" });
  await sweep(it);
  const { items } = await it.client.list(ControllerRevision, place);
  const { data } = items.find(({ revision }) => revision === 2) ?? {};
  const labels = { app: "agent", "controller-revision-hash": "twin" };
  const twin = { metadata: { name: "agent-twin", ...place, labels }, revision: 3 };
  await it.client.create(ControllerRevision, { ...twin, ...(data === undefined ? {} : { data }) });
  it.writes();
  const { spec } = daemon({ template: { metadata: { labels: { app: "agent" } }, ...image(3).template } });
  if (spec !== undefined) await it.client.create(DaemonSet, { metadata: agent, spec });
  await sweep(it);
  expect(it.writes().filter((line) => /^(POST|DELETE)/.test(line))).toEqual([]);
  expect(await statusOf(it)).toMatchObject({ numberReady: 1, updatedNumberScheduled: 1 });
});

test("the revision that a pod is of stays as long as the pod", async () => {
  const it = await begun(["a"], { revisionHistoryLimit: 0, updateStrategy: { type: "OnDelete" } });
  const numbers = async () => (await it.client.list(ControllerRevision, place)).items.map(({ revision }) => revision);
  for (const tag of [3, 4]) {
    await change(it, image(tag));
    await sweep(it);
  }
  expect((await numbers()).sort()).toEqual([1, 3]);
  await change(it, { updateStrategy: rolling(1) });
  await sweep(it);
  expect(await numbers()).toEqual([3]);
});

test("nothing is written once all is well", async () => {
  const it = await begun(["a", "b", "c"]);
  it.writes();
  it.passes();
  await it.pass(3_600_000);
  expect([it.writes(), it.passes(), it.complaints]).toEqual([[], 0, []]);
});
