// Nodes on the embedded server: registered, heard of, lost and back; and what becomes of their pods.
import { formatTime } from "@telltale/kinds";
import { CoreEvent, Lease, Node, Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { nodeAgent } from "../src/node/agent.ts";
import { podGarbage } from "../src/node/garbage.ts";
import { cluster } from "./cluster.ts";
import { type Machine, machine } from "./machine.ts";

const namespace = "default";
const background = { propagation: "Background" } as const;
let it: Machine;
afterEach(() => it?.end());

const node = (name = "embedded-node") => it.client.get(Node, name);
const ready = async (name?: string) => {
  const found = (await node(name)).status?.conditions?.find(({ type }) => type === "Ready");
  return `${found?.status} ${found?.reason} ${found?.message}`;
};
const taints = async (name?: string) =>
  ((await node(name)).spec?.taints ?? []).map(({ key, effect }) => `${key} ${effect}`).toSorted();
const offline = async (value: string | null, name = "embedded-node") => {
  const annotations = { "sim.telltale.dev/offline": value };
  await it.client.patch(Node, { name }, { merge: { metadata: { annotations } } });
};
const lease = (name = "embedded-node") => it.client.get(Lease, name, { namespace: "kube-node-lease" });

describe("a node", () => {
  test("is registered once, ready and without taints, with a Lease that is renewed every ten seconds", async () => {
    it = await machine();
    expect(await ready()).toBe("True KubeletReady kubelet is posting ready status");
    expect(await taints()).toEqual([]);
    const { metadata, spec } = await lease();
    expect(metadata?.ownerReferences).toEqual([
      { apiVersion: "v1", kind: "Node", name: "embedded-node", uid: (await node()).metadata?.uid },
    ]);
    expect(spec).toMatchObject({ holderIdentity: "embedded-node", leaseDurationSeconds: 40 });
    it.writes();
    await it.pass(100_000);
    expect(it.writes()).toEqual(
      Array(10).fill("PATCH /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/embedded-node"),
    );
    await it.pass(210_000);
    expect(it.writes().filter((line) => line.endsWith("/status"))).toHaveLength(1);
    expect(it.complaints).toEqual([]);
  });

  test("is told of", async () => {
    it = await machine();
    const { items } = await it.client.list(CoreEvent, {});
    expect(items.map(({ reason, message, reportingComponent }) => [reason, message, reportingComponent])).toEqual([
      ["RegisteredNode", "Node embedded-node event: Registered Node embedded-node in Controller", "node-controller"],
    ]);
  });

  test("may be one of several, each with an address of its own, which it keeps", async () => {
    const nodes = [{ name: "a" }, { name: "b", labels: { zone: "z" }, taints: [{ key: "gpu", effect: "NoSchedule" }] }];
    it = await machine({ nodes });
    const addresses = async () =>
      (await it.client.list(Node, {})).items.map(({ status }) => status?.addresses?.[0]?.address);
    expect(await addresses()).toEqual(["10.0.1.1", "10.0.1.2"]);
    expect(await taints("b")).toEqual(["gpu NoSchedule"]);
    await it.renew();
    await it.pass(20_000);
    expect(await addresses()).toEqual(["10.0.1.1", "10.0.1.2"]);
  });

  test("that was there before us is made one of ours, and keeps what others gave it", async () => {
    const here = await cluster([], {
      objects: [
        {
          apiVersion: "v1",
          kind: "Node",
          metadata: { name: "embedded-node", labels: { mine: "yes" } },
          status: { conditions: [{ type: "Other", status: "True" }] },
        },
      ],
    });
    await here.restart([nodeAgent({ nodes: [{ name: "embedded-node" }] })]);
    await here.pass(1_000);
    const { metadata, status } = await here.client.get(Node, "embedded-node");
    expect(metadata?.labels).toMatchObject({ mine: "yes", "kubernetes.io/hostname": "embedded-node" });
    expect(status?.conditions?.map(({ type }) => type)).toContain("Other");
    expect(status?.conditions?.at(-1)).toMatchObject({ type: "Ready", status: "True" });
    expect(status?.allocatable).toMatchObject({ cpu: "8" });
    await here.end();
  });

  test("that somebody deletes stays away until the process begins anew", async () => {
    it = await machine();
    await it.client.delete(Node, { name: "embedded-node" }, background);
    await it.pass(60_000);
    await expect(node()).rejects.toThrow("not found");
    await it.renew();
    await it.pass(1_000);
    expect(await ready()).toBe("True KubeletReady kubelet is posting ready status");
  });

  test("whose Lease somebody deletes makes another at once", async () => {
    it = await machine();
    await it.client.delete(Lease, { name: "embedded-node", namespace: "kube-node-lease" }, background);
    await it.pass(100);
    expect((await lease()).spec?.holderIdentity).toBe("embedded-node");
  });

  test("that takes no more pods is tainted, and untainted", async () => {
    it = await machine();
    await it.client.patch(Node, { name: "embedded-node" }, { merge: { spec: { unschedulable: true } } });
    await it.pass(1_000);
    expect(await taints()).toEqual(["node.kubernetes.io/unschedulable NoSchedule"]);
    await it.client.patch(Node, { name: "embedded-node" }, { merge: { spec: { unschedulable: null } } });
    await it.pass(1_000);
    expect(await taints()).toEqual([]);
  });
});

describe("a node that is not heard of", () => {
  const lostTaints = ["node.kubernetes.io/unreachable NoExecute", "node.kubernetes.io/unreachable NoSchedule"];

  test("is lost after 40 seconds, with its pods; and as before when it is back", async () => {
    it = await machine();
    await it.create("p");
    await it.pass(1_000);
    await offline("true");
    await it.pass(37_000);
    expect(await ready()).toMatch(/^True/);
    await it.pass(2_000);
    expect(await ready()).toBe("Unknown NodeStatusUnknown Kubelet stopped posting node status.");
    expect(await taints()).toEqual(lostTaints);
    expect(await it.condition("p", "Ready")).toBe("False");
    expect(await it.condition("p", "ContainersReady")).toBe("True");
    expect(await it.events("p")).toContain("Warning NodeNotReady: Node is not ready");
    expect(await it.events("embedded-node")).toContain(
      "Normal NodeNotReady: Node embedded-node status is now: NodeNotReady",
    );
    it.writes();
    await it.pass(60_000);
    expect(it.writes()).toEqual([]);
    await offline(null);
    await it.pass(1_000);
    expect(await ready()).toMatch(/^True KubeletReady/);
    expect(await taints()).toEqual([]);
    expect(await it.condition("p", "Ready")).toBe("True");
  });

  test("marks its pods once: whoever says otherwise later knows better", async () => {
    it = await machine();
    await it.create("p");
    await it.pass(1_000);
    await offline("true");
    await it.pass(60_000);
    expect(await it.condition("p", "Ready")).toBe("False");
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: formatTime(it.clock.now()) }];
    await it.client.status.patch(Pod, { name: "p", namespace }, { strategic: { status: { conditions } } });
    await it.client.patch(Node, { name: "embedded-node" }, { merge: { metadata: { labels: { a: "b" } } } });
    await it.pass(1_000);
    expect(await it.condition("p", "Ready")).toBe("True");
  });

  test("does nothing for its pods: who is deleted there stays", async () => {
    it = await machine();
    await it.create("p");
    await it.pass(1_000);
    await offline("true");
    await it.client.delete(Pod, { name: "p", namespace }, background);
    await it.pass(60_000);
    expect(await it.view("p")).toBe("Running (leaving): main running ready");
    await offline(null);
    await it.pass(1_000);
    await expect(it.pod("p")).rejects.toThrow("not found");
  });

  test("loses its pods after the time that they tolerate it", async () => {
    it = await machine();
    await it.create("usual");
    await it.create(
      "hasty",
      {},
      {
        tolerations: [
          { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 },
          { operator: "Exists", effect: "NoSchedule" },
        ],
      },
    );
    await it.create("patient", {}, { tolerations: [{ operator: "Exists" }] });
    await it.pass(1_000);
    await offline("true");
    await it.pass(45_000);
    expect(await ready()).toMatch(/^Unknown/);
    const leaving = async (name: string) => (await it.pod(name)).metadata?.deletionTimestamp !== undefined;
    const all = async () => [await leaving("usual"), await leaving("hasty"), await leaving("patient")];
    expect(await all()).toEqual([false, false, false]);
    await it.pass(35_000);
    expect(await all()).toEqual([false, true, false]);
    await it.pass(300_000);
    expect(await all()).toEqual([true, true, false]);
    expect(await it.condition("usual", "DisruptionTarget")).toBe(
      "True DeletionByTaintManager Taint manager: deleting due to NoExecute taint",
    );
    expect(await it.events("usual")).toContain("Normal TaintManagerEviction: Marking for deletion Pod default/usual");
  });

  test("that is back in time keeps its pods", async () => {
    it = await machine();
    await it.create("p");
    await it.pass(1_000);
    await offline("true");
    await it.pass(200_000);
    await offline(null);
    await it.pass(600_000);
    expect(await it.view("p")).toBe("Running: main running ready");
  });

  test("has its full time again after a restart of whoever listens", async () => {
    it = await machine();
    await offline("true");
    await it.pass(30_000);
    await it.renew();
    await it.pass(30_000);
    expect(await ready()).toMatch(/^True/);
    await it.pass(15_000);
    expect(await ready()).toMatch(/^Unknown/);
  });

  test("and never was, because it has no Lease, is left as it is", async () => {
    it = await machine();
    await it.client.create(Node, { metadata: { name: "bare" } });
    await it.pass(600_000);
    expect((await node("bare")).status?.conditions).toBeUndefined();
  });
});

describe("pods that nobody will end", () => {
  test("are those of a node that is gone: they fail, and go", async () => {
    it = await machine({ nodes: [{ name: "a" }, { name: "b" }] });
    await it.create("p", {}, { nodeName: "a" });
    await it.create("q", {}, { nodeName: "b" });
    await it.pass(1_000);
    const seen: string[] = [];
    it.server.store.subscribe("/", it.server.store.revision, ({ type, record }) => {
      const { kind, metadata, status } = record.object() as unknown as Pod;
      const found = status?.conditions?.find((condition) => condition.type === "DisruptionTarget");
      if (kind === "Pod" && metadata?.name === "p")
        seen.push(`${type} ${status?.phase} ${found?.reason} ${found?.message}`);
    });
    await offline("true", "a");
    await it.client.delete(Node, { name: "a" }, background);
    await it.pass(35_000);
    expect(await it.view("p")).toBe("Running: main running ready");
    await it.pass(30_000);
    await expect(it.pod("p")).rejects.toThrow("not found");
    expect(await it.view("q")).toBe("Running: main running ready");
    expect(seen).toContain("MODIFIED Failed DeletionByPodGC PodGC: node no longer exists");
  });

  test("are not those of a node that is back in time", async () => {
    it = await machine();
    await it.create("p", {}, { nodeName: "later" });
    await it.pass(30_000);
    await it.client.create(Node, { metadata: { name: "later" } });
    await it.pass(120_000);
    expect(await it.view("p")).toBe("Pending: ");
  });

  test("are finished ones beyond a number, the evicted and the oldest first", async () => {
    const here = await cluster([podGarbage({ threshold: 2 })]);
    const made = async (name: string, status: object) => {
      await here.client.create(Pod, {
        metadata: { name, namespace },
        spec: { containers: [{ name: "main", image: "a:1" }] },
      });
      await here.client.status.patch(Pod, { name, namespace }, { merge: { status } });
      await here.pass(1_000);
    };
    await made("old", { phase: "Succeeded" });
    await made("running", { phase: "Running" });
    await made("middle", { phase: "Failed" });
    await made("new", { phase: "Succeeded" });
    await made("evicted", { phase: "Failed", reason: "Evicted" });
    await here.pass(30_000);
    const { items } = await here.client.list(Pod, { namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["middle", "new", "running"]);
    await here.end();
  });
});

test("what the runtime keeps of pods that the server does not know is dropped", async () => {
  const dropped: string[] = [];
  const kept = new Set(["ghost"]);
  const runtime = {
    kept: () => kept,
    async drop(uid: string) {
      dropped.push(uid);
      kept.delete(uid);
    },
  };
  const here = await cluster([nodeAgent({ nodes: [{ name: "a" }], runtime })]);
  const pod = await here.client.create(Pod, {
    metadata: { name: "p", namespace },
    spec: { containers: [{ name: "main", image: "a:1" }] },
  });
  kept.add(pod.metadata?.uid ?? "");
  await here.pass(30_000);
  expect(dropped).toEqual(["ghost"]);
  await here.end();
});
