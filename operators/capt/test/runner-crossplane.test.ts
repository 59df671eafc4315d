// Where Crossplane's provider runs Workspaces, the built-in runner stands aside (12.1).
import { formatTime, toCrd } from "@telltale/kinds";
import { CustomResourceDefinition, Lease } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Workspace } from "../src/kinds/workspace.ts";
import { finalizers, leases } from "../src/names.ts";
import { operatorNamespace, type RunnerStage, ready, runnerStage } from "./runner-stage.ts";

let s: RunnerStage;
afterEach(() => s.end());

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
    s = await runnerStage({ objects: [installed], complains: conflict });
    await s.make();
    await s.pass(600_000);
    expect([s.runs, s.writes()]).toEqual([[], []]);
    expect((await s.events()).join()).toContain(
      "Warning RunnerConflict Crossplane's package manager installed Workspaces",
    );
  });

  it("holds this Workspace: it is never touched, not even by a finalizer, and no other one is run", async () => {
    s = await runnerStage({ complains: conflict });
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
    s = await runnerStage({ complains: conflict });
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
