// The kubelet on the embedded server: one status for each change, deletion, gates, and runtimes that fail.
import { ConfigMap, Deployment, Job, Node, Pod, Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { controllers } from "../src/controllers.ts";
import { kubelet } from "../src/kubelet/kubelet.ts";
import type { PodReport, PodRuntime } from "../src/kubelet/pod-runtime.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { type Machine, machine } from "./machine.ts";
import { at, report, reported, running } from "./pod-parts.ts";

const namespace = "default";
const background = { propagation: "Background" } as const;
let it: Machine;
afterEach(() => it?.end());

const ofPods = (writes: readonly string[]) => writes.filter((line) => line.includes("/pods"));

test("a pod that is bound runs and is ready with one binding and one status, and then nobody writes", async () => {
  it = await machine();
  it.writes();
  await it.create("p");
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Running: main running ready");
  const path = "/api/v1/namespaces/default/pods/p";
  expect(ofPods(it.writes())).toEqual([`POST ${path}/binding`, `PATCH ${path}/status`]);
  expect(await it.events("p")).toEqual(["Normal Scheduled: Successfully assigned default/p to embedded-node"]);
  await it.pass(600_000);
  expect(ofPods(it.writes())).toEqual([]);
  expect(it.complaints).toEqual([]);
});

test("the status has the address of the node, one of its own, and what the server gave it", async () => {
  it = await machine();
  await it.create("p");
  await it.create("q");
  await it.create("host", {}, { hostNetwork: true });
  await it.pass(1_000);
  const { status } = await it.pod("p");
  expect(status).toMatchObject({
    qosClass: "BestEffort",
    hostIP: "10.0.1.1",
    hostIPs: [{ ip: "10.0.1.1" }],
    observedGeneration: 1,
  });
  const addresses = await Promise.all(["p", "q", "host"].map(async (name) => (await it.pod(name)).status?.podIP));
  expect(addresses.toSorted()).toEqual(["10.0.1.1", "10.244.0.1", "10.244.0.2"]);
});

test("a pod that is deleted says how it ended, and is gone", async () => {
  it = await machine();
  await it.create("p", { "sim.telltale.dev/stop-after": "5s" });
  await it.pass(1_000);
  await it.client.delete(Pod, { name: "p", namespace }, background);
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Running (leaving): main running ready");
  const seen: string[] = [];
  it.server.store.subscribe("/", it.server.store.revision, ({ type, record }) => {
    const object = record.object() as unknown as Pod;
    if (object.kind === "Pod") seen.push(`${type} ${object.status?.phase}`);
  });
  it.writes();
  await it.pass(5_000);
  expect(new Set(seen)).toEqual(new Set(["MODIFIED Succeeded", "DELETED Succeeded"]));
  expect(ofPods(it.writes()).map((line) => line.split(" ")[0])).toEqual(["PATCH", "DELETE"]);
});

test("a pod that a finalizer holds stays with its last status, and nobody asks again", async () => {
  it = await machine();
  await it.client.create(Pod, {
    metadata: { name: "p", namespace, finalizers: ["example.test/hold"] },
    spec: { containers: [{ name: "main", image: "a:1" }], restartPolicy: "Never" },
  });
  await it.pass(1_000);
  await it.client.delete(Pod, { name: "p", namespace }, background);
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Failed (leaving): main Error 143");
  it.writes();
  await it.client.patch(Pod, { name: "p", namespace }, { merge: { metadata: { labels: { a: "b" } } } });
  await it.pass(120_000);
  expect(ofPods(it.writes())).toEqual([]);
  await it.client.patch(Pod, { name: "p", namespace }, { merge: { metadata: { finalizers: null } } });
  await it.pass(1_000);
  await expect(it.pod("p")).rejects.toThrow("not found");
});

test("a pod that ends by itself while it is being deleted goes", async () => {
  it = await machine();
  const annotations = { "sim.telltale.dev/stop-after": "20s" };
  await it.create("p", annotations, { restartPolicy: "Never" });
  await it.pass(1_000);
  await it.client.delete(Pod, { name: "p", namespace }, background);
  await it.pass(1_000);
  const status = { phase: "Failed" };
  await it.client.status.patch(Pod, { name: "p", namespace }, { merge: { status } });
  await it.pass(1_000);
  await expect(it.pod("p")).rejects.toThrow("not found");
});

test("a gate that somebody opens through pods/status makes the pod ready, and closing it takes that back", async () => {
  it = await machine();
  await it.create("p", {}, { readinessGates: [{ conditionType: "example.test/open" }] });
  await it.pass(1_000);
  expect(await it.condition("p", "Ready")).toBe(
    'False ReadinessGatesNotReady corresponding condition of pod readiness gate "example.test/open" does not exist.',
  );
  expect(await it.condition("p", "ContainersReady")).toBe("True");
  const open = async (status: string) => {
    const conditions = [{ type: "example.test/open", status }];
    await it.client.status.patch(Pod, { name: "p", namespace }, { strategic: { status: { conditions } } });
    await it.pass(1_000);
  };
  await open("True");
  expect(await it.condition("p", "Ready")).toBe("True");
  await open("False");
  expect(await it.condition("p", "Ready")).toMatch(/^False ReadinessGatesNotReady the status of/);
  expect(await it.condition("p", "example.test/open")).toBe("False");
});

test("pods of other nodes, and pods without one, are left alone", async () => {
  it = await machine();
  await it.create("elsewhere", {}, { nodeName: "another" });
  await it.create("nobody", {}, { schedulerName: "somebody-else" });
  it.writes();
  await it.pass(10_000);
  expect(await it.view("elsewhere")).toBe("Pending: ");
  expect(ofPods(it.writes())).toEqual([]);
});

test("a pod that names our node itself runs, and is told to be scheduled", async () => {
  it = await machine();
  await it.create("p", {}, { nodeName: "embedded-node" });
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Running: main running ready");
  expect(await it.condition("p", "PodScheduled")).toBe("True");
});

test("a pod waits for what it mounts and takes variables from, and begins as soon as it is there", async () => {
  it = await machine();
  await it.create(
    "p",
    {},
    {
      volumes: [{ name: "files", configMap: { name: "settings" } }],
      containers: [{ name: "main", image: "a:1", envFrom: [{ secretRef: { name: "keys" } }] }],
    },
  );
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Pending: main ContainerCreating");
  expect(await it.events("p")).toContain(
    'Warning FailedMount: MountVolume.SetUp failed for volume "files" : configmap "settings" not found',
  );
  await it.client.create(ConfigMap, { metadata: { name: "settings", namespace } });
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Pending: main CreateContainerConfigError");
  expect(await it.events("p")).toContain('Warning Failed: Error: secret "keys" not found');
  await it.client.create(Secret, { metadata: { name: "keys", namespace } });
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Running: main running ready");
});

test("a pod that somebody else has ended is ended here too", async () => {
  it = await machine();
  await it.create("p");
  await it.pass(1_000);
  await it.client.status.patch(
    Pod,
    { name: "p", namespace },
    { merge: { status: { phase: "Failed", reason: "Shutdown" } } },
  );
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Failed: main Error 137");
  expect((await it.pod("p")).status?.reason).toBe("Shutdown");
});

test("Deployments become available and Jobs complete", async () => {
  it = await machine({ controllers });
  const labels = { app: "web" };
  const containers = [{ name: "main", image: "a:1" }];
  const template = { metadata: { labels }, spec: { containers } };
  await it.client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  });
  await it.client.create(Job, {
    metadata: { name: "once", namespace },
    spec: { completions: 2, template: { spec: { containers, restartPolicy: "Never" } } },
  });
  await it.pass(60_000);
  const { status } = await it.client.get(Deployment, "web", { namespace });
  expect(status).toMatchObject({ availableReplicas: 3 });
  const job = await it.client.get(Job, "once", { namespace });
  expect(job.status).toMatchObject({
    succeeded: 2,
    conditions: expect.arrayContaining([expect.objectContaining({ type: "Complete" })]),
  });
  expect(it.complaints).toEqual([]);
});

/** A runtime that does what a test says. */
function scripted(sync: (pod: Pod) => Promise<PodReport>) {
  const dropped: string[] = [];
  const kept = new Set<string>();
  let starts = 0;
  let wake: (pod: { namespace: string; name: string }) => void = () => {};
  const runtime: PodRuntime = {
    async start(around) {
      starts += 1;
      wake = around.wake;
    },
    sync,
    async drop(uid) {
      dropped.push(uid);
      kept.delete(uid);
    },
    kept: () => kept,
    async stop() {},
  };
  return { runtime, dropped, kept, starts: () => starts, wake: (name: string) => wake({ namespace, name }) };
}

describe("a runtime", () => {
  let here: Cluster;
  afterEach(() => here.end());
  const node: Node = { metadata: { name: "node-1" } };
  const bound = (name: string) =>
    here.client.create(Pod, {
      metadata: { name, namespace },
      spec: { nodeName: "node-1", containers: [{ name: "main", image: "a:1" }] },
    });
  const get = (name: string) => here.client.get(Pod, name, { namespace });
  const well = () => Promise.resolve(reported([report("main", running())]));

  async function begin(sync: (pod: Pod) => Promise<PodReport>) {
    const { runtime, ...rest } = scripted(sync);
    here = await cluster([kubelet({ runtime, nodes: ["node-1"] })]);
    await here.client.create(Node, node);
    return rest;
  }

  test("that throws gives the pod a reason and is tried again, and holds up nobody else", async () => {
    let isBroken = true;
    await begin((pod) => (pod.metadata?.name === "bad" && isBroken ? Promise.reject(new Error("no disk")) : well()));
    await bound("bad");
    await bound("good");
    await here.pass(10_000);
    expect((await get("good")).status?.phase).toBe("Running");
    const state = (await get("bad")).status?.containerStatuses?.[0]?.state;
    expect(state).toEqual({ waiting: { reason: "CreateContainerError", message: "no disk" } });
    isBroken = false;
    await here.pass(600_000);
    expect((await get("bad")).status?.phase).toBe("Running");
  });

  test("that throws later does not make a pod forget that it ran", async () => {
    let isBroken = false;
    const it = await begin(() => (isBroken ? Promise.reject(new Error("busy")) : well()));
    await bound("p");
    await here.pass(1_000);
    const before = (await get("p")).status;
    isBroken = true;
    it.wake("p");
    await here.pass(1_000);
    expect((await get("p")).status).toEqual(before);
  });

  test("that never answers holds up one pod only", async () => {
    const { promise: never, reject } = Promise.withResolvers<PodReport>();
    await begin((pod) => (pod.metadata?.name?.startsWith("bad") ? never : well()));
    for (let i = 0; i < 40; i += 1) await bound(`bad-${i}`);
    await bound("good");
    await here.pass(600_000);
    expect((await get("good")).status?.phase).toBe("Running");
    reject(new Error("the test is over"));
  });

  test("is heard when it has news, and is started once", async () => {
    let isReady = false;
    const it = await begin(() => Promise.resolve(reported([report("main", running(), { isReady })])));
    await bound("p");
    await here.pass(1_000);
    const ready = async () => (await get("p")).status?.containerStatuses?.[0]?.ready;
    expect(await ready()).toBe(false);
    isReady = true;
    await here.pass(60_000);
    expect(await ready()).toBe(false);
    it.wake("p");
    await here.pass(0);
    expect([await ready(), it.starts()]).toEqual([true, 1]);
  });

  test("is asked again when it said so", async () => {
    const times: number[] = [];
    await begin(() => {
      times.push(here.clock.now());
      const wakeAt = at(0);
      return Promise.resolve(reported([report("main", running())], times.length < 4 ? { wakeAt } : {}));
    });
    await bound("p");
    await here.pass(10_000);
    expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual([100, 100, 100]);
  });

  test("puts annotations on the pod, with the status", async () => {
    await begin(() =>
      Promise.resolve(reported([report("main", running())], { annotations: { "example.test/port": "8080" } })),
    );
    here.writes();
    await bound("p");
    await here.pass(1_000);
    expect((await get("p")).metadata?.annotations).toEqual({ "example.test/port": "8080" });
    expect(here.writes()).toHaveLength(1);
  });

  test("is told at once of a pod that vanished", async () => {
    const it = await begin(well);
    const { metadata } = await bound("p");
    await here.pass(1_000);
    await here.client.delete(Pod, { name: "p", namespace }, { ...background, gracePeriodSeconds: 0 });
    await here.pass(0);
    expect(it.dropped).toEqual([metadata?.uid]);
  });

  test("is told nothing of pods that have finished, which are left as they are", async () => {
    const asked: string[] = [];
    await begin((pod) => {
      asked.push(pod.metadata?.name ?? "");
      return well();
    });
    await here.client.create(Pod, {
      metadata: { name: "done", namespace },
      spec: { nodeName: "node-1", containers: [{ name: "main", image: "a:1" }], restartPolicy: "Never" },
    });
    await here.client.status.patch(Pod, { name: "done", namespace }, { merge: { status: { phase: "Succeeded" } } });
    asked.length = 0;
    await here.pass(1_000);
    await here.client.patch(Pod, { name: "done", namespace }, { merge: { metadata: { labels: { a: "b" } } } });
    await here.pass(1_000);
    expect(asked).toEqual([]);
  });
});
