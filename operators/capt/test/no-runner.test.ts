// Where no program runs Workspaces: `auto` found neither Crossplane's provider nor tofu nor terraform. Nothing is made up.
import { afterEach, describe, expect, it } from "vitest";
import { WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { missingEngine, noRunnerFix } from "../src/runner/missing-engine.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { type Demo, demo } from "./demo.ts";
import { available, good, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

const never = `False NoRunner no program runs Workspaces; ${noRunnerFix}`;
const unseen = `Unknown NoRunner What an earlier run made is not looked at: no program runs Workspaces; ${noRunnerFix}`;

describe("a Workspace without a runner", () => {
  let s: RunnerStage;
  afterEach(() => s.end());

  it("is not ready, says how to get a runner, and is not held", async () => {
    s = await runnerStage({ engine: missingEngine() });
    await s.make();
    await s.pass(3_600_000);
    expect([await s.says("Ready"), await s.says("Synced")]).toEqual([never, ""]);
    expect(s.runs).toEqual([]);
    expect(await s.secrets()).toEqual([]);
    expect(await s.events()).toEqual([]);
    await s.remove();
    expect(await s.isGone()).toBe(true);
  });

  it("is said once, and then nothing is written", async () => {
    s = await runnerStage({ engine: missingEngine() });
    await s.make();
    await s.pass(1_000);
    s.writes();
    await s.pass(3_600_000);
    expect(s.writes()).toEqual([]);
  });

  it("is not ready any more where the run was only simulated, and shows none of its outputs", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(10_000);
    expect(await s.says("Ready")).toBe(ready);
    await s.crash(missingEngine());
    await s.pass(10_000);
    expect([await s.says("Ready"), await s.says("Synced"), await s.says("Simulated")]).toEqual([never, "", ""]);
    expect((await s.get()).status?.atProvider).toBeUndefined();
    await s.remove();
    await s.pass(10_000);
    expect(await s.isGone()).toBe(true);
    expect(await s.secrets()).toEqual([]);
  });

  it("is unknown where a real run made it, keeps what is known, and is looked at at once when a runner is back", async () => {
    const tofu = () => ({ ...simulatedEngine({ clock: s.clock }), name: "tofu" as const });
    s = await runnerStage({ engine: missingEngine() });
    await s.crash(tofu());
    await s.make();
    await s.pass(10_000);
    expect([await s.says("Ready"), (await s.get()).metadata.annotations?.[annotations.runner]]).toEqual([
      available,
      undefined,
    ]);
    const { atProvider } = (await s.get()).status ?? {};
    await s.crash(missingEngine());
    await s.pass(3_600_000);
    expect([await s.says("Ready"), await s.says("Synced")]).toEqual([unseen, good]);
    expect((await s.get()).status?.atProvider).toEqual(atProvider);
    const before = s.runs.length;
    await s.crash(tofu());
    await s.pass(10_000);
    expect(s.runs.slice(before)[0]).toMatch(/^plan /);
    expect([await s.says("Ready"), await s.says("Synced")]).toEqual([available, good]);
  });

  it("stays while what a real run made is there, and says why", async () => {
    s = await runnerStage({ engine: missingEngine() });
    await s.crash({ ...simulatedEngine({ clock: s.clock }), name: "tofu" });
    await s.make();
    await s.pass(10_000);
    await s.crash(missingEngine());
    await s.remove();
    await s.pass(3_600_000);
    expect(await s.isGone()).toBe(false);
    expect(await s.says("Ready")).toBe(
      `False Deleting What the module made is still there: no program runs Workspaces; ${noRunnerFix}`,
    );
  });
});

describe("a cluster without a runner", () => {
  let s: Demo;
  afterEach(() => s.end());

  it("says so from the Workspace up, for as long as it lasts, and no deadline runs", async () => {
    s = await demo({ runner: "missing", config: { clusterApiMode: "standalone" } });
    await s.all();
    for (const wait of [60_000, 7_200_000]) {
      await s.pass(wait);
      const apply = await s.the.vpcApply();
      const workspace = await s.the.workspace(apply?.metadata.name ?? "");
      const said = [workspace, apply, await s.the.network(), await s.the.plane()].map((object) => {
        const found = object?.status?.conditions?.find(({ type }) => type === "Ready");
        return `${found?.status} ${found?.reason}`;
      });
      expect(said).toEqual(["False NoRunner", "False NoRunner", "False NoRunner", "False NoRunner"]);
      expect(await s.networkSays("VPCCreating")).toMatch(/^False NoRunner/);
      expect((await s.the.network()).status).not.toHaveProperty("failureReason");
      expect((await s.the.plane()).status).not.toHaveProperty("failureReason");
      expect((await s.the.network()).status).toMatchObject({ ready: false });
      expect((await s.the.plane()).status).toMatchObject({ ready: false, phase: "Creating" });
      expect((await s.the.cluster()).status?.phase).toBe("Provisioning");
    }
    expect(await s.get(WorkspaceTemplateApply, "demo-cp-control-plane")).toBeUndefined();
  });

  it("says so of a control plane whose network was there before", async () => {
    s = await demo({ runner: "missing", config: { clusterApiMode: "standalone" } });
    await s.all({ network: { vpcTemplateRef: undefined, existingVpcId: "vpc-0123456789abcdef0" } });
    await s.pass(7_200_000);
    expect(await s.planeSays("Ready")).toMatch(/^False NoRunner/);
    expect(await s.planeSays("Creating")).toMatch(/^False NoRunner/);
    expect((await s.the.plane()).status).toMatchObject({ ready: false, phase: "Creating" });
    expect((await s.the.plane()).status).not.toHaveProperty("failureReason");
  });
});
