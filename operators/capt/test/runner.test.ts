// Workspaces run by the simulated runner on the embedded server: the rows of 12.5, what is published, and 12.9.

import { formatTime, toCrd } from "@telltale/kinds";
import { CustomResourceDefinition, Lease, Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations, finalizers, leases } from "../src/names.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { namespace, operatorNamespace, type RunnerStage, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
/** Lines of the log at warn and error that a test expects. */
let expected: readonly RegExp[] = [];
afterEach(async () => {
  expect(s.complaints.filter((line) => !expected.some((it) => it.test(line)))).toEqual([]);
  expected = [];
  await s.end();
});

const good = "True ReconcileSuccess The last run went through";
const ready = "True Available What the module describes exists";
const secrets = async () => (await s.client.list(Secret)).items.map(({ metadata }) => metadata?.name);

describe("a Workspace", () => {
  it("R6 to R9 is planned, applied and published", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe(good);
    expect(await s.says("Ready")).toBe(ready);
    expect(s.runs).toEqual(["plan changes", "apply applied"]);
    expect(Object.keys((await s.connection()) ?? {})).toEqual(["admin_password", "azs", "certificate", "vpc_id"]);
    const { status } = await s.get();
    expect(status?.atProvider?.outputs).toEqual({
      azs: ["sim-a", "sim-b", "sim-c"],
      vpc_id: expect.stringMatching(/^vpc-[0-9a-f]{17}$/),
    });
    expect(status?.observedGeneration).toBe(1);
    expect(await s.kept()).toMatchObject({ engine: "simulated", state: { resources: 5 } });
  });

  it("12.5 state comes before the connection Secret, and that before the status", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    const last = s.writes().slice(-3);
    expect(last[0]).toMatch(/secrets\/capt-tfstate-/);
    expect(last[1]).toMatch(/secrets\/demo-connection$/);
    expect(last[2]).toMatch(/workspaces\/demo\/status$/);
  });

  it("the Secret is of Crossplane's type and goes with its Workspace", async () => {
    s = await runnerStage();
    const { metadata } = await s.make();
    await s.pass(1_000);
    const found = await s.client.get(Secret, "demo-connection", { namespace });
    expect(found.type).toBe("connection.crossplane.io/v1alpha1");
    expect(found.metadata?.ownerReferences).toMatchObject([{ kind: "Workspace", name: "demo", uid: metadata.uid }]);
  });

  it("R2 has the finalizer before anything runs", async () => {
    s = await runnerStage();
    await s.make();
    expect((await s.get()).metadata.finalizers).toEqual([finalizers.workspaceRunner]);
    expect(s.writes()[0]).toBe("PATCH /apis/tf.upbound.io/v1beta1/workspaces/demo");
  });

  it("R1 is left alone while it is paused, and run when it is not", async () => {
    s = await runnerStage();
    await s.make({ notes: { [annotations.crossplanePaused]: "true" } });
    await s.pass(60_000);
    expect(await s.says("Synced")).toBe("False ReconcilePaused The annotation crossplane.io/paused is set");
    expect([s.runs, await s.says("Ready"), (await s.get()).metadata.finalizers]).toEqual([[], "", undefined]);
    await s.annotate({ [annotations.crossplanePaused]: null });
    await s.pass(1_000);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual([good, ready]);
  });

  it("R1 is back in step at once when a pause of one that was ready ends", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    await s.annotate({ [annotations.crossplanePaused]: "true" });
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual([
      expect.stringContaining("ReconcilePaused"),
      ready,
    ]);
    await s.annotate({ [annotations.crossplanePaused]: null });
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe(good);
  });

  it("R3 to R8 says while its first apply goes on that it is being made, and how far it is", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 60_000 }, resources: 4 } });
    await s.pass(1_000);
    expect(await s.says("Ready")).toBe("False Creating The first run is under way");
    expect(await s.says("Synced")).toBe("");
    await s.pass(16_000);
    const { progress } = (await s.get()).status?.atProvider ?? {};
    expect(progress).toEqual({ operation: "apply", total: 4, done: 1, current: "simulated_resource.r1" });
    expect((await s.get()).status?.observedGeneration).not.toBe(1);
    expect((await s.kept())?.state?.resources).toBe(1);
    await s.pass(60_000);
    expect((await s.get()).status?.atProvider?.progress).toBeUndefined();
    expect(await s.says("Ready")).toBe(ready);
  });

  it("12.6 a connection Secret that somebody took away is written again within a minute", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    const before = await s.connection();
    await s.client.delete(Secret, { name: "demo-connection", namespace }, { propagation: "Background" });
    s.runs.length = 0;
    await s.pass(61_000);
    expect([s.runs, await s.connection()]).toEqual([["plan settled"], before]);
  });

  it("12.6 shows progress at most every five seconds, and only when more is done", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 30_000 }, resources: 300 } });
    await s.pass(100);
    s.writes();
    await s.pass(28_000);
    expect(s.writes().filter((line) => line.endsWith("/status")).length).toBeLessThanOrEqual(6);
  });

  it("R6 is looked at every ten minutes, give or take one, and at rest nothing is written", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    const before = await s.get();
    s.writes();
    s.runs.length = 0;
    await s.pass(539_000);
    expect(s.runs).toEqual([]);
    await s.pass(122_000);
    expect(s.runs).toEqual(["plan settled"]);
    await s.pass(6 * 3_600_000);
    expect(new Set(s.runs)).toEqual(new Set(["plan settled"]));
    expect(s.runs.length).toBeGreaterThan(30);
    expect(s.writes()).toEqual([]);
    expect(await s.get()).toEqual(before);
  });

  it("R6 is run again when its spec has changed, and keeps what it says of the old one until then", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 10_000 } } });
    await s.pass(11_000);
    const module = 'output "zone" { value = "z" }';
    await s.client.patch(Workspace, { name: "demo" }, { merge: { spec: { forProvider: { module } } } });
    await s.pass(5_000);
    const { status, metadata } = await s.get();
    expect([metadata.generation, status?.observedGeneration]).toEqual([2, 1]);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual([good, ready]);
    await s.pass(10_000);
    expect((await s.get()).status?.observedGeneration).toBe(2);
    expect(Object.keys((await s.connection()) ?? {})).toEqual(["zone"]);
    expect(Object.keys((await s.get()).status?.atProvider?.outputs ?? {})).toEqual(["zone"]);
  });

  it("lets a run come to its end when its spec changes, and then runs the new one", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 10_000 } } });
    await s.pass(5_000);
    await s.client.patch(Workspace, { name: "demo" }, { merge: { spec: { forProvider: { module: "# two" } } } });
    await s.pass(6_000);
    expect(s.runs.slice(0, 2)).toEqual(["plan changes", "apply applied"]);
    expect((await s.get()).status?.observedGeneration).not.toBe(1);
    await s.pass(20_000);
    expect(s.runs).toEqual(["plan changes", "apply applied", "plan changes", "apply applied"]);
    expect((await s.get()).status?.observedGeneration).toBe(2);
  });

  it("R10 says the class and the words of a failure, keeps Ready, and tries again later and later", async () => {
    s = await runnerStage();
    const fail = [{ operation: "apply", times: 2, class: "ApplyFailed", message: "it broke, RequestID: 123-abc" }];
    await s.make({ script: { fail } });
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe("False ReconcileError ApplyFailed: it broke, RequestID: <id>");
    expect(await s.says("Ready")).toBe("False Creating The first run is under way");
    expect((await s.get()).metadata.annotations?.[annotations.errorClass]).toBe("ApplyFailed");
    expect((await s.kept())?.state?.resources).toBe(4);
    await s.pass(6_000);
    expect(s.runs).toEqual(["plan changes", "apply ApplyFailed"]);
    await s.pass(6_000);
    expect(s.runs.slice(2)).toEqual(["plan changes", "apply ApplyFailed"]);
    await s.pass(14_000);
    expect(s.runs.slice(4)).toEqual([]);
    await s.pass(11_000);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual([good, ready]);
    expect((await s.get()).metadata.annotations?.[annotations.errorClass]).toBeUndefined();
  });

  it("R10 a first plan that fails leaves Ready out", async () => {
    s = await runnerStage();
    await s.make({ script: { fail: [{ operation: "plan", times: 1, message: "no" }] } });
    await s.pass(1_000);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual(["False ReconcileError PlanFailed: no", ""]);
  });

  it("12.7 what only an edit can mend is not tried again before that, also by the next process", async () => {
    s = await runnerStage();
    await s.make({ script: { fail: [{ operation: "plan", times: 1, class: "InvalidConfiguration", message: "no" }] } });
    await s.pass(3_600_000);
    await s.crash();
    await s.pass(3_600_000);
    expect(s.runs).toEqual(["plan InvalidConfiguration"]);
    await s.annotate({ [annotations.simScript]: null });
    await s.client.patch(Workspace, { name: "demo" }, { merge: { spec: { forProvider: { module: "# right" } } } });
    await s.pass(1_000);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual([good, ready]);
  });

  it("12.7 a run that takes too long is stopped and said to be too long", async () => {
    s = await runnerStage({ timeout: 30_000 });
    await s.make({ script: { latencyMs: { apply: 3_600_000 } } });
    await s.pass(31_000);
    expect(await s.says("Synced")).toBe("False ReconcileError TimedOut: the run took longer than it may");
  });

  it.each([
    [
      { source: "Remote", module: "git::https://example.com/x" },
      "UnsupportedSource: the source Remote is not supported by the builtin runner; use Inline, or Crossplane's provider",
    ],
    [
      { source: "Flux", module: "GitRepository::a/b" },
      "UnsupportedSource: the source Flux is not supported by the builtin runner; use Inline, or Crossplane's provider",
    ],
    [
      { initArgs: ["-backend-config=x"] },
      "InvalidConfiguration: initArgs has -backend-config, which is the runner's own; take it out",
    ],
    [{ entrypoint: "../other" }, 'InvalidConfiguration: the entrypoint has to be a relative path without ".."'],
  ])("12.2, SEC-5, SEC-6 %j is not run", async (forProvider, message) => {
    s = await runnerStage();
    await s.make({ forProvider });
    await s.pass(3_600_000);
    expect(await s.says("Synced")).toBe(`False ReconcileError ${message}`);
    expect(s.runs).toEqual([]);
    await s.remove();
    await s.pass(10_000);
    expect(await s.isGone()).toBe(true);
  });

  it("waits for a Secret that it names, and goes on when it is there", async () => {
    s = await runnerStage();
    const secretKeyRef = { namespace, name: "creds", key: "k" };
    await s.make({ forProvider: { env: [{ name: "K", secretKeyRef }] } });
    await s.pass(5_000);
    expect(await s.says("Synced")).toBe("False ReconcileError PlanFailed: not there: Secret t1/creds key k");
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "creds", namespace }, data: { k: "eA==" } };
    await s.client.create(Secret, secret as Secret);
    await s.pass(30_000);
    expect(await s.says("Ready")).toBe(ready);
  });

  it("SEC-4 never writes to a Secret of somebody else", async () => {
    s = await runnerStage();
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "demo-connection", namespace },
      data: { a: "eA==" },
    };
    await s.client.create(Secret, secret as Secret);
    await s.make();
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe(
      "False ReconcileError ApplyFailed: Secret t1/demo-connection belongs to somebody else; name another one",
    );
    expect(await s.connection()).toEqual({ a: "x" });
    await s.client.delete(Secret, { name: "demo-connection", namespace }, { propagation: "Background" });
    await s.pass(60_000);
    expect(await s.says("Synced")).toBe(good);
  });

  it("says where its Secret cannot be written", async () => {
    s = await runnerStage();
    await s.make({ spec: { writeConnectionSecretToRef: { name: "c", namespace: "nowhere" } } });
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe(
      'False ReconcileError ApplyFailed: Secret nowhere/c cannot be written: namespaces "nowhere" not found',
    );
  });

  it("leaves no Secret behind when it is told to write another one", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    const merge = { spec: { writeConnectionSecretToRef: { name: "other", namespace } } };
    await s.client.patch(Workspace, { name: "demo" }, { merge });
    await s.pass(1_000);
    expect((await secrets()).filter((name) => !name?.startsWith("capt-tfstate"))).toEqual(["other"]);
    await s.client.patch(Workspace, { name: "demo" }, { merge: { spec: { writeConnectionSecretToRef: null } } });
    await s.pass(1_000);
    expect((await secrets()).filter((name) => !name?.startsWith("capt-tfstate"))).toEqual([]);
  });

  it("takes over the Secret of a Workspace of the same name that is gone", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    await s.client.patch(Workspace, { name: "demo" }, { merge: { metadata: { finalizers: null } } });
    await s.remove();
    await s.make();
    await s.pass(1_000);
    expect(await s.says("Ready")).toBe(ready);
    const { metadata } = await s.client.get(Secret, "demo-connection", { namespace });
    expect(metadata?.ownerReferences?.[0]?.uid).toBe((await s.get()).metadata.uid);
  });

  it("does nothing that managementPolicies does not allow", async () => {
    s = await runnerStage();
    await s.make({ spec: { managementPolicies: ["Observe"] } });
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe(
      "False ReconcileError PlanFailed: there are changes, and managementPolicies has no Create",
    );
    expect(s.runs).toEqual(["plan changes"]);
  });
});

describe("the end of a Workspace", () => {
  it("R4, R5 is destroyed, and nothing of it is left", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { destroy: 10_000 } } });
    await s.pass(1_000);
    await s.remove();
    await s.pass(2_000);
    expect(await s.says("Ready")).toBe("False Deleting What the module describes is being destroyed");
    await s.pass(20_000);
    expect(await s.isGone()).toBe(true);
    expect(await secrets()).toEqual([]);
    expect(s.runs).toEqual(["plan changes", "apply applied", "destroy destroyed"]);
  });

  it("AS-54 is stopped first when it is being applied, and what was made is destroyed", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 60_000 } } });
    await s.pass(30_000);
    await s.remove();
    await s.pass(20_000);
    expect(s.runs).toEqual(["plan changes", "apply Cancelled", "destroy destroyed"]);
    expect([await s.isGone(), await secrets()]).toEqual([true, []]);
  });

  it("AS-40 is held, and says why, until a destroy goes through", async () => {
    s = await runnerStage();
    await s.make({ script: { fail: [{ operation: "destroy", times: 2, message: "in use" }] } });
    await s.pass(1_000);
    await s.remove();
    await s.pass(2_000);
    expect(await s.says("Synced")).toBe("False ReconcileError DestroyFailed: in use");
    await s.pass(60_000);
    expect(s.runs.slice(2)).toEqual(["destroy DestroyFailed", "destroy DestroyFailed", "destroy destroyed"]);
    expect(await s.isGone()).toBe(true);
  });

  it("AS-55 destroys from what it was made with, though that is gone", async () => {
    s = await runnerStage();
    const ref = { namespace, name: "v", key: "k" };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "v", namespace }, data: { k: "eA==" } };
    await s.client.create(Secret, secret as Secret);
    await s.make({ forProvider: { varFiles: [{ source: "SecretKey", secretKeyRef: ref }] } });
    await s.pass(1_000);
    expect((await s.kept())?.inputs.variableFiles).toEqual([{ format: "HCL", text: "x" }]);
    await s.client.delete(Secret, { name: "v", namespace }, { propagation: "Background" });
    await s.remove();
    await s.pass(10_000);
    expect(await s.isGone()).toBe(true);
  });

  it("keeps what it made, and its state, where its owner says so", async () => {
    s = await runnerStage();
    const { metadata } = await s.make({ spec: { deletionPolicy: "Orphan" } });
    await s.pass(1_000);
    await s.remove();
    await s.pass(10_000);
    expect(await s.isGone()).toBe(true);
    expect(s.runs).toEqual(["plan changes", "apply applied"]);
    expect(await secrets()).toContain(`capt-tfstate-${metadata.uid}`);
  });

  it("is destroyed before others are made, and at most so many at a time", async () => {
    s = await runnerStage({ concurrency: 1 });
    const script = { latencyMs: { apply: 10_000, destroy: 10_000 } };
    await s.make({ name: "a", script });
    await s.pass(11_000);
    await s.make({ name: "b", script });
    await s.pass(1_000);
    await s.make({ name: "c", script });
    await s.remove("a");
    s.runs.length = 0;
    await s.pass(60_000);
    expect(s.runs).toEqual(["apply applied", "destroy destroyed", "plan changes", "apply applied"]);
  });
});

describe("a process that is gone", () => {
  it("is followed by one that goes on, at any time of an apply and of a destroy", async () => {
    for (const at of [0, 5, 15, 25, 45, 65, 90, 150]) {
      s = await runnerStage();
      await s.make();
      await s.pass(at);
      await s.crash();
      await s.pass(5_000);
      expect([at, await s.says("Synced"), await s.says("Ready")]).toEqual([at, good, ready]);
      await s.remove();
      await s.pass(at);
      await s.crash();
      await s.pass(10_000);
      expect([at, await s.isGone(), await secrets()]).toEqual([at, true, []]);
      expect(s.complaints).toEqual([]);
      if (at !== 150) await s.end();
    }
  });

  it("does nothing to a Workspace that was well, and looks at it in its time", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    await s.crash();
    s.writes();
    s.runs.length = 0;
    await s.pass(500_000);
    expect([s.runs, s.writes()]).toEqual([[], []]);
    await s.pass(200_000);
    expect(s.runs).toEqual(["plan settled"]);
  });

  it("was asked to stop: its runs are stopped and their states saved, and have not failed", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 100_000 } } });
    await s.pass(50_000);
    const drained = s.drain();
    await s.pass(1_000);
    await drained;
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual(["", "False Creating The first run is under way"]);
    expect((await s.kept())?.state?.resources).toBe(2);
    await s.pass(60_000);
    expect(s.runs).toEqual(["plan changes", "apply stale"]);
    await s.halt();
    await s.crash();
    await s.pass(200_000);
    expect(await s.says("Ready")).toBe(ready);
  });

  it("12.8 a run is cancelled by its id, and not begun again before the annotation is gone", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 100_000 } } });
    await s.pass(50_000);
    await s.annotate({ [annotations.cancelRun]: "another" });
    expect(s.runs).toEqual(["plan changes"]);
    const id = /as run (\S+)/.exec((await s.events()).join("\n"))?.[1] ?? "";
    await s.annotate({ [annotations.cancelRun]: id });
    await s.pass(3_600_000);
    expect(s.runs).toEqual(["plan changes", "apply Cancelled"]);
    expect(await s.says("Synced")).toBe("False ReconcileError Cancelled: the run was cancelled: somebody asked for it");
    await s.annotate({ [annotations.cancelRun]: null });
    await s.pass(200_000);
    expect(await s.says("Ready")).toBe(ready);
  });
});

describe("12.1 Crossplane's provider", () => {
  const conflict = /RunnerConflict/;
  const installed = {
    ...toCrd(Workspace),
    metadata: {
      ...toCrd(Workspace).metadata,
      ownerReferences: [{ apiVersion: "pkg.crossplane.io/v1", kind: "ProviderRevision", name: "p", uid: "u" }],
    },
  };

  it("installed Workspaces: nothing is run", async () => {
    expected = [conflict];
    s = await runnerStage({ objects: [installed] });
    await s.make();
    await s.pass(600_000);
    expect([s.runs, s.writes()]).toEqual([[], []]);
    expect((await s.events()).join()).toContain(
      "Warning RunnerConflict Crossplane's package manager installed Workspaces",
    );
  });

  it("holds this Workspace: it is never touched, not even by a finalizer, and no other one is run", async () => {
    expected = [conflict];
    s = await runnerStage();
    await s.halt();
    await s.make({ name: "theirs" });
    await s.client.patch(
      Workspace,
      { name: "theirs" },
      { merge: { metadata: { finalizers: [finalizers.crossplane] } } },
    );
    await s.make({ name: "other" });
    s.writes();
    await s.crash();
    await s.pass(3_600_000);
    expect(s.runs).toEqual([]);
    expect(s.writes().filter((line) => line.includes("theirs"))).toEqual([]);
  });

  it("comes later: what is running is stopped, its state saved, and nothing more begun", async () => {
    expected = [conflict];
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 600_000 } } });
    await s.pass(200_000);
    const renewTime = formatTime(s.clock.now()).replace("Z", ".000000Z");
    const spec = { holderIdentity: "p", leaseDurationSeconds: 3600, renewTime };
    const metadata = { name: leases.crossplaneTerraform, namespace: operatorNamespace };
    await s.client.create(Lease, { apiVersion: Lease.apiVersion, kind: Lease.kind, metadata, spec } as Lease);
    await s.pass(120_000);
    expect(s.runs).toEqual(["plan changes", "apply stale"]);
    expect((await s.kept())?.state?.resources).toBeGreaterThan(0);
    await s.pass(600_000);
    expect(s.runs).toHaveLength(2);
  });

  it("is not there: its definition alone says nothing", async () => {
    s = await runnerStage();
    const found = await s.client.get(CustomResourceDefinition, "workspaces.tf.upbound.io");
    expect(found.metadata?.ownerReferences).toBeUndefined();
    await s.make();
    await s.pass(1_000);
    expect(await s.says("Ready")).toBe(ready);
  });
});

describe("12.9 the simulated runner", () => {
  it("says of itself that nothing is real, once in an event", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_800_000);
    expect(await s.says("Simulated")).toBe(
      "True Simulated Nothing is real: the operator only pretends to run the module",
    );
    expect((await s.get()).metadata.annotations?.[annotations.runner]).toBe("simulated");
    expect((await s.events()).filter((line) => line.startsWith("Warning Simulated"))).toHaveLength(1);
  });

  it("is told what to put out", async () => {
    s = await runnerStage();
    await s.make({ outputs: { vpc_id: "vpc-mine", extra: { b: 2, a: 1 }, azs: null } });
    await s.pass(1_000);
    expect(await s.connection()).toMatchObject({ vpc_id: "vpc-mine", extra: '{"a":1,"b":2}' });
    expect(await s.connection()).not.toHaveProperty("azs");
  });

  it("is told to be never ready", async () => {
    s = await runnerStage();
    await s.make({ script: { neverReady: true } });
    await s.pass(3_600_000);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual([
      good,
      "False Creating The first run is under way",
    ]);
  });

  it("is told to be late with the Secret, and to leave keys out", async () => {
    s = await runnerStage();
    await s.make({ script: { secretDelayMs: 120_000, dropKeys: ["vpc_id"] } });
    await s.pass(119_000);
    expect([await s.says("Ready"), await s.connection()]).toEqual([ready, undefined]);
    await s.pass(3_000);
    expect(Object.keys((await s.connection()) ?? {})).toEqual(["admin_password", "azs", "certificate"]);
    expect((await s.get()).status?.atProvider?.outputs).toHaveProperty("vpc_id");
  });

  it("is told to be out of step for a while", async () => {
    s = await runnerStage();
    await s.make({ script: { unsync: [{ afterMs: 10_000, forMs: 20_000, message: "drifted" }] } });
    await s.pass(9_000);
    expect(await s.says("Synced")).toBe(good);
    await s.pass(3_000);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual(["False ReconcileError drifted", ready]);
    await s.pass(20_000);
    expect(await s.says("Synced")).toBe(good);
  });

  it("does the same for the same Workspaces, byte for byte", async () => {
    const once = async () => {
      s = await runnerStage();
      await s.make({ script: { seed: 7, latencyMs: { apply: 5_000 } } });
      await s.pass(20_000);
      const all = JSON.stringify([await s.get(), (await s.client.list(Secret)).items, s.writes()]);
      return all;
    };
    const first = await once();
    await s.end();
    expect(await once()).toBe(first);
  });

  it("is followed by a real one, which refuses what was never real", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1_000);
    await s.crash({ ...simulatedEngine({ clock: s.clock }), name: "tofu" });
    await s.client.patch(Workspace, { name: "demo" }, { merge: { spec: { forProvider: { module: "# two" } } } });
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe(
      "False ReconcileError StateConflict: the simulated runner made what there is; delete the Workspace and make it again",
    );
    expect((await s.get()).metadata.annotations?.[annotations.errorClass]).toBe("StateConflict");
  });

  it("AS-57 nothing secret is in what it says, writes or logs", async () => {
    s = await runnerStage();
    const marker = "XyZzY-hush";
    const fail = [{ operation: "apply", times: 1, message: `no access with token=${marker}` }];
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "v", namespace } };
    const data = { k: Buffer.from(marker).toString("base64") };
    await s.client.create(Secret, { ...secret, data } as Secret);
    const secretKeyRef = { namespace, name: "v", key: "k" };
    await s.make({
      script: { fail },
      outputs: { certificate: marker, my_token: marker },
      forProvider: { vars: [{ key: "name", value: marker }], env: [{ name: "E", secretKeyRef }] },
    });
    await s.annotate({ [annotations.simOutputs]: JSON.stringify({ certificate: marker, my_token: marker }) });
    await s.pass(60_000);
    expect(await s.connection()).toMatchObject({ certificate: marker, my_token: marker });
    await s.annotate({ [annotations.simOutputs]: null, [annotations.simScript]: null });
    expect(await s.told()).not.toContain(marker);
  });
});
