// The simulated runner: what it says of itself, and what it can be told to do (12.9).
import { Buffer } from "node:buffer";
import { toCrd } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations } from "../src/names.ts";
import { ProviderConfig } from "../src/runner/provider-config.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { good, module, namespace, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

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

  it("AS-57 nothing secret is in what it says, asks for or logs, from its first run to its end", async () => {
    s = await runnerStage({ objects: [toCrd(Workspace), toCrd(ProviderConfig)] });
    const marker = "XyZzY-hush";
    const encoded = Buffer.from(marker).toString("base64");
    const { apiVersion, kind } = ProviderConfig;
    const spec = { configuration: `# ${marker}` };
    await s.client.create(ProviderConfig, { apiVersion, kind, metadata: { name: "default" }, spec });
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "v", namespace }, data: { k: encoded } };
    await s.client.create(Secret, secret as Secret);
    const secretKeyRef = { namespace, name: "v", key: "k" };
    const message = `no access with token=${marker}`;
    await s.make({
      module: `${module}\n# ${marker}`,
      script: { fail: ["plan", "apply", "destroy"].map((operation) => ({ operation, times: 1, message })) },
      outputs: { certificate: marker, my_token: marker },
      forProvider: {
        vars: [{ key: "name", value: marker }],
        varmap: { more: marker },
        varFiles: [{ source: "SecretKey", secretKeyRef }],
        env: [
          { name: "TF_VAR_e", secretKeyRef },
          { name: "TF_VAR_f", value: marker },
        ],
      },
    });
    await s.pass(120_000);
    expect(await s.connection()).toMatchObject({ certificate: marker, my_token: marker });
    expect((await s.kept())?.inputs).toMatchObject({
      env: { TF_VAR_e: marker, TF_VAR_f: marker },
      provider: `# ${marker}`,
    });
    await s.crash();
    await s.pass(900_000);
    await s.remove();
    await s.pass(120_000);
    const ended = ["plan PlanFailed", "apply ApplyFailed", "destroy DestroyFailed"];
    expect([await s.isGone(), s.runs]).toEqual([true, expect.arrayContaining(ended)]);
    const told = await s.told();
    expect(told.match(/no access with token=/g)?.length).toBeGreaterThanOrEqual(6); // in a status and in an Event each
    expect(told).not.toContain(marker);
    expect(told).not.toContain(encoded);
  });
});
