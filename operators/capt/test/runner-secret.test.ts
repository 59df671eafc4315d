// The connection Secret of a Workspace: what is in it, when it is written, and whose it is (12.5, 12.6).
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Workspace } from "../src/kinds/workspace.ts";
import { good, namespace, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
afterEach(() => s.end());

describe("the connection Secret", () => {
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

  it("one without outputs is written once", async () => {
    s = await runnerStage();
    await s.make({ module: "# nothing is put out" });
    await s.pass(1_000);
    expect(await s.secrets()).toContain("demo-connection");
    s.writes();
    s.runs.length = 0;
    await s.pass(15 * 60_000);
    expect([s.runs, s.writes()]).toEqual([["plan settled"], []]);
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
    expect((await s.secrets()).filter((name) => !name?.startsWith("capt-tfstate"))).toEqual(["other"]);
    await s.client.patch(Workspace, { name: "demo" }, { merge: { spec: { writeConnectionSecretToRef: null } } });
    await s.pass(1_000);
    expect((await s.secrets()).filter((name) => !name?.startsWith("capt-tfstate"))).toEqual([]);
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
});
