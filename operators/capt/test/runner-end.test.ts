// The end of a Workspace, and of the process that runs it: nothing is left of the first, and nothing lost with the second (12.8).
import { CustomResourceDefinition, Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { annotations } from "../src/names.ts";
import { good, namespace, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
afterEach(() => s.end());

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
    expect(await s.secrets()).toEqual([]);
    expect(s.runs).toEqual(["plan changes", "apply applied", "destroy destroyed"]);
  });

  it("AS-54 is stopped first when it is being applied, and what was made is destroyed", async () => {
    s = await runnerStage();
    await s.make({ script: { latencyMs: { apply: 60_000 } } });
    await s.pass(30_000);
    await s.remove();
    await s.pass(20_000);
    expect(s.runs).toEqual(["plan changes", "apply Cancelled", "destroy destroyed"]);
    expect([await s.isGone(), await s.secrets()]).toEqual([true, []]);
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
    expect(await s.secrets()).toContain(`capt-tfstate-${metadata.uid}`);
  });

  it("goes with its definition: it is destroyed first, and nothing of it is left", async () => {
    s = await runnerStage({ complains: /install its CRD/ });
    await s.make();
    await s.pass(1_000);
    const definition = { name: "workspaces.tf.upbound.io" };
    await s.client.delete(CustomResourceDefinition, definition, { propagation: "Background" });
    await s.pass(20_000);
    expect([s.runs, await s.secrets()]).toEqual([["plan changes", "apply applied", "destroy destroyed"], []]);
    await expect(s.client.get(CustomResourceDefinition, definition.name)).rejects.toThrow("not found");
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
      expect([at, await s.isGone(), await s.secrets()]).toEqual([at, true, []]);
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
