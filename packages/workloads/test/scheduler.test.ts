// The scheduler on the embedded server: it binds, says why it does not, tries again, and never gives away the same room twice.
import { Namespace, Node, PersistentVolumeClaim, Pod, StorageClass } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { type Machine, machine } from "./machine.ts";

const namespace = "default";
const background = { propagation: "Background" } as const;
let it: Machine;
afterEach(() => it?.end());

const asking = (cpu: string, more = {}) => ({
  containers: [{ name: "main", image: "a:1", resources: { requests: { cpu } } }],
  ...more,
});
const nodeOf = async (name: string) => (await it.pod(name)).spec?.nodeName;
const preemption = (words: string) => `no new claims to deallocate, preemption: 0/1 nodes are available: ${words}.`;

test("pods are spread over nodes by what is left, the same way each time", async () => {
  const nodes = ["a", "b", "c"].map((name) => ({ name }));
  const run = async () => {
    it = await machine({ nodes });
    for (let i = 0; i < 9; i += 1) await it.create(`p-${i}`, {}, asking("1"));
    await it.pass(1_000);
    return Promise.all(Array.from({ length: 9 }, (_, i) => nodeOf(`p-${i}`)));
  };
  const first = await run();
  expect(["a", "b", "c"].map((name) => first.filter((node) => node === name).length)).toEqual([3, 3, 3]);
  await it.end();
  expect(await run()).toEqual(first);
});

test("no node is given more than it has, however many pods come at once", async () => {
  it = await machine({
    nodes: [
      { name: "a", capacity: { cpu: "4" } },
      { name: "b", capacity: { cpu: "3" } },
    ],
  });
  await Promise.all(Array.from({ length: 20 }, (_, i) => it.create(`p-${i}`, {}, asking("1"))));
  await it.pass(10_000);
  const { items } = await it.client.list(Pod, { namespace });
  const on = (name: string) => items.filter(({ spec }) => spec?.nodeName === name).length;
  expect([on("a"), on("b")]).toEqual([4, 3]);
  const refused = items.filter(({ spec }) => spec?.nodeName === undefined);
  expect(
    new Set(refused.map(({ status }) => status?.conditions?.find(({ type }) => type === "PodScheduled")?.message)),
  ).toEqual(
    new Set([
      "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    ]),
  );
});

describe("a pod that fits nowhere", () => {
  test("says why, once, and is placed when there is room", async () => {
    it = await machine({ nodes: [{ name: "a", capacity: { cpu: "1" } }] });
    await it.create("first", {}, asking("1"));
    await it.pass(1_000);
    it.writes();
    await it.create("second", {}, asking("1"));
    await it.pass(10_000);
    const message = `0/1 nodes are available: 1 Insufficient cpu. ${preemption("1 No preemption victims found for incoming pod")}`;
    expect(await it.condition("second", "PodScheduled")).toBe(`False Unschedulable ${message}`);
    expect(await it.events("second")).toEqual([`Warning FailedScheduling: ${message}`]);
    expect(it.writes().filter((line) => line.includes("/pods/second"))).toHaveLength(1);
    await it.client.delete(Pod, { name: "first", namespace }, background);
    await it.pass(1_000);
    expect(await it.view("second")).toBe("Running: main running ready");
    expect(await it.condition("second", "PodScheduled")).toBe("True");
  });

  test("is placed when a pod before it has finished", async () => {
    it = await machine({ nodes: [{ name: "a", capacity: { cpu: "1" } }] });
    await it.create("first", { "sim.telltale.dev/exit-after": "20s" }, asking("1", { restartPolicy: "Never" }));
    await it.pass(1_000);
    await it.create("second", {}, asking("1"));
    await it.pass(10_000);
    expect(await nodeOf("second")).toBeUndefined();
    await it.pass(20_000);
    expect(await nodeOf("second")).toBe("a");
  });

  test("is placed when a node comes, changes its labels, or loses its taint", async () => {
    it = await machine();
    await it.create("p", {}, { nodeSelector: { disk: "fast" } });
    await it.pass(1_000);
    expect(await it.condition("p", "PodScheduled")).toBe(
      `False Unschedulable 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${preemption("1 Preemption is not helpful for scheduling")}`,
    );
    const taints = [{ key: "gpu", effect: "NoSchedule" }];
    const merge = { metadata: { labels: { disk: "fast" } }, spec: { taints } };
    await it.client.patch(Node, { name: "embedded-node" }, { merge });
    await it.pass(1_000);
    expect(await it.condition("p", "PodScheduled")).toMatch(/1 node\(s\) had untolerated taint\(s\)/);
    await it.client.patch(Node, { name: "embedded-node" }, { merge: { spec: { taints: null } } });
    await it.pass(1_000);
    expect(await nodeOf("p")).toBe("embedded-node");
  });

  test("on a node that is not heard of, waits for it to come back", async () => {
    it = await machine();
    const offline = (value: string | null) =>
      it.client.patch(
        Node,
        { name: "embedded-node" },
        { merge: { metadata: { annotations: { "sim.telltale.dev/offline": value } } } },
      );
    await offline("true");
    await it.pass(60_000);
    await it.create("p");
    await it.pass(1_000);
    expect(await it.condition("p", "PodScheduled")).toMatch(/untolerated taint/);
    await offline(null);
    await it.pass(1_000);
    expect(await it.view("p")).toBe("Running: main running ready");
  });

  test("for want of a claim, waits for that", async () => {
    it = await machine();
    await it.create("p", {}, { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] });
    await it.pass(1_000);
    expect(await it.condition("p", "PodScheduled")).toMatch(
      /0\/1 nodes are available: persistentvolumeclaim "data" not found\./,
    );
    await it.client.create(PersistentVolumeClaim, {
      metadata: { name: "data", namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: "pv" },
    });
    await it.pass(1_000);
    expect(await it.condition("p", "PodScheduled")).toMatch(/pod has unbound immediate PersistentVolumeClaims/);
    const status = { phase: "Bound" };
    await it.client.status.patch(PersistentVolumeClaim, { name: "data", namespace }, { merge: { status } });
    await it.pass(1_000);
    expect(await it.view("p")).toBe("Running: main running ready");
  });

  test("near others, is placed when they are", async () => {
    it = await machine();
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    await it.create("web", {}, { affinity });
    await it.pass(1_000);
    expect(await it.condition("web", "PodScheduled")).toMatch(/1 node\(s\) didn't match pod affinity rules/);
    const containers = [{ name: "main", image: "a:1" }];
    await it.client.create(Pod, { metadata: { name: "db", namespace, labels: { app: "db" } }, spec: { containers } });
    await it.pass(1_000);
    expect(await nodeOf("web")).toBe("embedded-node");
  });

  test("because there is no node, says that", async () => {
    it = await machine({ nodes: [] });
    await it.create("p");
    await it.pass(1_000);
    expect(await it.condition("p", "PodScheduled")).toBe("False Unschedulable no nodes available to schedule pods");
  });
});

describe("what changes while a pod is refused", () => {
  const allocatable = { cpu: "4", memory: "8Gi", pods: "10" };
  /** Of the scheduler alone: the status of no other pod is written. */
  const holdRefusals = () =>
    it.server.faults.add({
      match: { resource: "pods", subresource: "status" },
      times: 1,
      effect: { latencyMs: 20_000, phase: "before" },
    });

  test("counts: a first node that comes before the refusal is written", async () => {
    it = await machine({ nodes: [] });
    holdRefusals();
    await it.create("p");
    await it.pass(1_000);
    await it.client.create(Node, { metadata: { name: "late" } });
    const status = { allocatable, conditions: [{ type: "Ready", status: "True" }] };
    await it.client.status.patch(Node, { name: "late" }, { strategic: { status } });
    await it.pass(25_000);
    expect(await nodeOf("p")).toBe("late");
  });

  test("counts: a pod that goes before the refusal is written", async () => {
    it = await machine({ nodes: [{ name: "a", capacity: { cpu: "1" } }] });
    await it.create("first", {}, asking("1", { terminationGracePeriodSeconds: 0 }));
    await it.pass(1_000);
    holdRefusals();
    await it.create("second", {}, asking("1"));
    await it.pass(1_000);
    await it.client.delete(Pod, { name: "first", namespace }, { ...background, gracePeriodSeconds: 0 });
    await it.pass(25_000);
    expect(await nodeOf("second")).toBe("a");
  });
});

test("a pod whose claim waits for its class is looked at again when that comes", async () => {
  it = await machine();
  await it.create("p", {}, { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] });
  await it.client.create(PersistentVolumeClaim, {
    metadata: { name: "data", namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "later" },
  });
  await it.pass(1_000);
  expect(await it.condition("p", "PodScheduled")).toMatch(/unbound immediate PersistentVolumeClaims/);
  await it.client.create(StorageClass, {
    metadata: { name: "later" },
    provisioner: "example.com/x",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  await it.pass(1_000);
  expect(await nodeOf("p")).toBe("embedded-node");
});

test("a pod near others of a labelled namespace is looked at again when one gets the label", async () => {
  it = await machine();
  const containers = [{ name: "main", image: "a:1" }];
  await it.client.create(Namespace, { metadata: { name: "data" } });
  await it.client.create(Pod, {
    metadata: { name: "db", namespace: "data", labels: { app: "db" } },
    spec: { containers },
  });
  const term = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { app: "db" } },
    namespaceSelector: { matchLabels: { tier: "data" } },
  };
  await it.create("web", {}, { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
  await it.pass(1_000);
  expect(await it.condition("web", "PodScheduled")).toMatch(/didn't match pod affinity rules/);
  await it.client.patch(Namespace, { name: "data" }, { merge: { metadata: { labels: { tier: "data" } } } });
  await it.pass(1_000);
  expect(await nodeOf("web")).toBe("embedded-node");
});

test("a pod with gates waits for them without complaint", async () => {
  it = await machine();
  await it.create("p", {}, { schedulingGates: [{ name: "example.test/wait" }] });
  await it.pass(10_000);
  expect(await it.condition("p", "PodScheduled")).toBe(
    "False SchedulingGated Scheduling is blocked due to non-empty scheduling gates",
  );
  expect(await it.events("p")).toEqual([]);
  await it.client.patch(Pod, { name: "p", namespace }, { merge: { spec: { schedulingGates: null } } });
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Running: main running ready");
});

test("pods of another scheduler, finished ones and those that leave are left alone", async () => {
  it = await machine();
  await it.create("other", {}, { schedulerName: "other" });
  await it.pass(1_000);
  expect(await nodeOf("other")).toBeUndefined();
  expect(await it.condition("other", "PodScheduled")).toBe("");
});

describe("under faults", () => {
  test("a binding that is refused or gets no answer is made in the end, in the same room", async () => {
    it = await machine({ nodes: [{ name: "a", capacity: { cpu: "3" } }] });
    const binding = { verbs: ["create"], resource: "pods", subresource: "binding" };
    it.server.faults.add({ match: binding, times: 3, effect: { status: 503 } });
    it.server.faults.add({ match: binding, times: 2, effect: { status: 500, commit: true } });
    it.server.faults.add({ match: binding, times: 2, effect: { status: 409 } });
    await Promise.all(Array.from({ length: 5 }, (_, i) => it.create(`p-${i}`, {}, asking("1"))));
    await it.pass(600_000);
    const { items } = await it.client.list(Pod, { namespace });
    expect(items.filter(({ spec }) => spec?.nodeName === "a")).toHaveLength(3);
  });

  test("a scheduler that is cut off and begun anew gives away no room twice", async () => {
    it = await machine({ nodes: [{ name: "a", capacity: { cpu: "5" } }] });
    for (let i = 0; i < 12; i += 1) {
      await it.create(`p-${i}`, {}, asking("1"));
      if (i % 3 === 0) await it.renew();
    }
    await it.pass(60_000);
    const { items } = await it.client.list(Pod, { namespace });
    expect(items.filter(({ spec }) => spec?.nodeName === "a")).toHaveLength(5);
  });

  test("a binding of which nobody knows holds its room until somebody does", async () => {
    it = await machine({ nodes: [{ name: "a", capacity: { cpu: "1" } }] });
    it.server.faults.add({ match: { verbs: ["watch"], resource: "pods" }, effect: { watch: { delayMs: 20_000 } } });
    await it.renew();
    await it.pass(1_000);
    const binding = { verbs: ["create"], resource: "pods", subresource: "binding" };
    it.server.faults.add({ match: binding, times: 1, effect: { status: 500, commit: true } });
    await it.create("first", {}, asking("1"));
    await it.create("second", {}, asking("1"));
    await it.pass(22_000);
    // Whoever looks again in between finds no room either.
    await it.client.patch(Node, { name: "a" }, { merge: { metadata: { labels: { a: "b" } } } });
    await it.pass(120_000);
    const { items } = await it.client.list(Pod, { namespace });
    expect(items.filter(({ spec }) => spec?.nodeName === "a")).toHaveLength(1);
  });

  test("a binding that the server forgot before anybody heard of it is made again", async () => {
    it = await machine();
    it.server.faults.add({ match: { verbs: ["watch"], resource: "pods" }, effect: { watch: { delayMs: 5_000 } } });
    await it.renew();
    await it.create("p");
    const snapshot = it.server.snapshot();
    for (let i = 0; i < 20 && (await nodeOf("p")) === undefined; i += 1) await it.pass(1_000);
    expect(await nodeOf("p")).toBe("embedded-node");
    it.server.faults.clear();
    it.server.restore(snapshot);
    await it.pass(120_000);
    expect(await it.view("p")).toBe("Running: main running ready");
  });

  test("a binding that the server forgot is made again", async () => {
    it = await machine();
    const before = await it.create("p");
    const snapshot = it.server.snapshot();
    await it.pass(1_000);
    expect(await nodeOf("p")).toBe("embedded-node");
    it.server.restore(snapshot);
    await it.pass(120_000);
    expect((await it.pod("p")).metadata?.uid).toBe(before.metadata?.uid);
    expect(await it.view("p")).toBe("Running: main running ready");
  });
});
