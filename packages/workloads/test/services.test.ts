// Services on the embedded server: what becomes of their Endpoints and EndpointSlices, also under faults and with many pods.
import { EndpointSlice, Endpoints, Namespace, Pod, Service } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { endpointSlices } from "../src/service/endpoint-slices.ts";
import { endpoints } from "../src/service/endpoints.ts";
import { leftoverEndpoints } from "../src/service/leftovers.ts";
import { loadBalancers } from "../src/service/load-balancer.ts";
import { mirroredSlices } from "../src/service/mirror.ts";
import { type Cluster, cluster } from "./cluster.ts";

const all = () => [endpoints(), endpointSlices(), leftoverEndpoints(), loadBalancers(), mirroredSlices()];
const namespace = "default";
const here = { namespace };

let it: Cluster;
afterEach(() => it.end());

const made = (name: string, spec: Service["spec"]): Promise<Service> =>
  it.client.create(Service, { metadata: { name, namespace }, spec: { ports: [{ port: 80 }], ...spec } });
const web = (spec: Service["spec"] = {}) => made("web", { selector: { app: "web" }, ...spec });

async function pod(i: number, labels: Record<string, string> = { app: "web" }): Promise<Pod> {
  const name = `p${String(i).padStart(4, "0")}`;
  await it.client.create(Pod, {
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: "main", image: "example.test/app:1" }], nodeName: "node" },
  });
  return turn(name, true, `10.0.${Math.floor(i / 250)}.${i % 250}`);
}

const turn = (name: string, ready: boolean, podIP?: string): Promise<Pod> =>
  it.client.status.patch(
    Pod,
    { name, namespace },
    {
      strategic: {
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:00Z" }],
          ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
        },
      },
    },
  );

const slicesOf = async (name = "web") => {
  const page = await it.client.list(EndpointSlice, { ...here, labelSelector: `kubernetes.io/service-name=${name}` });
  return page.items;
};
const shown = async (name = "web") =>
  (await it.client.list(Endpoints, here)).items.find(({ metadata }) => metadata?.name === name);
const addresses = async () => (await shown())?.subsets?.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));

test("many pods are slices of a hundred, and one pod that turns is one write of one slice", async () => {
  it = await cluster([]);
  await web();
  for (let i = 0; i < 350; i += 1) await pod(i);
  await it.restart([endpointSlices()]);
  await it.pass(1000);
  const sizes = (await slicesOf()).map(({ endpoints: list }) => list.length);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([50, 100, 100, 100]);
  it.writes();
  await turn("p0117", false);
  await it.pass(1000);
  expect(it.writes()).toHaveLength(1);
  await it.client.delete(Pod, { name: "p0212", namespace }, { propagation: "Background", gracePeriodSeconds: 0 });
  await pod(400);
  await it.pass(1000);
  expect(it.writes().length).toBeLessThanOrEqual(2);
  const names = (await slicesOf()).flatMap(({ endpoints: list }) => list.map(({ targetRef }) => targetRef?.name));
  expect(names).toHaveLength(350);
  expect(new Set(names).size).toBe(350);
});

test("changes that come together are written together", async () => {
  it = await cluster([endpointSlices()]);
  await web();
  await it.pass(1000);
  it.writes();
  for (let i = 0; i < 10; i += 1) await pod(i);
  await it.pass(1000);
  expect((await slicesOf()).map(({ endpoints: list }) => list.length)).toEqual([10]);
  expect(it.writes().length).toBeLessThanOrEqual(2);
});

describe("Endpoints", () => {
  test("go with their Service; those that somebody made by hand stay", async () => {
    it = await cluster(all());
    await web();
    await made("ext", {});
    await it.client.create(Endpoints, { metadata: { name: "ext", namespace } });
    await it.pass();
    for (const name of ["web", "ext"])
      await it.client.delete(Service, { name, namespace }, { propagation: "Background" });
    await it.pass(1000);
    expect(await shown("web")).toBeUndefined();
    expect(await shown("ext")).toBeDefined();
    expect(await slicesOf()).toEqual([]);
  });

  test("of a Service that went while nobody looked go too", async () => {
    it = await cluster(all());
    await web();
    await it.pass();
    await it.restart([]);
    await it.client.delete(Service, { name: "web", namespace }, { propagation: "Background" });
    await it.pass(1000);
    expect(await shown()).toBeDefined();
    await it.restart(all());
    await it.pass(1000);
    expect(await shown()).toBeUndefined();
  });

  test("that somebody deletes or changes come back", async () => {
    it = await cluster(all());
    await web();
    await pod(1);
    await it.pass();
    await it.client.delete(Endpoints, { name: "web", namespace }, { propagation: "Background" });
    await it.pass(1000);
    expect(await addresses()).toEqual(["10.0.0.1"]);
    await it.client.patch(
      Endpoints,
      { name: "web", namespace },
      { merge: { subsets: [], metadata: { labels: { a: "b" } } } },
    );
    await it.pass(1000);
    expect(await addresses()).toEqual(["10.0.0.1"]);
    const [slice] = await slicesOf();
    await it.client.delete(
      EndpointSlice,
      { name: slice?.metadata?.name ?? "", namespace },
      { propagation: "Background" },
    );
    await it.pass(1000);
    expect((await slicesOf()).map(({ endpoints: list }) => list.length)).toEqual([1]);
  });
});

test("a Service with two families has slices of both, and loses those of one with it", async () => {
  it = await cluster([endpointSlices()]);
  await web({ clusterIP: "None", ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv4", "IPv6"] });
  await pod(1);
  await it.client.status.patch(
    Pod,
    { name: "p0001", namespace },
    { merge: { status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } } },
  );
  await it.pass(1000);
  const both = await slicesOf();
  expect(both.map(({ addressType, endpoints: [first] }) => [addressType, first?.addresses]).toSorted()).toEqual([
    ["IPv4", ["10.0.0.1"]],
    ["IPv6", ["fd00::1"]],
  ]);
  await it.client.patch(
    Service,
    { name: "web", namespace },
    { merge: { spec: { ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4"] } } },
  );
  await it.pass(1000);
  expect((await slicesOf()).map(({ addressType }) => addressType)).toEqual(["IPv4"]);
});

test("a pod whose labels change leaves one Service and joins the other", async () => {
  it = await cluster(all());
  await web();
  await made("api", { selector: { app: "api", tier: "x" } });
  await pod(1);
  await it.pass(1000);
  await it.client.patch(
    Pod,
    { name: "p0001", namespace },
    { merge: { metadata: { labels: { app: "api", tier: "x" } } } },
  );
  await it.pass(1000);
  expect((await slicesOf("web")).flatMap(({ endpoints: list }) => list ?? [])).toEqual([]);
  expect((await slicesOf("api")).flatMap(({ endpoints: list }) => list ?? [])).toHaveLength(1);
  expect((await shown("api"))?.subsets).toHaveLength(1);
});

test("a LoadBalancer gets its address, and loses it with its type", async () => {
  it = await cluster(all());
  await web({ type: "LoadBalancer" });
  await it.pass();
  const ingress = async () => (await it.client.get(Service, "web", here)).status?.loadBalancer?.ingress;
  expect(await ingress()).toEqual([{ ip: "127.0.0.1", ipMode: "VIP" }]);
  await it.client.patch(Service, { name: "web", namespace }, { merge: { spec: { type: "ClusterIP" } } });
  await it.pass();
  expect(await ingress()).toBeUndefined();
});

test("Endpoints by hand are seen as slices, follow, and go with the Service's first selector", async () => {
  it = await cluster(all());
  await made("ext", {});
  const subsets = (ip: string) => [{ addresses: [{ ip }], ports: [{ port: 80 }] }];
  await it.client.create(Endpoints, { metadata: { name: "ext", namespace }, subsets: subsets("192.0.2.1") });
  await it.pass();
  await it.client.patch(Endpoints, { name: "ext", namespace }, { merge: { subsets: subsets("192.0.2.9") } });
  await it.pass();
  const [slice, ...more] = await slicesOf("ext");
  expect(more).toEqual([]);
  expect(slice?.endpoints.map((endpoint) => endpoint.addresses)).toEqual([["192.0.2.9"]]);
  expect(slice?.metadata?.generation).toBe(2);
  await it.client.patch(Service, { name: "ext", namespace }, { merge: { spec: { selector: { app: "web" } } } });
  await it.pass(1000);
  const managers = (await slicesOf("ext")).map(
    ({ metadata }) => metadata?.labels?.["endpointslice.kubernetes.io/managed-by"],
  );
  expect(managers).toEqual(["endpointslice-controller.k8s.io"]);
});

describe("in trouble", () => {
  test("lost answers and refusals end in the same slices, each endpoint once", async () => {
    it = await cluster(all());
    const writing = { verbs: ["create", "patch", "delete"], probability: 0.4 };
    it.server.faults.add({
      match: { ...writing, resource: "endpointslices" },
      effect: { status: 500, commit: true },
    });
    it.server.faults.add({ match: { ...writing, resource: "endpoints" }, effect: { status: 503 } });
    await web();
    for (let i = 0; i < 20; i += 1) {
      await pod(i);
      if (i % 3 === 0) await turn(`p${String(i).padStart(4, "0")}`, false);
      await it.pass(50);
    }
    await it.pass(600_000);
    it.server.faults.clear();
    await it.pass(600_000);
    const listed = (await slicesOf()).flatMap(({ endpoints: list }) => list ?? []);
    expect(listed.map(({ targetRef }) => targetRef?.name).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, i) => `p${String(i).padStart(4, "0")}`),
    );
    expect(listed.filter(({ conditions }) => conditions?.ready === false)).toHaveLength(7);
    expect((await addresses())?.length).toBe(13);
  });

  test("nothing is made in a namespace that goes away, and nobody complains", async () => {
    it = await cluster(all());
    await it.client.create(Namespace, { metadata: { name: "ending" } });
    await it.client.create(Service, {
      metadata: { name: "web", namespace: "ending" },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
    });
    await it.pass();
    const match = { resource: "services", namespace: "ending", verbs: ["delete", "deletecollection"] };
    it.server.faults.add({ match, effect: { status: 503 } });
    await it.client.delete(Namespace, { name: "ending" }, { propagation: "Background" });
    await it.pass(10_000);
    expect((await it.client.list(Service, { namespace: "ending" })).items).toHaveLength(1);
    expect((await it.client.list(Endpoints, { namespace: "ending" })).items).toEqual([]);
    expect((await it.client.list(EndpointSlice, { namespace: "ending" })).items).toEqual([]);
    expect(it.complaints).toEqual([]);
  });
});

test("once settled, nothing is written and nobody wakes", async () => {
  it = await cluster(all());
  await web({ type: "LoadBalancer" });
  await made("ext", {});
  await it.client.create(Endpoints, {
    metadata: { name: "ext", namespace },
    subsets: [{ addresses: [{ ip: "192.0.2.1" }] }],
  });
  await pod(1);
  await it.pass(1000);
  it.writes();
  it.passes();
  await it.pass(3_600_000);
  expect(it.writes()).toEqual([]);
  expect(it.passes()).toBe(0);
  await it.restart(all());
  await it.pass(1000);
  expect(it.writes()).toEqual([]);
});
