// Runs that fail, may not begin, or wait for something: what is said, and when they are tried again (12.2, 12.5, 12.7).
import { plus } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations } from "../src/names.ts";
import { good, namespace, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
afterEach(() => s.end());

describe("a run that does not go through", () => {
  it("R10 says the class and the words of a failure, keeps Ready, and tries again later and later", async () => {
    s = await runnerStage();
    const fail = [{ operation: "apply", times: 2, class: "ApplyFailed", message: "it broke, RequestID: 123-abc" }];
    await s.make({ script: { fail } });
    await s.pass(1_000);
    expect(await s.says("Synced")).toBe("False ReconcileError ApplyFailed: it broke, RequestID: <id>");
    expect(await s.says("Ready")).toBe("False Creating No run has gone through yet");
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

  it("R10 is tried again when it is due, though the clock on the wall was set back meanwhile", async () => {
    s = await runnerStage();
    await s.make({ script: { fail: [{ operation: "apply", times: 1, message: "no" }] } });
    await s.pass(1_000);
    expect(s.runs).toEqual(["plan changes", "apply ApplyFailed"]);
    s.clock.jump(plus(s.clock.now(), -3_600_000));
    await s.pass(20_000);
    expect([s.runs.slice(2), await s.says("Ready")]).toEqual([["plan changes", "apply applied"], ready]);
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
      "InvalidConfiguration: forProvider.initArgs[0]: -backend-config is not allowed; take it out (allowed: -lock, -lock-timeout, -lockfile, -no-color, -upgrade)",
    ],
    [{ entrypoint: "../other" }, "InvalidConfiguration: forProvider.entrypoint is not a folder inside the module"],
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
    await s.make({ forProvider: { env: [{ name: "TF_VAR_k", secretKeyRef }] } });
    await s.pass(5_000);
    expect(await s.says("Synced")).toBe("False ReconcileError PlanFailed: not there: Secret t1/creds key k");
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "creds", namespace }, data: { k: "eA==" } };
    await s.client.create(Secret, secret as Secret);
    await s.pass(30_000);
    expect(await s.says("Ready")).toBe(ready);
  });
});
