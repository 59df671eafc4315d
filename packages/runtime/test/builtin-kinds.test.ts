// Controllers of kinds that bring no vocabulary: what workload controllers are made of.
import { CoreEvent, Node, Pod, ReplicaSet, ServiceAccount } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { controller } from "../src/index.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let here: EmbeddedWorld | undefined;
afterEach(async () => here?.end());

async function fresh(): Promise<EmbeddedWorld> {
  here = await world();
  return here;
}

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.test/app:1" }] } };
const set = (replicas: number): ReplicaSet => ({
  metadata: { name: "web", namespace: "default" },
  spec: { replicas, selector: { matchLabels: labels }, template },
});

const counting = controller(ReplicaSet)
  .owns(Pod)
  .untilGone()
  .reconcile({
    observe: (it, look) => ({ it, pods: look.children(Pod) }),
    plan: ({ it, pods }) => (it.metadata?.deletionTimestamp === undefined ? (it.spec?.replicas ?? 1) - pods.length : 0),
    async act(missing, hands) {
      for (let i = 0; i < missing; i += 1) {
        await hands.create(Pod, { ...template, metadata: { ...template.metadata, generateName: "web-" } });
      }
    },
    status: ({ pods }) => ({ status: { replicas: pods.length }, annotations: { counted: String(pods.length) } }),
  });

test("children that are counted are made once each, with their owner", async () => {
  const it = await fresh();
  await it.start([counting]);
  await it.client.create(ReplicaSet, set(3));
  await it.pass(10);
  const { items } = await it.client.list(Pod, { namespace: "default" });
  expect(items.map(({ metadata }) => metadata?.name?.slice(0, 4))).toEqual(["web-", "web-", "web-"]);
  expect(items[0]?.metadata?.ownerReferences).toMatchObject([{ kind: "ReplicaSet", name: "web", controller: true }]);
});

test("an annotation that belongs to a status is written with it, in one request, and asks for no pass", async () => {
  const it = await fresh();
  await it.start([counting]);
  await it.client.create(ReplicaSet, set(1));
  await it.pass(10);
  const found = await it.client.get(ReplicaSet, "web", { namespace: "default" });
  expect([found.metadata?.annotations, found.status?.replicas]).toEqual([{ counted: "1" }, 1]);
  expect(it.writes().filter((line) => line.includes("/status"))).toHaveLength(1);
  expect(it.samples.filter(({ is }) => is === "pass").length).toBeLessThanOrEqual(2);
});

test("an object that others hold is told of until it is gone", async () => {
  const it = await fresh();
  await it.start([counting]);
  await it.client.create(ReplicaSet, {
    ...set(2),
    metadata: { ...set(2).metadata, finalizers: ["example.test/hold"] },
  });
  await it.pass(10);
  await it.client.delete(ReplicaSet, { name: "web", namespace: "default" }, { propagation: "Background" });
  const [pod] = (await it.client.list(Pod, { namespace: "default" })).items;
  const name = pod?.metadata?.name ?? "";
  await it.client.delete(Pod, { name, namespace: "default" }, { propagation: "Background", gracePeriodSeconds: 0 });
  await it.pass(10);
  const found = await it.client.get(ReplicaSet, "web", { namespace: "default" });
  expect(found.status?.replicas).toBe(1);
});

test("what asks for passes from outside is heard while work goes on, and no longer", async () => {
  const it = await fresh();
  let wake = (): void => {};
  let passes = 0;
  const heard = controller(ReplicaSet, "hearing")
    .hears((call) => {
      wake = () => call({ namespace: "default", name: "web" });
      return () => {
        wake = () => {};
      };
    })
    .reconcile({
      observe: () => {
        passes += 1;
      },
      status: () => ({ status: undefined }),
    });
  const running = await it.start([heard]);
  await it.client.create(ReplicaSet, set(0));
  await it.pass(10);
  const before = passes;
  wake();
  await it.pass(10);
  expect(passes).toBe(before + 1);
  await running.stop();
  wake();
  await it.pass(10);
  expect(passes).toBe(before + 1);
});

test("a subresource is asked only by whoever declares it", async () => {
  const it = await fresh();
  await it.client.create(Node, { metadata: { name: "node-1" } });
  const body = { target: { kind: "Node", name: "node-1" } };
  const binding = (declared: boolean) => {
    const begun = controller(Pod, declared ? "binder" : "bold");
    return (declared ? begun.writes(Pod, "create binding") : begun).reconcile({
      observe: (pod) => pod,
      async act(_, hands, pod) {
        if (pod.spec?.nodeName === undefined)
          await hands.post(Pod, pod, "binding", { metadata: pod.metadata, ...body });
      },
      status: () => ({ status: undefined }),
    });
  };
  const bold = await it.start([binding(false)]);
  await it.client.create(Pod, { ...template, metadata: { name: "p", namespace: "default" } });
  await it.pass(10);
  expect(JSON.stringify(it.lines.map(({ fields }) => String(fields["err"])))).toContain("create binding");
  await bold.stop();
  await it.start([binding(true)]);
  await it.pass(10);
  expect((await it.client.get(Pod, "p", { namespace: "default" })).spec?.nodeName).toBe("node-1");
});

test("a kind that no declaration names is found and listed on the server itself", async () => {
  const it = await fresh();
  const found: string[] = [];
  const looking = controller(ReplicaSet, "looking").reconcile({
    async observe(_, { server }) {
      const kind = (await server.discover()).find({ group: "", name: "serviceaccounts" });
      if (kind === undefined) return;
      const page = await server.list(kind, { namespace: "default", limit: 1 });
      found.push(`${page.items.length} and ${page.remaining} more`);
      for await (const account of server.all(kind, { namespace: "default" })) found.push(account.metadata?.name ?? "");
    },
    status: () => ({ status: undefined }),
  });
  for (const name of ["a", "b"]) await it.client.create(ServiceAccount, { metadata: { name, namespace: "default" } });
  await it.start([looking]);
  await it.client.create(ReplicaSet, set(0));
  await it.pass(10);
  const { items } = await it.client.list(ServiceAccount, { namespace: "default" });
  expect(found.slice(0, 1 + items.length)).toEqual([
    `1 and ${items.length - 1} more`,
    ...items.map(({ metadata }) => metadata?.name),
  ]);
});

test("an event may be about another object than that of the pass", async () => {
  const it = await fresh();
  const telling = controller(ReplicaSet, "telling")
    .reads(Pod)
    .reconcile({
      observe: (_, look) => look.list(Pod, { namespace: "default" }),
      act: async (_none, hands, pods) => {
        for (const object of pods) hands.event("Warning", "NodeNotReady", "Node is not ready", { kind: Pod, object });
      },
      status: () => ({ status: undefined }),
    });
  const pod = await it.client.create(Pod, { metadata: { name: "p", namespace: "default" }, spec: template.spec });
  await it.start([telling], { events: "v1" });
  await it.client.create(ReplicaSet, set(0));
  await it.pass(10);
  const { items } = await it.client.list(CoreEvent, { namespace: "default" });
  expect(items).toHaveLength(1);
  const involvedObject = { kind: "Pod", name: "p", uid: pod.metadata?.uid };
  expect(items[0]).toMatchObject({ reason: "NodeNotReady", reportingComponent: "telling", involvedObject });
});

test("a deletion that is refused with a conflict about something else is tried again", async () => {
  const it = await fresh();
  const removing = controller(ReplicaSet, "removing")
    .reads(Pod)
    .writes(Pod, "delete")
    .reconcile({
      observe: (_, look) => look.list(Pod, { namespace: "default" }),
      act: async (_none, hands, pods) => {
        for (const pod of pods) await hands.remove(Pod, pod, "Background");
      },
      status: () => ({ status: undefined }),
    });
  await it.client.create(Pod, { metadata: { name: "p", namespace: "default" }, spec: template.spec });
  it.server.faults.add({ match: { verbs: ["delete"] }, times: 2, effect: { status: 409 } });
  await it.start([removing]);
  await it.client.create(ReplicaSet, set(0));
  await it.pass(10_000);
  expect((await it.client.list(Pod, { namespace: "default" })).items).toEqual([]);
});
