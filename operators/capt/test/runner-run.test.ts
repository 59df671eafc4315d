// Workspaces run by the simulated runner on the embedded server: the rows of 12.5, from the first plan to the looks at rest.
import { afterEach, describe, expect, it } from "vitest";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations, finalizers } from "../src/names.ts";
import { good, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
afterEach(() => s.end());

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
      expect.stringMatching(/^Unknown ReconcilePaused/),
    ]);
    await s.annotate({ [annotations.crossplanePaused]: null });
    await s.pass(1_000);
    expect([await s.says("Synced"), await s.says("Ready")]).toEqual([good, ready]);
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
