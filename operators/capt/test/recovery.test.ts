// Section 16, failures and recovery of what was ready once; and the endpoint and the Secrets.
import { Buffer } from "node:buffer";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { CAPTCluster, CAPTControlPlane, WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import {
  type Demo,
  type DemoOptions,
  demo,
  kubeconfig,
  minute,
  planeDone,
  template,
  timeless,
  vpcModule,
} from "./demo.ts";
import { namespace } from "./stage.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

/** A cluster that is ready, with a runner that only pretends. */
async function running(options: DemoOptions = {}): Promise<Demo> {
  const it = await fresh({ runner: "simulated", ...options });
  const isAlone = options.config?.clusterApiMode === "standalone";
  await it.templates();
  await it.cluster();
  await it.network();
  await it.plane();
  if (!isAlone) await it.own();
  await it.pass(30_000);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready", ready: true });
  it.writes();
  return it;
}

/** A network that is there, and a control plane that is being made, by hand. */
async function halfway(options: DemoOptions = {}, cluster: object = {}): Promise<Demo> {
  const it = await fresh(options);
  await it.templates();
  await it.cluster(cluster);
  await it.network();
  await it.plane();
  await it.own();
  await it.pass(2_000);
  await it.vpcRuns();
  await it.pass(12_000);
  return it;
}

test("AS-24 API-11 a lost status comes back as it was, and nothing is run or changed for it", async () => {
  const it = await running();
  const statuses = async () =>
    timeless([(await it.the.network()).status, (await it.the.plane()).status, (await it.the.vpcApply())?.status]);
  const before = await statuses();
  const runs = it.runsEnded.length;
  for (const [kind, name] of [
    [CAPTCluster, "demo-net"],
    [CAPTControlPlane, "demo-cp"],
    [WorkspaceTemplateApply, "demo-net-vpc"],
    [WorkspaceTemplateApply, "demo-cp-eks-controlplane-apply"],
  ] as const) {
    const json = [{ op: "remove", path: "/status" }] as const;
    await it.client.status.patch(kind as typeof CAPTCluster, { name, namespace }, { json });
  }
  await it.restart();
  await it.pass(minute);
  expect(await statuses()).toBe(before);
  expect(it.writes().filter(({ path, method }) => method !== "PATCH" || /workspaces\/[^/]+$/.test(path))).toEqual([]);
  expect(it.runsEnded).toHaveLength(runs);
});

test("AS-26 CP-12 an upgrade rolls out, and a downgrade is refused", async () => {
  const it = await running();
  const variable = async () =>
    (await it.the.workspace("demo-cp-eks-controlplane-apply"))?.spec.forProvider.vars?.[1]?.value;
  expect(await variable()).toBe("1.31");
  const flips: string[] = [];
  await it.edit("plane", { version: "1.32" });
  for (let i = 0; i < 60; i += 1) {
    await it.pass(500);
    const [status = ""] = (await it.planeSays("RollingOut")).split(" ");
    if (flips.at(-1) !== status) flips.push(status);
    expect((await it.the.plane()).status?.phase).toBe("Ready");
  }
  expect(await variable()).toBe("1.32");
  expect(flips.slice(-2)).toEqual(["True", "False"]);
  expect((await it.the.plane()).status?.version).toBe("v1.32.0");
  await it.edit("plane", { version: "1.31" });
  await it.pass(minute);
  expect(await it.planeSays("RollingOut")).toBe(
    "False VersionDowngradeRefused spec.version 1.31 is lower than running version v1.32.0",
  );
  expect([await variable(), (await it.the.plane()).status?.ready]).toEqual(["1.32", true]);
  expect(await it.events(CAPTControlPlane)).toContain("VersionDowngradeRefused");
});

test("AS-27 a network that is ready no more leaves the control plane and the Cluster where they are", async () => {
  const it = await fresh({ config: { clusterApiMode: "standalone" } });
  await it.templates();
  await it.cluster();
  await it.network();
  await it.plane();
  await it.pass(2_000);
  await it.vpcRuns();
  await it.pass(12_000);
  await it.planeRuns();
  await it.pass(12_000);
  expect((await it.the.cluster()).status?.phase).toBe("Provisioned");
  await it.vpcRuns({ ready: false, reason: "Unavailable" });
  await it.pass(5 * minute);
  expect((await it.the.network()).status).toMatchObject({ ready: false, initialization: { provisioned: true } });
  expect((await it.the.cluster()).status?.phase).toBe("Provisioned");
  expect((await it.the.plane()).status).toMatchObject({ ready: true, phase: "Ready" });
  expect(await it.planeSays("InfrastructureReady")).toMatch(/^False InfrastructureNotReady CAPTCluster demo-net: /);
  await it.vpcRuns();
  await it.pass(2 * minute);
  expect(await it.planeSays("InfrastructureReady")).toMatch(/^True/);
});

test("AS-28 a Workspace that vanishes is missed and made again, and the id is never forgotten", async () => {
  const it = await running();
  const name = (await it.the.workspace("demo-net-vpc"))?.metadata.name ?? "";
  const { vpcId } = (await it.the.network()).status ?? {};
  const seen = new Set<string | undefined>();
  await it.client.patch(it.kinds.Workspace, { name }, { merge: { metadata: { finalizers: null } } } as never);
  await it.client.delete(it.kinds.Workspace, { name }, { propagation: "Background" });
  for (let i = 0; i < 40; i += 1) {
    await it.pass(i < 20 ? 50 : 5_000);
    seen.add((await it.the.network()).status?.vpcId);
  }
  expect([...seen]).toEqual([vpcId]);
  expect((await it.the.workspace("demo-net-vpc"))?.metadata.name).toBe(name);
  expect((await it.the.network()).status).toMatchObject({ ready: true });
});

test("AS-28 while it is missing that is said, and nothing fails", async () => {
  const it = await halfway();
  const name = (await it.the.workspace("demo-net-vpc"))?.metadata.name ?? "";
  // Without its template it is not made again.
  await it.remove(WorkspaceTemplate, "vpc");
  await it.client.delete(it.kinds.Workspace, { name }, { propagation: "Background" });
  await it.pass(60 * minute);
  expect(await it.networkSays("VPCReady")).toBe(`Unknown WorkspaceMissing workspace ${name} no longer exists`);
  expect((await it.the.network()).status).toMatchObject({ vpcId: "vpc-1" });
  expect((await it.the.network()).status).not.toHaveProperty("ready");
  expect((await it.the.network()).status).not.toHaveProperty("failureReason");
  await it.make(WorkspaceTemplate, template("vpc", vpcModule));
  await it.pass(2_000);
  await it.vpcRuns();
  await it.pass(minute);
  expect((await it.the.network()).status).toMatchObject({ ready: true, vpcId: "vpc-1" });
});

test("AS-30 CC-8 the network is ready before there is any endpoint", async () => {
  const it = await halfway();
  expect((await it.the.network()).status).toMatchObject({ ready: true });
  expect(await it.networkSays("EndpointReady")).toMatch(/^False WaitingForEndpoint/);
  expect((await it.the.plane()).status?.ready).toBe(false);
});

test("AS-31 an endpoint that the Cluster has is used, and a run that says otherwise is told of once", async () => {
  const it = await halfway({}, { controlPlaneEndpoint: { host: "api.example.com", port: 443 } });
  await it.planeRuns();
  await it.pass(2 * minute);
  const plane = await it.the.plane();
  expect(plane.status).toMatchObject({ initialized: true, endpoint: "api.example.com:443" });
  expect(await it.planeSays("EndpointReady")).toBe("True ClusterEndpointUsed api.example.com:443");
  expect((await it.the.cluster()).spec.controlPlaneEndpoint).toEqual({ host: "api.example.com", port: 443 });
  expect((await it.events(CAPTControlPlane)).filter((reason) => reason === "EndpointMismatch")).toHaveLength(1);
});

test("AS-32 CP-5 the kubeconfig and the endpoint are there before anybody reads that it is initialised", async () => {
  const it = await halfway();
  await it.planeRuns();
  await it.pass(2_000);
  const paths = it.writes().map(({ path }) => path);
  const secret = paths.findIndex((path) => path.endsWith("/secrets/demo-kubeconfig"));
  const spec = paths.findLastIndex((path) => path.endsWith("/captcontrolplanes/demo-cp"));
  const status = paths.findLastIndex((path) => path.endsWith("/demo-cp/status"));
  expect((await it.the.plane()).status?.initialized).toBe(true);
  expect([spec < secret, secret < status, spec > 0]).toEqual([true, true, true]);
});

test("AS-33 SEC-4 a kubeconfig that a person made is used as it is", async () => {
  const it = await halfway();
  const data = { value: Buffer.from("mine").toString("base64") };
  await it.make(Secret, { metadata: { name: "demo-kubeconfig" }, type: "cluster.x-k8s.io/secret", data });
  await it.planeRuns();
  await it.pass(5 * minute);
  expect((await it.the.secret("demo-kubeconfig"))?.data).toEqual(data);
  expect(await it.planeSays("KubeconfigReady")).toBe(
    "True UserProvided Secret t1/demo-kubeconfig is managed by someone else",
  );
  expect((await it.the.plane()).status).toMatchObject({ initialized: true, ready: true });
});

test("AS-34 P15 a token that changes is followed within a minute, with one write and no word in the status", async () => {
  const it = await halfway();
  await it.planeRuns();
  await it.pass(2 * minute);
  const target = { name: "demo-cp-eks-connection", namespace };
  for (let round = 0; round < 12; round += 1) {
    it.writes();
    const value = Buffer.from(kubeconfig(`token-${round}`)).toString("base64");
    await it.client.patch(Secret, target, { merge: { data: { kubeconfig: value } } });
    await it.pass(minute);
    expect((await it.the.secret("demo-kubeconfig"))?.data).toEqual({ value });
    await it.pass(9 * minute);
    expect(it.writes().map(({ path }) => path.split("/").slice(-2).join("/"))).toEqual(["secrets/demo-kubeconfig"]);
  }
});

test("AS-35 two clusters of the same name in two namespaces share nothing", async () => {
  const it = await fresh({ runner: "simulated", config: { clusterApiMode: "standalone" } });
  for (const of of [namespace, "t2"]) {
    await it.templates(of);
    await it.cluster({}, "demo", of);
    await it.network({}, "demo-net", of);
    await it.plane({}, "demo-cp", of);
  }
  await it.pass(minute);
  const names = (await it.list(it.kinds.Workspace)).map(({ metadata }) => metadata.name);
  expect(new Set(names).size).toBe(4);
  const values = [namespace, "t2"].map(async (of) => (await it.the.secret("demo-kubeconfig", of))?.data?.["value"]);
  const [one, two] = await Promise.all(values);
  expect([one === undefined, one === two]).toEqual([false, false]);
  await it.remove(it.kinds.Cluster as never, "demo", "t2");
  await it.pass(5 * minute);
  expect(await it.get(CAPTCluster, "demo-net", "t2")).toBeUndefined();
  expect(await it.list(it.kinds.Workspace)).toHaveLength(2);
  expect((await it.the.plane()).status).toMatchObject({ ready: true });
  expect(await it.the.secret("demo-kubeconfig")).toBeDefined();
});

test("CP-10 the certificate is published without a key, and put right when somebody changes it", async () => {
  const it = await halfway();
  const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const encoded = Buffer.from(pem).toString("base64");
  await it.planeRuns({ ...planeDone, secret: { ...planeDone.secret, cluster_certificate_authority_data: encoded } });
  await it.pass(2_000);
  const made = await it.the.secret("demo-ca");
  expect(made).toMatchObject({ type: "cluster.x-k8s.io/secret", data: { "tls.crt": encoded, "ca.crt": encoded } });
  expect(Object.keys(made?.data ?? {})).toHaveLength(2);
  await it.client.patch(Secret, { name: "demo-ca", namespace }, { merge: { data: { "tls.crt": "" } } });
  await it.pass(minute);
  expect((await it.the.secret("demo-ca"))?.data?.["tls.crt"]).toBe(encoded);
});

test("CP-11 a kubeconfig Secret of ours with another type is made anew", async () => {
  const it = await halfway();
  const { uid } = (await it.the.plane()).metadata;
  const owner = { apiVersion: CAPTControlPlane.apiVersion, kind: CAPTControlPlane.kind, name: "demo-cp", uid };
  await it.make(Secret, { metadata: { name: "demo-kubeconfig", ownerReferences: [owner] }, type: "Opaque" });
  await it.planeRuns();
  await it.pass(2_000);
  expect((await it.the.secret("demo-kubeconfig"))?.type).toBe("cluster.x-k8s.io/secret");
  expect((await it.the.plane()).status?.ready).toBe(true);
});

test("CP-11 a template of a kubeconfig is applied once the endpoint is known, and what it makes is used", async () => {
  const it = await halfway();
  await it.make(WorkspaceTemplate, template("eks-kubeconfig-template", 'output "kubeconfig" { value = "x" }'));
  const { kubeconfig: _none, ...rest } = planeDone.secret ?? {};
  await it.planeRuns({ ...planeDone, secret: rest });
  await it.pass(12_000);
  expect(await it.planeSays("KubeconfigReady")).toBe(
    "False WaitingForKubeconfig no kubeconfig in Secret t1/demo-cp-eks-connection; waiting for WorkspaceTemplateApply demo-cp-kubeconfig-apply",
  );
  const made = await it.the.workspace("demo-cp-kubeconfig-apply");
  expect(made?.spec.writeConnectionSecretToRef).toEqual({ name: "demo-outputs-kubeconfig", namespace });
  await it.runs(made?.metadata.name ?? "", { synced: true, ready: true, secret: { kubeconfig: kubeconfig() } });
  await it.pass(12_000);
  expect((await it.the.plane()).status).toMatchObject({ ready: true, secretsReady: true });
  expect(await it.the.secret("demo-kubeconfig")).toBeDefined();
});

test("CP-13 the role for spot instances is checked, and made where it is missing, and nothing waits for it", async () => {
  const it = await fresh();
  await it.templates();
  for (const name of ["spot-role-check", "spot-role-create"]) await it.make(WorkspaceTemplate, template(name, "x"));
  await it.cluster();
  await it.network({ vpcTemplateRef: undefined, existingVpcId: "vpc-1" });
  await it.plane({ controlPlaneConfig: { region: "eu-west-1", spotServiceLinkedRole: "Ensure" } });
  await it.own();
  await it.pass(12_000);
  const check = await it.the.workspace("demo-cp-spot-role-check");
  expect(await it.get(WorkspaceTemplateApply, "demo-cp-spot-role-create")).toBeUndefined();
  await it.planeRuns();
  await it.pass(2_000);
  expect((await it.the.plane()).status?.ready).toBe(true);
  await it.runs(check?.metadata.name ?? "", { synced: true, ready: true, outputs: { role_exists: false } });
  await it.pass(2 * minute);
  expect(await it.get(WorkspaceTemplateApply, "demo-cp-spot-role-create")).toBeDefined();
});
