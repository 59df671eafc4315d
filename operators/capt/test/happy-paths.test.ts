// Section 16, happy paths: from nothing to a cluster.
import { afterEach, expect, test } from "vitest";
import {
  CAPTCluster,
  CAPTControlPlane,
  type ClusterV1beta2,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { type Demo, type DemoOptions, demo, planeModule, template, timeless, vpcModule } from "./demo.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

const toClusters = ({ path }: { path: string }) => /\/clusters\//.test(path);

test("AS-01 with Cluster API there: the network, then the control plane, and no write to a Cluster", async () => {
  const it = await fresh({ runner: "simulated" });
  await it.all();
  await it.pass(30_000);
  const network = await it.the.network();
  expect(network.status).toMatchObject({ ready: true, initialization: { provisioned: true } });
  expect(network.status?.vpcId).toMatch(/^vpc-/);
  const plane = await it.the.plane();
  expect(plane.status).toMatchObject({ phase: "Ready", ready: true, initialized: true });
  expect(plane.spec.controlPlaneEndpoint).toEqual(plane.status?.controlPlaneEndpoint);
  const secret = await it.the.secret("demo-kubeconfig");
  expect(secret).toMatchObject({
    type: "cluster.x-k8s.io/secret",
    metadata: { labels: { "cluster.x-k8s.io/cluster-name": "demo" } },
  });
  expect(Object.keys(secret?.data ?? {})).toEqual(["value"]);
  const written = it.writes();
  expect(written.filter(toClusters)).toEqual([]);
  const first = (part: string) => written.findIndex(({ path }) => path.includes(part));
  const order = [
    "demo-net-vpc",
    "workspaces/demo-net-vpc",
    "demo-cp-eks-controlplane-apply",
    "secrets/demo-kubeconfig",
  ];
  expect(order.map(first)).toEqual(order.map(first).sort((a, b) => a - b));
  expect(order.map(first)).not.toContain(-1);
  expect(it.complaints).toEqual([]);
});

test.each(["v1beta1", "v1beta2"] as const)(
  "AS-02 alone: the bridge takes Cluster API's place, with Clusters of %s",
  async (version) => {
    const it = await fresh({ runner: "simulated", version, config: { clusterApiMode: "standalone" } });
    await it.templates();
    await it.cluster();
    const begun = (await it.the.cluster()).status?.phase;
    await it.network();
    await it.plane();
    await it.pass(60_000);
    const { metadata } = await it.the.network();
    expect(metadata.ownerReferences).toEqual([expect.objectContaining({ kind: "Cluster", name: "demo" })]);
    expect(metadata.ownerReferences?.[0]).not.toHaveProperty("controller");
    const cluster = await it.the.cluster();
    const plane = await it.the.plane();
    expect([begun, cluster.status?.phase]).toEqual(["Provisioning", "Provisioned"]);
    expect(cluster.spec.controlPlaneEndpoint).toEqual(plane.spec.controlPlaneEndpoint);
    expect(cluster.status).toMatchObject(
      version === "v1beta1"
        ? { infrastructureReady: true, controlPlaneReady: true }
        : { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } },
    );
    expect(it.complaints).toEqual([]);
  },
);

test("AS-03 kubectl shows the two tables of the seed", async () => {
  const it = await fresh();
  await it.templates();
  const endpoint = { controlPlaneEndpoint: { host: "10.0.0.1", port: 6443 } };
  await it.cluster(endpoint);
  await it.network({ vpcTemplateRef: undefined, existingVpcId: "vpc-123456789" });
  await it.plane();
  await it.own();
  await it.pass(12_000);
  await it.planeRuns();
  await it.pass(600_000 - 12_000);
  const table = async (path: string) => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const answer = await it.client.request({ method: "GET", path, headers: { accept } });
    const { columnDefinitions, rows } = JSON.parse(answer.text) as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    return [columnDefinitions.map(({ name }) => name.toUpperCase()), rows[0]?.cells.map((cell) => String(cell ?? ""))];
  };
  expect(await table("/apis/infrastructure.cluster.x-k8s.io/v1beta1/namespaces/t1/captclusters")).toEqual([
    ["NAME", "VPC-ID", "READY", "ENDPOINT", "AGE", "SIMULATED"],
    ["demo-net", "vpc-123456789", "true", "10.0.0.1:6443", "10m", ""],
  ]);
  expect(await table("/apis/controlplane.cluster.x-k8s.io/v1beta1/namespaces/t1/captcontrolplanes")).toEqual([
    ["NAME", "READY", "PHASE", "VERSION", "ENDPOINT", "AGE", "SIMULATED"],
    ["demo-cp", "true", "Ready", "1.31", "10.0.0.1:6443", "10m", ""],
  ]);
});

test("AS-04 an existing network: ready in one pass, nothing made, and nothing but the finalizer touched at the end", async () => {
  const it = await fresh();
  await it.cluster();
  await it.network({ vpcTemplateRef: undefined, existingVpcId: "vpc-9" });
  await it.own();
  expect(await it.networkSays("VPCReady")).toBe(
    "True ExistingVPCUsed using VPC vpc-9 as spec.existingVpcId says; whether it exists is not looked at",
  );
  expect((await it.the.network()).status).toMatchObject({ ready: true, vpcId: "vpc-9" });
  expect(it.writes().map(({ path }) => path.split("/").slice(-2).join("/"))).toEqual([
    "captclusters/demo-net",
    "demo-net/status",
  ]);
  expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
  await it.remove(CAPTCluster, "demo-net");
  expect(await it.get(CAPTCluster, "demo-net")).toBeUndefined();
  expect(it.writes().map(({ method, path }) => `${method} ${path.split("/").at(-1)}`)).toEqual(["PATCH demo-net"]);
});

const orders = permutations(["cluster", "network", "plane", "vpc", "cp"] as const);

test("AS-05 L-9 all 120 orders of creation end in the same status", async () => {
  const places = orders.map((order, i) => [`o${i}`, order] as const);
  const it = await fresh({
    runner: "simulated",
    config: { clusterApiMode: "standalone", concurrency: 20 },
    objects: places.map(([name]) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
  });
  for (const step of [0, 1, 2, 3, 4]) {
    for (const [i, [of, order]] of places.entries()) {
      const what = order[step];
      if (what === "cluster") await it.cluster({}, "demo", of);
      else if (what === "network") await it.network({}, "demo-net", of);
      else if (what === "plane") await it.plane({}, "demo-cp", of);
      else if (what !== undefined) await it.make(WorkspaceTemplate, template(what, modules[what], of));
      // Delays that differ from one to the next, and are the same in each run.
      if ((i * 7 + step) % 5 === 0) await it.pass((i % 3) * 700);
    }
  }
  await it.pass(60_000);
  const ends = new Set<string>();
  for (const [of] of places) {
    const statuses = [
      (await it.get(CAPTCluster, "demo-net", of))?.status,
      (await it.get(CAPTControlPlane, "demo-cp", of))?.status,
      (await it.get(it.kinds.Cluster as typeof ClusterV1beta2, "demo", of))?.status,
    ];
    ends.add(placeless(timeless(statuses), of));
  }
  expect(orders).toHaveLength(120);
  expect([...ends]).toHaveLength(1);
  expect([...ends][0]).toContain('"phase":"Provisioned"');
  expect(it.complaints).toEqual([]);
}, 180_000);

const modules = { vpc: vpcModule, cp: planeModule } as const;

/** Without what comes from the name of the namespace: hashes, and what a simulated run makes of them. */
const placeless = (statuses: string, of: string): string =>
  statuses.replaceAll(`${of}/`, "t1/").replace(/[0-9a-f]{17}|[0-9a-f]{16}|[0-9a-f]{8}/g, "#");

function permutations<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length <= 1) return [all];
  return all.flatMap((first, i) =>
    permutations([...all.slice(0, i), ...all.slice(i + 1)]).map((rest) => [first, ...rest]),
  );
}

test("the control plane's own Secrets and the apply's carry a reference to it", async () => {
  const it = await fresh({ runner: "simulated" });
  await it.all();
  await it.pass(30_000);
  const { uid } = (await it.the.plane()).metadata;
  const owner = expect.objectContaining({ kind: CAPTControlPlane.kind, uid, controller: true });
  expect((await it.the.secret("demo-kubeconfig"))?.metadata?.ownerReferences).toEqual([owner]);
  expect((await it.the.planeApply())?.metadata.ownerReferences).toEqual([owner]);
});
