// Section 6: crashes, pauses, and the end of an apply and its Workspace.
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { NamespacedWorkspace, Workspace } from "../src/kinds/workspace.ts";
import { annotations, labels } from "../src/names.ts";
import { anyCluster } from "../src/server.ts";
import {
  apply,
  edit,
  end,
  fresh,
  it,
  nameOf,
  patch,
  says,
  status,
  template,
  workspace,
  workspaces,
  workspaceWrites,
} from "./apply-stage.ts";
import { namespace, type StageOptions } from "./stage.ts";

afterEach(end);

describe("crashes, losses and old news", () => {
  test("WTA-1 a crash between the Workspace and the status does no harm", async () => {
    await fresh();
    await template();
    await it.halt();
    await apply();
    const rule = it.server.faults.add({
      match: { verbs: ["patch"], resource: "workspacetemplateapplies", subresource: "status" },
      effect: { status: 503, message: "not now" },
    });
    await it.restart();
    expect(await workspace()).toBeDefined();
    expect((await status()).conditions).toBeUndefined();
    await it.restart("crash");
    it.server.faults.remove(rule);
    await it.restart("crash");
    expect(await status()).toMatchObject({ applied: true, workspaceName: nameOf() });
    expect(await workspaces()).toHaveLength(1);
    expect((await workspace())?.metadata.generation).toBe(1);
    it.complaints.length = 0;
  });

  test("AS-24 a status that was wiped comes back, and the Workspace is not written", async () => {
    await fresh();
    await template();
    await apply();
    await it.runs(nameOf(), { synced: true, ready: true });
    await it.pass(20_000);
    const before = await status();
    await it.client.status.patch(
      WorkspaceTemplateApply,
      { name: "demo-vpc", namespace },
      { json: [{ op: "remove", path: "/status" }] },
    );
    it.writes();
    await it.pass(600_000);
    const timeless = (value: unknown) =>
      JSON.stringify(value, (key, it) => (key === "lastTransitionTime" || key === "lastAppliedTime" ? "" : it));
    expect(timeless(await status())).toBe(timeless(before));
    expect(workspaceWrites()).toEqual([]);
  });

  test("AS-28 a Workspace that vanishes is made again under the same name", async () => {
    await fresh();
    await template();
    await apply();
    const before = await workspace();
    await it.remove(Workspace, nameOf());
    const after = await workspace();
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(after?.spec).toEqual(before?.spec);
    expect(await says("Ready")).toBe("");
  });

  test("a Workspace that somebody deletes is waited for, and made again when it is gone", async () => {
    await fresh();
    await template();
    await apply();
    const held = { merge: { metadata: { finalizers: ["example.com/held"] } } };
    await it.client.patch(Workspace, { name: nameOf() }, held);
    await it.remove(Workspace, nameOf());
    await edit({ module: "changed" });
    expect((await workspace())?.spec.forProvider.module).not.toBe("changed");
    await it.client.patch(Workspace, { name: nameOf() }, { merge: { metadata: { finalizers: null } } });
    await it.pass(1_000);
    expect((await workspace())?.spec.forProvider.module).toBe("changed");
  });

  test("an apply that is gone on the server makes no Workspace, whatever the cache says", async () => {
    let isGone = true;
    const wrap: StageOptions["wrap"] = (way) => ({
      send(request) {
        const isAsked = request.method === "GET" && request.path.includes("/workspacetemplateapplies/demo-vpc");
        return way.send(isAsked && isGone ? { ...request, path: request.path.replace("demo-vpc", "none") } : request);
      },
      close: () => way.close(),
    });
    await fresh({ wrap });
    await template();
    await apply();
    await it.pass(5_000);
    expect(await workspaces()).toEqual([]);
    isGone = false;
    await it.pass(5_000);
    expect(await workspaces()).toHaveLength(1);
  });

  test("a server that lacks a field of ours is quoted", async () => {
    await fresh();
    const spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    const path = `${spec}/properties/forProvider/properties/enableTerraformCLILogging`;
    await it.client.patch(
      CustomResourceDefinition,
      { name: "workspaces.tf.upbound.io" },
      { json: [{ op: "remove", path }] },
    );
    await template({ enableTerraformCLILogging: true });
    await apply();
    expect(await says("TemplateResolved")).toMatch(
      /^False InvalidTemplate the server refuses the Workspace: .*CLILogging/,
    );
  });

  test("a server on which others change what we say is not told again and again", async () => {
    const wrap: StageOptions["wrap"] = (way) => ({
      send(request) {
        const { body } = request;
        const other =
          typeof body === "string" ? body.replace('"deletionPolicy":"Delete"', '"deletionPolicy":"Orphan"') : body;
        return way.send(other === undefined ? request : { ...request, body: other });
      },
      close: () => way.close(),
    });
    await fresh({ wrap });
    await it.make(WorkspaceTemplate, {
      metadata: { name: "vpc" },
      spec: { template: { spec: { deletionPolicy: "Delete", forProvider: { source: "Inline", module: "m" } } } },
    });
    await apply();
    expect(await says("Applied")).toMatch(/^True/);
    expect((await workspace())?.spec.deletionPolicy).toBe("Orphan");
    it.writes();
    await it.pass(3_600_000);
    expect(it.writes()).toEqual([]);
  });
});

describe("pause", () => {
  test("A2 a paused apply does nothing but say so, not even when it is deleted", async () => {
    await fresh();
    await template();
    await apply({}, "demo-vpc", { annotations: { [annotations.paused]: "" } });
    expect(await says("Paused")).toBe("True Paused WorkspaceTemplateApply has the cluster.x-k8s.io/paused annotation");
    expect(it.writes()).toHaveLength(1);
    expect((await it.get(WorkspaceTemplateApply, "demo-vpc"))?.metadata.finalizers).toBeUndefined();
    await patch({ metadata: { annotations: { [annotations.paused]: null } } });
    await it.pass(2_000);
    expect(await workspace()).toBeDefined();
    await patch({ metadata: { annotations: { [annotations.paused]: "" } } });
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    await it.pass(600_000);
    expect(await workspace()).toBeDefined();
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeDefined();
    await patch({ metadata: { annotations: { [annotations.paused]: null } } });
    await it.pass(2_000);
    expect(await workspaces()).toEqual([]);
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
  });

  test("A2 an apply is paused with its Cluster", async () => {
    await fresh();
    await template();
    await it.make(anyCluster(it.kinds), { metadata: { name: "demo" }, spec: { paused: true } });
    await apply({}, "demo-vpc", { labels: { [labels.clusterName]: "demo" } });
    expect(await says("Paused")).toBe("True Paused Cluster spec.paused is true");
    await it.client.patch(anyCluster(it.kinds), { name: "demo", namespace }, { merge: { spec: { paused: false } } });
    await it.pass(301_000);
    expect(await says("Paused")).toBe("False NotPaused not paused");
    expect(await workspace()).toBeDefined();
  });
});

describe("the end", () => {
  const held = () =>
    it.client.patch(Workspace, { name: nameOf() }, { merge: { metadata: { finalizers: ["example.com/held"] } } });
  const release = async () => {
    await it.client.patch(Workspace, { name: nameOf() }, { merge: { metadata: { finalizers: null } } });
    await it.pass(1_000);
  };

  test("6.6 AS-40 the Workspace goes first; a destroy that fails is seen", async () => {
    await fresh();
    await template();
    await apply();
    await held();
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    expect((await workspace())?.metadata.deletionTimestamp).toBeDefined();
    expect(await says("Deleting")).toBe(`True WaitingForWorkspaceDeletion waiting for workspace ${nameOf()}`);
    await it.runs(nameOf(), { synced: false, ready: false, reason: "Deleting", message: "token=abc is in use" });
    await it.pass(2_000);
    expect(await says("Deleting")).toBe(
      `True WaitingForWorkspaceDeletion waiting for workspace ${nameOf()}: token=<redacted> is in use`,
    );
    expect(it.writes().filter(({ method }) => method === "DELETE")).toHaveLength(1);
    await it.pass(600_000);
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeDefined();
    await release();
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
    await it.pass(5_000);
    expect((await it.events(WorkspaceTemplateApply)).filter((it) => it === "DeletedWorkspace")).toHaveLength(1);
  });

  test("6.6 a Workspace that no status names is found by its name", async () => {
    await fresh();
    await template();
    await apply();
    await it.halt();
    await it.client.status.patch(
      WorkspaceTemplateApply,
      { name: "demo-vpc", namespace },
      { json: [{ op: "remove", path: "/status" }] },
    );
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    await it.restart();
    expect(await workspaces()).toEqual([]);
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
  });

  test("6.6 somebody else's Workspace stays", async () => {
    await fresh();
    await template();
    await apply();
    await it.halt();
    await it.client.patch(
      Workspace,
      { name: nameOf() },
      {
        merge: { metadata: { annotations: { [annotations.applyUid]: "x" }, labels: { [labels.applyName]: "other" } } },
      },
    );
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    await it.restart();
    expect(await workspaces()).toHaveLength(1);
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
  });

  test.each([
    ["goes along", 0, {}],
    ["stays where it was retained", 1, { [annotations.retained]: "true" }],
  ] as const)(
    "6.6 of an apply that was put back under its name and deleted unseen the Workspace %s",
    async (_how, left, notes) => {
      await fresh();
      await template();
      await apply();
      await it.halt();
      const merge = { metadata: { annotations: { [annotations.applyUid]: "the one before", ...notes } } };
      await it.client.patch(Workspace, { name: nameOf() }, { merge });
      await it.remove(WorkspaceTemplateApply, "demo-vpc");
      await it.restart();
      expect(await workspaces()).toHaveLength(left);
      expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
    },
  );

  test.each(["Cluster", "Namespaced"] as const)("AS-39 a retained Workspace stays, scope %s", async (scope) => {
    await fresh({ kinds: { Workspace: scope === "Cluster" ? Workspace : NamespacedWorkspace } });
    await template();
    await apply({ retainWorkspaceOnDelete: true });
    const [before] = await workspaces();
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    await it.pass(600_000);
    const [after] = await workspaces();
    expect(after?.metadata).toMatchObject({
      uid: before?.metadata.uid,
      annotations: { [annotations.retained]: "true" },
    });
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
    expect(await it.events(WorkspaceTemplateApply)).toContain("RetainedWorkspace");
  });

  test("an apply that never made anything goes at once", async () => {
    await fresh();
    await apply();
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
  });
});
