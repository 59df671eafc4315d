import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, isForbidden, type Request } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { conditions, defineKind, Fields, Int32, positive, toCrd, yes } from "@telltale/kinds";
import { ConfigMap, CustomResourceDefinition, Pod, ResourceQuota, Service } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { plan, resourceQuotas } from "./quota.ts";

const namespace = "default";
let clock: VirtualClock;
let server: ApiServer;
let client: Client;
let sent: Request[];
let stop: () => Promise<void>;
/** Somebody who is faster than the controller's next write, once. */
let rival: (() => Promise<void>) | undefined;

beforeEach(async () => {
  clock = new VirtualClock();
  server = await startApiServer({ listen: false, clock, random: seededRandom(1), authorization: "always-allow" });
  client = createClient({ transport: inProcessTransport(server.client), clock, random: seededRandom(2) });
  sent = [];
  stop = start();
});
afterEach(async () => {
  await stop();
  await server.stop();
});

function start(): () => Promise<void> {
  const inner = inProcessTransport(server.client);
  const transport = {
    ...inner,
    async send(request: Request) {
      sent.push(request);
      const faster = request.method === "GET" ? undefined : rival;
      if (faster !== undefined) rival = undefined;
      await faster?.();
      return inner.send(request);
    },
  };
  const ending = new AbortController();
  const running = manager({
    name: "tester",
    transport,
    controllers: [resourceQuotas()],
    clock,
    random: seededRandom(3),
    events: "none",
    strict: true,
  }).run(ending.signal);
  return async () => {
    ending.abort();
    await clock.settle(1_000);
    await running;
  };
}

const quota = (hard: Record<string, string>, more: object = {}): ResourceQuota => ({
  metadata: { name: "q", namespace },
  spec: { hard, ...more },
});
const pod = (name: string, cpu?: string): Pod => ({
  metadata: { name, namespace },
  spec: {
    containers: [
      { name: "main", image: "example.test/app:1", ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }) },
    ],
  },
});
const status = async () => (await client.get(ResourceQuota, "q", { namespace })).status;
const writes = () => sent.filter(({ method }) => method !== "GET").length;
const json = (op: "replace" | "remove", path: string, value?: unknown) => ({
  json: [{ op, path, ...(value === undefined ? {} : { value }) }] as never,
});

describe("a new quota", () => {
  test("is told what it limits and what there is of it, in one write", async () => {
    await client.create(ConfigMap, { metadata: { name: "a", namespace } });
    await client.create(Pod, pod("p"));
    await client.create(ResourceQuota, quota({ pods: "5", "count/configmaps": "10", "services.nodeports": "2" }));
    await clock.settle(1_000);
    expect(await status()).toEqual({
      hard: { "count/configmaps": "10", pods: "5", "services.nodeports": "2" },
      used: { "count/configmaps": "1", pods: "1", "services.nodeports": "0" },
    });
    expect(writes()).toBe(1);
  });

  test("is in force from then on", async () => {
    await client.create(ResourceQuota, quota({ pods: "1" }));
    await clock.settle(1_000);
    await client.create(Pod, pod("a"));
    await expect(client.create(Pod, pod("b"))).rejects.toSatisfy(isForbidden);
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ pods: "1" });
    expect(writes()).toBe(1); // what the server has charged is not written again
  });

  test("counts objects of custom kinds, and leaves open what the server does not know", async () => {
    const Widget = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Widget",
      spec: Fields({ size: Int32({ default: 1 }) }),
      status: Fields({}),
      conditions: conditions({ Ready: positive({ means: "It is there", reasons: { There: yes("It is") } }) }),
    });
    await client.create(CustomResourceDefinition, toCrd(Widget));
    const { apiVersion, kind } = Widget;
    for (const name of ["a", "b"])
      await client.create(Widget, { apiVersion, kind, metadata: { name, namespace }, spec: { size: 1 } });
    await client.create(ResourceQuota, quota({ "count/widgets.example.com": "5", "count/gadgets.example.com": "5" }));
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ "count/widgets.example.com": "2" });
  });
});

describe("what is used", () => {
  test("follows pods that go, and those that end", async () => {
    await client.create(ResourceQuota, quota({ pods: "5", "count/pods": "5", "requests.cpu": "2" }));
    await clock.settle(1_000);
    for (const name of ["a", "b", "c"]) await client.create(Pod, pod(name, "500m"));
    expect((await status())?.used).toEqual({ "count/pods": "3", pods: "3", "requests.cpu": "1500m" });
    await client.delete(Pod, { name: "a", namespace }, { propagation: "Background" });
    await client.status.patch(Pod, { name: "b", namespace }, json("replace", "/status/phase", "Succeeded"));
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ "count/pods": "2", pods: "1", "requests.cpu": "500m" });
  });

  test("follows a Service that gives up its ports on nodes", async () => {
    await client.create(ResourceQuota, quota({ "services.nodeports": "2" }));
    await clock.settle(1_000);
    const spec = { type: "NodePort", ports: [{ port: 80 }] };
    await client.create(Service, { metadata: { name: "s", namespace }, spec });
    expect((await status())?.used).toEqual({ "services.nodeports": "1" });
    await client.patch(Service, { name: "s", namespace }, json("replace", "/spec/type", "ClusterIP"));
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ "services.nodeports": "0" });
  });

  test("lets a pod go that its node never lets go", async () => {
    await client.create(ResourceQuota, quota({ pods: "5" }));
    await client.create(Pod, { ...pod("a"), spec: { ...pod("a").spec, nodeName: "n" } as never });
    await clock.settle(1_000);
    await client.delete(Pod, { name: "a", namespace }, { propagation: "Background", gracePeriodSeconds: 30 });
    await clock.settle(50_000);
    expect((await status())?.used).toEqual({ pods: "1" });
    await clock.settle(15_000);
    expect((await status())?.used).toEqual({ pods: "0" });
  });

  test("is only what is in the scope", async () => {
    await client.create(Pod, pod("plain"));
    await client.create(Pod, pod("strong", "1"));
    await client.create(ResourceQuota, quota({ pods: "5" }, { scopes: ["BestEffort"] }));
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ pods: "1" });
  });

  test("follows the names in the spec", async () => {
    await client.create(ResourceQuota, quota({ pods: "5", services: "5" }));
    await clock.settle(1_000);
    await client.patch(ResourceQuota, { name: "q", namespace }, json("replace", "/spec/hard", { pods: "3" }));
    await clock.settle(1_000);
    expect(await status()).toEqual({ hard: { pods: "3" }, used: { pods: "0" } });
  });

  test("is put right after somebody has written nonsense", async () => {
    await client.create(ResourceQuota, quota({ pods: "5" }));
    await clock.settle(1_000);
    await client.status.patch(ResourceQuota, { name: "q", namespace }, json("replace", "/status/used", { pods: "4" }));
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ pods: "0" });
  });

  test("is counted anew by a controller that was away", async () => {
    await client.create(ResourceQuota, quota({ pods: "5" }));
    await client.create(Pod, pod("a"));
    await clock.settle(1_000);
    await stop();
    await client.delete(Pod, { name: "a", namespace }, { propagation: "Background" });
    stop = start();
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ pods: "0" });
  });

  test("is never taken down by a count from before the last charge", async () => {
    await client.create(ResourceQuota, quota({ pods: "5" }));
    await clock.settle(1_000);
    await client.create(Pod, pod("first"));
    await client.delete(Pod, { name: "first", namespace }, { propagation: "Background" });
    rival = async () => void (await client.create(Pod, pod("second"))); // between the count and its write
    await clock.settle(1_000);
    expect((await status())?.used).toEqual({ pods: "1" });
    const told = server.store.events(1).filter(({ key }) => key === "//resourcequotas/default/q");
    expect(told.map(({ record }) => (record.object() as ResourceQuota).status?.used?.["pods"])).toEqual(
      [undefined, "0", "1", "2", "1"], // both charged, and one given back
    );
  });
});

test("a burst is counted some times, not once for each object", async () => {
  await client.create(ResourceQuota, quota({ configmaps: "1000" }));
  await clock.settle(1_000);
  const names = Array.from({ length: 200 }, (_, i) => `m-${i}`);
  for (const name of names) await client.create(ConfigMap, { metadata: { name, namespace } });
  await clock.settle(1_000);
  sent.length = 0;
  for (const name of names) await client.delete(ConfigMap, { name, namespace }, { propagation: "Background" });
  await clock.settle(1_000);
  expect((await status())?.used).toEqual({ configmaps: "0" });
  expect(sent.length).toBeLessThan(20);
});

test("nothing is due where the status says it in other words", () => {
  const told = { hard: { "requests.memory": "1024Mi" }, used: { "requests.memory": "0" } };
  const it: ResourceQuota = { spec: { hard: { "requests.memory": "1Gi" } }, status: told };
  expect(plan({ quota: it, used: new Map([["requests.memory", { nano: 0n, format: "BinarySI" }]]) })).toBeUndefined();
  expect(plan({ quota: { spec: {} }, used: new Map() })).toBeUndefined();
});
