// The simulated runner: what it says of itself, and what it can be told to do (12.9).
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations } from "../src/names.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { good, namespace, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
afterEach(() => s.end());

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
