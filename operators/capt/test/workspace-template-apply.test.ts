import { afterEach, describe, expect, test } from "vitest";
import { WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { NamespacedWorkspace, Workspace } from "../src/kinds/workspace.ts";
import { annotations, finalizers, labels } from "../src/names.ts";
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
} from "./apply-stage.ts";
import { namespace } from "./stage.ts";

afterEach(end);

describe("from a template to a Workspace", () => {
  test("A4 A11 the rendered Workspace is made once, with the way back to its apply", async () => {
    await fresh();
    await template();
    await apply();
    const made = await workspace();
    expect(made?.spec.forProvider.vars).toEqual([{ key: "name", value: "net" }]);
    expect(made?.spec.writeConnectionSecretToRef).toEqual({ name: "demo-vpc-connection", namespace });
    const { uid, finalizers: held } = (await it.get(WorkspaceTemplateApply, "demo-vpc"))?.metadata ?? {};
    expect(held).toEqual([finalizers.workspaceTemplateApply]);
    expect(made?.metadata.labels).toEqual({ [labels.applyName]: "demo-vpc", [labels.applyNamespace]: namespace });
    const { revision, ...rest } = await status();
    expect(made?.metadata.annotations).toEqual({ [annotations.applyUid]: uid, [annotations.revision]: revision });
    expect(rest).toMatchObject({ applied: true, workspaceName: nameOf(), observedGeneration: 1 });
    expect(rest.lastAppliedTime).toBeDefined();
    expect(await says("Applied")).toBe(`True Applied workspace ${nameOf()} exists as rendered`);
    expect(await says("TemplateResolved")).toBe("True TemplateResolved the template is rendered");
    expect(await says("DependenciesReady")).toBe("True DependenciesReady nothing is waited for");
    expect(await says("Ready")).toBe("");
    expect(it.writes().map(({ method, path, manager }) => `${method} ${path.split("/").at(-1)} ${manager}`)).toEqual([
      "PATCH demo-vpc capt-workspace",
      `PATCH ${nameOf()} capt-workspace`,
      "PATCH status capt-workspace",
    ]);
    await it.pass(5_000);
    expect(await it.events(WorkspaceTemplateApply)).toEqual(
      expect.arrayContaining(["CreatedWorkspace", "WaitingForSync"]),
    );
  });

  test("WTA-4 a Workspace without a namespace has no owner, one with a namespace has", async () => {
    await fresh();
    await template();
    await apply();
    expect((await workspace())?.metadata.ownerReferences).toBeUndefined();
    await it.end();
    await fresh({ kinds: { Workspace: NamespacedWorkspace } });
    await template();
    const { metadata } = await apply();
    const [made] = await workspaces();
    expect(made?.metadata).toMatchObject({ name: "demo-vpc", namespace });
    expect(made?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
  });

  test("outputs go where the template says, unless the apply says otherwise", async () => {
    await fresh();
    const outputs = { name: "outputs", namespace };
    await template();
    await it.client.patch(
      WorkspaceTemplate,
      { name: "vpc", namespace },
      { merge: { spec: { writeConnectionSecretToRef: outputs } } },
    );
    await apply();
    expect((await workspace())?.spec.writeConnectionSecretToRef).toEqual(outputs);
    const other = { name: "other", namespace };
    await patch({ spec: { writeConnectionSecretToRef: other } });
    await it.pass(2_000);
    expect((await workspace())?.spec.writeConnectionSecretToRef).toEqual(other);
  });

  test("A12 the conditions of the Workspace are repeated with their times, and cleaned", async () => {
    await fresh();
    await template();
    await apply();
    await it.pass(60_000);
    const message = "boom RequestID: 1234-5678 password=hunter2";
    await it.runs(nameOf(), { synced: false, ready: false, message });
    expect(await says("Synced")).toBe("False ReconcileError boom RequestID: <id> password=<redacted>");
    const theirs = (await workspace())?.status?.conditions?.find(({ type }) => type === "Ready");
    const ours = (await status()).conditions?.find(({ type }) => type === "Ready");
    expect(ours?.lastTransitionTime).toBe(theirs?.lastTransitionTime);
    expect(ours).toMatchObject({ status: "False", reason: "Creating", observedGeneration: 1 });
    await it.pass(2_000);
    await it.runs(nameOf(), { synced: true, ready: true });
    expect(await says("Ready")).toMatch(/^True Available/);
    await it.pass(5_000);
    expect(await it.events(WorkspaceTemplateApply)).toContain("WorkspaceReady");
  });

  test("L-12 a message that changes only in its ids is written once", async () => {
    await fresh();
    await template();
    await apply();
    await it.runs(nameOf(), { synced: false, message: "boom RequestID: 0" });
    await it.pass(5_000);
    it.writes();
    for (let i = 1; i < 20; i += 1) {
      await it.runs(nameOf(), { synced: false, message: `boom RequestID: ${i}abc` });
      await it.pass(5_000);
    }
    expect(it.writes()).toEqual([]);
  });

  test("L-1 L-2 where nothing changes, nothing is written", async () => {
    await fresh();
    await template();
    await apply();
    await it.runs(nameOf(), { synced: true, ready: true });
    await it.pass(20_000);
    it.writes();
    it.samples.length = 0;
    await it.pass(3_600_000);
    expect(it.writes()).toEqual([]);
    const causes = it.samples.flatMap((sample) => (sample.is === "enqueue" ? [sample.cause] : []));
    expect(new Set(causes)).toEqual(new Set(["timer"]));
    expect(causes.length).toBeLessThanOrEqual(12);
  });

  test("L-14 a hundred changes within a second are at most two writes", async () => {
    await fresh();
    await template();
    await apply();
    await it.runs(nameOf(), { synced: true, ready: true });
    await it.pass(20_000);
    it.writes();
    for (let i = 0; i < 100; i += 1) {
      await it.runs(nameOf(), { synced: true, ready: true, message: `state ${i}` });
      await it.pass(9);
    }
    expect(it.writes().length).toBeLessThanOrEqual(2);
    await it.pass(2_000);
    expect(await says("Ready")).toBe("True Available state 99");
  });

  test("WTA-2 changes of the template and of variables reach the Workspace", async () => {
    await fresh();
    await template();
    await apply();
    const { revision, lastAppliedTime } = await status();
    await it.pass(60_000);
    await edit({ module: "changed" });
    expect((await workspace())?.spec.forProvider.module).toBe("changed");
    const second = await status();
    expect(second.revision).not.toBe(revision);
    expect(second.lastAppliedTime).not.toBe(lastAppliedTime);
    await patch({ spec: { variables: { vpc_name: "other" } } });
    await it.pass(2_000);
    expect((await workspace())?.spec.forProvider.vars).toEqual([{ key: "name", value: "other" }]);
    expect(await it.events(WorkspaceTemplateApply)).toContain("UpdatedWorkspace");
  });

  test("WTA-2 what the template no longer says is taken away again", async () => {
    await fresh();
    await template({ entrypoint: "envs/prod" });
    await apply();
    expect((await workspace())?.spec.forProvider.entrypoint).toBe("envs/prod");
    await edit({ entrypoint: null });
    expect((await workspace())?.spec.forProvider.entrypoint).toBeUndefined();
  });

  test("what others say of the Workspace stays, what they say instead of us does not", async () => {
    await fresh();
    await template();
    await apply();
    const merge = { spec: { providerConfigRef: { name: "special" }, forProvider: { module: "seized" } } };
    await it.client.patch(Workspace, { name: nameOf() }, { merge });
    await it.pass(1_000);
    expect((await workspace())?.spec).toMatchObject({
      providerConfigRef: { name: "special" },
      forProvider: { module: 'output "vpc_id" { value = "x" }' },
    });
  });

  test("A11h a held revision waits, and goes through when it is let go", async () => {
    await fresh();
    await template();
    await apply({}, "demo-vpc", { annotations: { [annotations.holdRevision]: "" } });
    expect(await says("Applied")).toMatch(/^True Applied/);
    await edit({ module: "changed" });
    expect(await says("Applied")).toMatch(/^False Held/);
    expect(await status()).toMatchObject({ applied: true });
    expect((await workspace())?.spec.forProvider.module).not.toBe("changed");
    await it.pass(2_000);
    it.writes();
    await it.pass(3_600_000);
    expect(it.writes()).toEqual([]);
    await patch({ metadata: { annotations: { [annotations.holdRevision]: null } } });
    await it.pass(2_000);
    expect((await workspace())?.spec.forProvider.module).toBe("changed");
    expect(await says("Applied")).toMatch(/^True Applied/);
  });
});

describe("the template", () => {
  test("A8 L-10 one that is not there is waited for, without a growing pause", async () => {
    await fresh();
    await apply();
    expect(await says("TemplateResolved")).toBe("False WorkspaceTemplateNotFound WorkspaceTemplate t1/vpc not found");
    expect(await says("Applied")).toBe(`False NotApplied workspace ${nameOf()} does not exist yet`);
    it.samples.length = 0;
    await it.pass(600_000);
    expect(it.samples.filter((sample) => sample.is === "pass").length).toBe(20);
    await template();
    expect(await workspace()).toBeDefined();
  });

  test("A9 without it a Workspace that exists runs on, and its state is told", async () => {
    await fresh();
    await template();
    await apply();
    await it.remove(WorkspaceTemplate, "vpc");
    await it.runs(nameOf(), { synced: true, ready: true });
    await it.pass(2_000);
    expect(await says("TemplateResolved")).toMatch(/^False WorkspaceTemplateNotFound/);
    expect(await says("Applied")).toMatch(/^Unknown NotRendered/);
    expect(await says("Ready")).toMatch(/^True/);
  });

  test("A10 one that cannot be rendered is named, until somebody corrects it", async () => {
    await fresh();
    await template({ module: "${vpc_name}" });
    await apply({ variables: { vpc_name: 'a"b' } });
    expect(await says("TemplateResolved")).toBe(
      "False UnsafeVariable variable vpc_name has characters that may not stand in a module",
    );
    it.samples.length = 0;
    await it.pass(3_600_000);
    expect(it.samples.filter((sample) => sample.is === "pass")).toEqual([]);
    await patch({ spec: { variables: { vpc_name: "ab" } } });
    await it.pass(2_000);
    expect((await workspace())?.spec.forProvider.module).toBe("ab");
  });

  test("SEC-3 one that becomes shared is used at once", async () => {
    await fresh();
    await template({}, "vpc", { namespace: "platform" });
    await apply({ templateRef: { name: "vpc", namespace: "platform" } });
    expect(await says("TemplateResolved")).toMatch(/^False NamespaceNotAllowed/);
    const merge = { metadata: { labels: { [labels.shared]: "true" } } };
    await it.client.patch(WorkspaceTemplate, { name: "vpc", namespace: "platform" }, { merge });
    await it.pass();
    expect(await workspace()).toBeDefined();
  });

  test("AS-58 a Secret of a forbidden namespace makes no Workspace", async () => {
    await fresh();
    await template({ env: [{ name: "TF_VAR_a", secretKeyRef: { namespace: "kube-system", name: "s", key: "k" } }] });
    await apply();
    expect(await says("TemplateResolved")).toBe(
      "False NamespaceNotAllowed forProvider.env[0].secretKeyRef is in namespace kube-system, which is not allowed",
    );
    expect(await workspaces()).toEqual([]);
  });
});
