// Section 16, failures and recovery: what goes wrong, how long it is waited for, and how it ends.

import { Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { CAPTCluster, CAPTControlPlane, WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { type Demo, type DemoOptions, demo, minute, reset, template, vpcDone, vpcModule } from "./demo.ts";
import { namespace } from "./stage.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

/** A network that is being made. */
async function making(options: DemoOptions = {}): Promise<Demo> {
  const it = await fresh(options);
  await it.all();
  await it.pass(2_000);
  return it;
}

/** A network that is there, and a control plane that is being made. */
async function halfway(options: DemoOptions = {}): Promise<Demo> {
  const it = await making(options);
  await it.vpcRuns();
  await it.pass(12_000);
  return it;
}

const failure = async (it: Demo) => (await it.the.network()).status?.failureReason;
const networkWrites = (it: Demo) => it.writes().filter(({ path }) => path.endsWith("captclusters/demo-net/status"));

test("AS-11 a spec that contradicts itself fails, and an edit mends it", async () => {
  const it = await fresh();
  await it.templates();
  await it.cluster();
  await it.network();
  // Past admission, as an object may be that is older than the rules.
  await it.server.settle();
  await past(it, { existingVpcId: "vpc-9" });
  await it.own();
  expect(await failure(it)).toBe("InvalidVPCConfig");
  expect(await it.networkSays("VPCFailed")).toBe(
    "True InvalidVPCConfig vpcTemplateRef and existingVpcId are mutually exclusive",
  );
  expect(await it.events(CAPTCluster)).toEqual(["InvalidVPCConfig"]);
  await it.edit("network", { existingVpcId: null });
  await it.pass(2_000);
  expect(await failure(it)).toBeUndefined();
  expect(await it.the.vpcApply()).toBeDefined();
});

test("AS-12 a template that comes later is used, and nothing failed meanwhile", async () => {
  const it = await fresh();
  await it.cluster();
  await it.network();
  await it.own();
  await it.pass(5 * minute);
  expect(await it.networkSays("VPCReady")).toBe("False WorkspaceTemplateNotFound WorkspaceTemplate t1/vpc not found");
  expect(await failure(it)).toBeUndefined();
  await it.make(WorkspaceTemplate, template("vpc", vpcModule));
  await it.pass(12_000);
  await it.vpcRuns();
  expect((await it.the.network()).status?.ready).toBe(true);
  expect(it.complaints).toEqual([]);
});

test("AS-12 a template that never comes is given up after 15 minutes", async () => {
  const it = await fresh();
  await it.cluster();
  await it.network();
  await it.own();
  await it.pass(15 * minute - 2_000);
  expect(await failure(it)).toBeUndefined();
  await it.pass(4_000);
  expect(await failure(it)).toBe("VPCReadyTimeout");
});

test("AS-13 L-12 a run that fails is told once, however often its request id changes", async () => {
  const it = await making();
  const broken = (id: string) => it.vpcRuns({ synced: false, message: `no quota. RequestID: ${id}` });
  await broken("1111-aaaa");
  await it.pass(2_000);
  expect(await it.networkSays("VPCReady")).toMatch(
    /^False VPCCreationFailed workspace \S+: no quota\. RequestID: <id>$/,
  );
  expect(networkWrites(it)).not.toEqual([]);
  for (const id of ["2222-bbbb", "3333-cccc"]) {
    await broken(id);
    await it.pass(minute);
  }
  expect(networkWrites(it)).toEqual([]);
  expect((await it.the.network()).status).toMatchObject({ ready: false });
  expect(await failure(it)).toBeUndefined();
  expect((await it.the.network()).status?.workspaceTemplateStatus?.lastFailureMessage).toBe(
    "no quota. RequestID: <id>",
  );
  await it.vpcRuns();
  await it.pass(2_000);
  expect((await it.the.network()).status?.workspaceTemplateStatus).not.toHaveProperty("lastFailureMessage");
  expect([...(await it.events(CAPTCluster))].sort()).toEqual(["VPCCreationFailed", "VPCReady"]);
});

test("AS-14 a run that fails after it was ready changes little for half an hour, and fails nothing", async () => {
  const it = await halfway();
  await it.vpcRuns({ synced: false, message: "drift" });
  await it.pass(29 * minute);
  expect((await it.the.network()).status).toMatchObject({ ready: true });
  expect((await it.events(CAPTCluster)).filter((reason) => reason === "WorkspaceNotReady")).toHaveLength(1);
  await it.pass(3 * minute);
  expect((await it.the.network()).status).not.toHaveProperty("ready");
  expect(await it.networkSays("VPCReady")).toMatch(/^Unknown NotSeen workspace \S+: drift$/);
  expect(await it.networkSays("WorkspaceSynced")).toBe("False ReconcileError drift");
  expect(await failure(it)).toBeUndefined();
  await it.vpcRuns();
  await it.pass(minute);
  expect((await it.the.network()).status).toMatchObject({ ready: true });
  expect(await it.networkSays("VPCReady")).toMatch(/^True VPCCreated/);
});

test("AS-15 a Secret that comes two minutes later is waited for", async () => {
  const it = await making();
  await it.pass(2 * minute);
  const { secret, ...late } = vpcDone;
  await it.vpcRuns(late);
  await it.pass(2_000);
  expect(await it.networkSays("ConnectionSecretReady")).toMatch(/^False WaitingForSecret/);
  await it.pass(2 * minute);
  await secretOf(it, secret ?? {});
  await it.pass(10_000);
  expect(await it.networkSays("ConnectionSecretReady")).toMatch(/^True SecretFound/);
  expect((await it.the.network()).status?.ready).toBe(true);
});

test("AS-16 a Secret that never comes is given up after five minutes, and not as a slow network", async () => {
  const it = await making();
  await it.pass(2 * minute);
  const { secret: _none, ...late } = vpcDone;
  await it.vpcRuns(late);
  await it.pass(1_000);
  const since = (await it.condition("network", "ConnectionSecretReady"))?.lastTransitionTime ?? "";
  await it.pass(Date.parse(since) + 5 * minute - 1_000 - it.clock.now());
  expect(await failure(it)).toBeUndefined();
  await it.pass(3_000);
  expect(await failure(it)).toBe("SecretTimeout");
  expect((await it.the.network()).status?.failureMessage).toMatch(
    /^Secret t1\/demo-net-vpc-connection not ready within 5m: no error reported$/,
  );
  expect(await it.events(CAPTCluster)).toEqual(["SecretTimeout"]);
});

test("a Workspace that is not ready within its own limit is named, before the network's own limit", async () => {
  const it = await making({ config: { timeouts: { ...standardConfig.timeouts, workspaceReady: 5 * minute } } });
  const name = (await it.the.workspace("demo-net-vpc"))?.metadata.name ?? "";
  await it.vpcRuns({ synced: true, ready: false });
  await it.pass(4 * minute);
  expect(await failure(it)).toBeUndefined();
  await it.pass(2 * minute);
  expect(await it.networkSays("VPCFailed")).toBe(
    `True WorkspaceReadyTimeout workspace ${name} not ready within 5m: no error reported`,
  );
});

test("a first run that was cut off is told apart from one that failed", async () => {
  const it = await making();
  const message = "cannot determine creation result - remove the crossplane.io/external-create-pending annotation";
  await it.vpcRuns({ synced: false, message });
  await it.pass(2_000);
  expect(await it.networkSays("WorkspaceSynced")).toBe(`False ExternalCreatePending ${message}`);
});

test("a network whose apply waits for a Secret says for which, and goes on when it is there", async () => {
  const it = await fresh();
  await it.templates();
  await it.cluster();
  await it.network();
  const { uid } = (await it.the.network()).metadata;
  const { apiVersion, kind } = CAPTCluster;
  const owner = { apiVersion, kind, name: "demo-net", uid, controller: true };
  await it.make(WorkspaceTemplateApply, {
    metadata: { name: "demo-net-vpc", ownerReferences: [owner] },
    spec: { templateRef: { name: "vpc" }, waitForSecrets: [{ name: "account" }] },
  });
  await it.own();
  await it.pass(2_000);
  expect(await it.networkSays("Ready")).toMatch(/^False WaitingForDependencies .*t1\/account/);
  await it.make(Secret, { metadata: { name: "account" } });
  await it.pass(30_000);
  await it.vpcRuns();
  expect((await it.the.network()).status?.ready).toBe(true);
});

test("AS-17 a key that the Secret lacks is taken from the outputs, and missed where they lack it too", async () => {
  const it = await making();
  await it.vpcRuns({ ...vpcDone, outputs: {}, secret: { other: "x" } });
  await it.pass(2_000);
  expect(await it.networkSays("VPCReady")).toMatch(/^False VPCIDNotFound/);
  await it.vpcRuns({ ...vpcDone, outputs: { vpc_id: "vpc-7" }, secret: { other: "x" } });
  await it.pass(12_000);
  expect((await it.the.network()).status).toMatchObject({ ready: true, vpcId: "vpc-7" });
});

test("AS-17 a key that nobody has is given up with the Secret's clock", async () => {
  const it = await making();
  await it.vpcRuns({ ...vpcDone, outputs: {}, secret: { other: "x" } });
  await it.pass(5 * minute + 3_000);
  expect(await failure(it)).toBe("SecretTimeout");
});

test("AS-18 a control plane that comes too late is offered, and a reset takes it without another run", async () => {
  const it = await halfway();
  const since = Date.parse((await it.condition("plane", "InfrastructureReady"))?.lastTransitionTime ?? "");
  await it.pass(since + 30 * minute - 2_000 - it.clock.now());
  expect((await it.the.plane()).status?.phase).toBe("Creating");
  await it.pass(4_000);
  expect((await it.the.plane()).status).toMatchObject({
    phase: "Failed",
    failureReason: "ControlPlaneTimeout",
    failureMessage: "control plane not ready within 30m: no error reported",
  });
  await it.pass(10 * minute);
  await it.planeRuns();
  await it.pass(minute);
  expect(await it.planeSays("RecoveryAvailable")).toMatch(/^True ReadyAfterTimeout/);
  expect((await it.the.plane()).status?.phase).toBe("Failed");
  expect(await it.the.secret("demo-kubeconfig")).toBeUndefined();
  it.writes();
  await it.annotate("plane", reset("1"));
  await it.pass(1_000);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready", ready: true, lastResetToken: "1" });
  expect((await it.the.plane()).status).not.toHaveProperty("failureReason");
  expect(await it.the.secret("demo-kubeconfig")).toBeDefined();
  expect(it.writes().filter(({ path }) => path.includes("/workspaces/"))).toEqual([]);
  const told = await it.events(CAPTControlPlane);
  for (const reason of ["ControlPlaneTimeout", "RecoveryAvailable", "FailureReset", "ControlPlaneReady"]) {
    expect(told.filter((each) => each === reason)).toHaveLength(1);
  }
});

test("AS-19 under the policy degraded the same ends by itself, and nothing was terminal", async () => {
  const it = await halfway({ config: { timeoutPolicy: "degraded" } });
  await it.pass(31 * minute);
  expect((await it.the.plane()).status?.phase).toBe("Failed");
  expect(await it.planeSays("Failed")).toMatch(/^True ControlPlaneTimeout/);
  expect((await it.the.plane()).status).not.toHaveProperty("failureReason");
  await it.pass(9 * minute);
  expect((await it.the.plane()).status?.phase).toBe("Failed");
  await it.planeRuns();
  await it.pass(2_000);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready", ready: true });
  expect(await it.planeSays("Failed")).toBe("False NotFailed not failed");
});

test("AS-20 a slow network is not charged to the control plane", async () => {
  const it = await making();
  await it.pass(14 * minute);
  await it.vpcRuns();
  await it.pass(20 * minute);
  await it.planeRuns();
  await it.pass(2_000);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready", ready: true });
});

test("AS-21 a control plane that is ten days old is as it was after a restart, and nothing is written", async () => {
  const it = await halfway();
  await it.planeRuns();
  await it.pass(minute);
  await it.halt();
  await it.pass(10 * 24 * 60 * minute);
  it.writes();
  await it.restart();
  await it.pass(5 * minute);
  expect(it.writes()).toEqual([]);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready", ready: true });
});

test("AS-22 readiness and deadline at the same moment: it is ready", async () => {
  const it = await making();
  const since = Date.parse((await it.condition("network", "VPCCreating"))?.lastTransitionTime ?? "");
  await it.halt();
  await it.pass(since + 15 * minute - it.clock.now());
  await it.vpcRuns();
  await it.restart();
  expect((await it.the.network()).status).toMatchObject({ ready: true });
  expect(await failure(it)).toBeUndefined();
});

test("AS-23 TO-5 a deadline is where it was, however often the operator is restarted", async () => {
  const it = await making();
  const since = Date.parse((await it.condition("network", "VPCCreating"))?.lastTransitionTime ?? "");
  while (it.clock.now() < since + 14 * minute) {
    await it.restart();
    await it.pass(minute);
  }
  await it.pass(since + 15 * minute - 1_000 - it.clock.now());
  expect(await failure(it)).toBeUndefined();
  await it.pass(2_000);
  expect(await failure(it)).toMatch(/Timeout$/);
  expect((await it.condition("network", "VPCCreating"))?.status).toBe("False");
});

async function secretOf(it: Demo, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name: "demo-net-vpc-connection", namespace };
  await it.client.apply(Secret, { metadata, stringData: data }, { fieldManager: "provider", force: true });
}

/** Takes the rules out of the definition for as long as the edit takes. */
async function past(it: Demo, spec: object): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/captclusters.infrastructure.cluster.x-k8s.io";
  const before = JSON.parse((await it.client.request({ method: "GET", path })).text);
  const open = JSON.parse(
    JSON.stringify(before, (key, value) => (key === "x-kubernetes-validations" ? undefined : value)),
  );
  const put = async (body: { metadata: object }) => {
    const { resourceVersion } = JSON.parse((await it.client.request({ method: "GET", path })).text).metadata;
    await it.client.request({
      method: "PUT",
      path,
      body: { ...body, metadata: { ...body.metadata, resourceVersion } },
    });
    await it.pass();
  };
  await put(open);
  await it.edit("network", spec);
  await put(before);
}
