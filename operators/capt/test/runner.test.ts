// Workspaces run by the simulated runner on the embedded server: the rows of 12.5, what is published and in which order.
import { afterEach, describe, expect, it } from "vitest";
import { type RunnerStage, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
afterEach(async () => {
  expect(s.complaints).toEqual([]);
  await s.end();
});

describe("a Workspace", () => {
  it("R6 to R9 is planned, applied and published", async () => {
    s = await runnerStage();
    await s.make();
    await s.pass(1000);
    expect(await s.says("Synced")).toBe("True ReconcileSuccess The last run went through");
    expect(await s.says("Ready")).toBe("True Available What the module describes exists");
    expect(s.runs).toEqual(["plan changes", "apply applied"]);
    expect(Object.keys((await s.connection()) ?? {})).toEqual(["admin_password", "azs", "certificate", "vpc_id"]);
    expect((await s.get()).status?.atProvider?.outputs).toEqual({
      azs: ["sim-a", "sim-b", "sim-c"],
      vpc_id: expect.stringMatching(/^vpc-[0-9a-f]{17}$/),
    });
    expect((await s.get()).status?.observedGeneration).toBe(1);
  });
});
