// Section 6: from a template to a Workspace, its conditions back, and the end of both.
import { CustomResourceDefinition, Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { NamespacedWorkspace, Workspace } from "../src/kinds/workspace.ts";
import { annotations, finalizers, labels, workspaceName } from "../src/names.ts";
import { anyCluster } from "../src/server.ts";
import { workspaceTemplateApplies } from "../src/workspace-template-apply/controller.ts";
import { namespace, type Stage, type StageOptions, stage } from "./stage.ts";

let it: Stage;
afterEach(async () => {
  await it.end();
  expect(it.complaints).toEqual([]);
});

interface Options extends Partial<StageOptions> {
  readonly allowed?: readonly string[];
}

async function fresh({ allowed = [], ...options }: Options = {}): Promise<Stage> {
  const config = { ...standardConfig, allowedSecretNamespaces: allowed };
  it = await stage({ controllers: ({ kinds }) => [workspaceTemplateApplies({ config, kinds })], ...options });
  return it;
}

const template = (forProvider: object = {}, name = "vpc", more: object = {}) =>
  it.make(WorkspaceTemplate, {
    metadata: { name, ...more },
    spec: {
      template: {
        spec: {
          forProvider: {
            source: "Inline",
            module: 'output "vpc_id" { value = "x" }',
            vars: [{ key: "name", value: "${vpc_name}" }],
            ...forProvider,
          },
        },
      },
    },
  });

const apply = (spec: object = {}, name = "demo-vpc", metadata: object = {}) =>
  it.make(WorkspaceTemplateApply, {
    metadata: { name, ...metadata },
    spec: { templateRef: { name: "vpc" }, variables: { vpc_name: "net" }, ...spec },
  });

const nameOf = (name = "demo-vpc", of = namespace) => workspaceName({ namespace: of, name }, "Cluster");
const workspaces = () => it.list(it.kinds.Workspace);
const workspace = async (name = "demo-vpc") => it.get(it.kinds.Workspace, nameOf(name));
const says = (type: string, name = "demo-vpc") => it.says(WorkspaceTemplateApply, name, type);
const status = async (name = "demo-vpc") => (await it.get(WorkspaceTemplateApply, name))?.status ?? {};
const patch = (merge: object, name = "demo-vpc") =>
  it.client.patch(WorkspaceTemplateApply, { name, namespace }, { merge });
const workspaceWrites = () => it.writes().filter(({ path }) => path.includes("/workspaces/"));
const edit = async (forProvider: object, name = "vpc") => {
  const merge = { spec: { template: { spec: { forProvider } } } };
  await it.client.patch(WorkspaceTemplate, { name, namespace }, { merge });
  await it.pass();
};

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
    expect(await says("Applied")).toMatch(/^True Applied/);
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
    await template({ env: [{ name: "A", secretKeyRef: { namespace: "kube-system", name: "s", key: "k" } }] });
    await apply();
    expect(await says("TemplateResolved")).toBe(
      "False NamespaceNotAllowed forProvider.env[0].secretKeyRef is in namespace kube-system, which is not allowed",
    );
    expect(await workspaces()).toEqual([]);
  });
});

describe("what is waited for", () => {
  test("A5 WTA-3 Secrets are waited for before the first run, all missing ones are named, and after it never again", async () => {
    await fresh();
    await template();
    await apply({ waitForSecrets: [{ name: "b" }, { name: "a" }] });
    expect(await says("DependenciesReady")).toBe("False WaitingForSecrets Secrets not found: t1/a, t1/b");
    expect(await workspaces()).toEqual([]);
    await it.make(Secret, { metadata: { name: "a" } });
    await it.pass(31_000);
    expect(await says("DependenciesReady")).toBe("False WaitingForSecrets Secrets not found: t1/b");
    await it.make(Secret, { metadata: { name: "b" } });
    await it.pass(31_000);
    expect(await workspace()).toBeDefined();
    await it.remove(Secret, "a");
    await it.pass(600_000);
    expect(await says("DependenciesReady")).toMatch(/^True/);
    expect((await it.events(WorkspaceTemplateApply)).filter((it) => it === "WaitingForSecrets")).toHaveLength(1);
  });

  test("SEC-2 whether a Secret of another namespace exists is not told", async () => {
    await fresh();
    await template();
    await apply({ waitForSecrets: [{ name: "s", namespace: "kube-system" }] });
    expect(await says("TemplateResolved")).toBe(
      "False NamespaceNotAllowed waitForSecrets[0] is in namespace kube-system, which is not allowed",
    );
    expect(await workspaces()).toEqual([]);
  });

  test("A6 another apply's Workspace has to be ready, and its event is enough", async () => {
    await fresh();
    await template();
    await apply({ waitForWorkspaces: [{ name: "demo-vpc" }] }, "demo-cp-apply");
    expect(await says("DependenciesReady", "demo-cp-apply")).toBe("False WaitingForWorkspace not ready: t1/demo-vpc");
    await apply();
    await it.pass(40_000);
    expect(await workspace("demo-cp-apply")).toBeUndefined();
    await it.runs(nameOf(), { synced: true, ready: true });
    expect(await workspace("demo-cp-apply")).toBeDefined();
  });

  test("A6 a Workspace that no apply made is waited for by its own name", async () => {
    await fresh();
    await template();
    await it.make(Workspace, { metadata: { name: "old" }, spec: { forProvider: { source: "Inline", module: "m" } } });
    await apply({ waitForWorkspaces: [{ name: "old" }] });
    expect(await says("DependenciesReady")).toBe("False WaitingForWorkspace not ready: t1/old");
    await it.runs("old", { synced: true, ready: true });
    await it.pass(31_000);
    expect(await workspace()).toBeDefined();
  });

  test("A7 a circle is named, and ends when somebody breaks it anywhere", async () => {
    await fresh();
    await template();
    await apply({ waitForWorkspaces: [{ name: "b" }] }, "a");
    await apply({ waitForWorkspaces: [{ name: "c" }] }, "b");
    await apply({ waitForWorkspaces: [{ name: "a" }] }, "c");
    await it.pass(2_000);
    expect(await says("DependenciesReady", "a")).toBe(
      "False DependencyCycle each waits for the next: t1/a, t1/b, t1/c",
    );
    expect(await says("DependenciesReady", "c")).toMatch(/^False DependencyCycle/);
    it.samples.length = 0;
    await it.pass(3_600_000);
    expect(it.samples.filter((sample) => sample.is === "pass")).toEqual([]);
    await patch({ spec: { waitForWorkspaces: [] } }, "c");
    await it.pass(2_000);
    expect(await workspace("c")).toBeDefined();
    expect(await says("DependenciesReady", "a")).toBe("False WaitingForWorkspace not ready: t1/b");
  });
});

describe("whose a Workspace is", () => {
  const foreign = (metadata: object = {}) =>
    it.make(Workspace, {
      metadata: { name: nameOf(), ...metadata },
      spec: { forProvider: { source: "Inline", module: "theirs" } },
    });

  test("A13 somebody else's is not touched, and looked at again after a minute", async () => {
    await fresh();
    await template();
    await foreign();
    await apply();
    expect(await says("Applied")).toBe(`False WorkspaceNameConflict Workspace ${nameOf()} belongs to somebody else`);
    expect(await status()).toMatchObject({ applied: false });
    expect(workspaceWrites()).toEqual([]);
    expect((await workspace())?.spec.forProvider.module).toBe("theirs");
    await it.remove(Workspace, nameOf());
    await it.pass(61_000);
    expect((await workspace())?.spec.forProvider.module).toContain("vpc_id");
  });

  test("A13 another apply's is not touched either", async () => {
    await fresh();
    await template();
    const of = { [labels.applyName]: "other", [labels.applyNamespace]: "t2" };
    await foreign({ labels: of, annotations: { [annotations.applyUid]: "u" } });
    await apply();
    expect(await says("Applied")).toBe(
      `False WorkspaceNameConflict Workspace ${nameOf()} belongs to WorkspaceTemplateApply t2/other`,
    );
  });

  test("A13 with the annotation somebody else's is adopted", async () => {
    await fresh();
    await template();
    await foreign();
    const { metadata } = await apply({}, "demo-vpc", { annotations: { [annotations.adoptWorkspace]: "true" } });
    const found = await workspace();
    expect(found?.metadata.annotations?.[annotations.applyUid]).toBe(metadata.uid);
    expect(found?.spec.forProvider.module).toContain("vpc_id");
    expect(await says("Applied")).toMatch(/^True/);
  });

  test("the Workspace of an apply that was made again is adopted, and not made anew", async () => {
    await fresh();
    await template();
    await apply({ retainWorkspaceOnDelete: true });
    const before = await workspace();
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    expect((await workspace())?.metadata.annotations?.[annotations.retained]).toBe("true");
    await it.pass(60_000);
    const { metadata } = await apply({ retainWorkspaceOnDelete: true });
    const after = await workspace();
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.metadata.generation).toBe(before?.metadata.generation);
    expect(after?.metadata.annotations?.[annotations.applyUid]).toBe(metadata.uid);
    expect(after?.metadata.annotations?.[annotations.retained]).toBeUndefined();
  });

  test("6.4 a Workspace of an older installation keeps its name", async () => {
    await fresh();
    await template();
    const of = { [labels.applyName]: "demo-vpc", [labels.applyNamespace]: namespace };
    await foreign({ name: "demo-vpc", labels: of });
    await apply();
    expect((await workspaces()).map(({ metadata }) => metadata.name)).toEqual(["demo-vpc"]);
    expect(await status()).toMatchObject({ workspaceName: "demo-vpc", applied: true });
  });

  test("AS-35 applies of one name in two namespaces have two Workspaces, and one goes without the other", async () => {
    await fresh();
    await template();
    await template({}, "vpc", { namespace: "t2" });
    await apply();
    await apply({}, "demo-vpc", { namespace: "t2" });
    const both = (await workspaces()).map(({ metadata, spec }) => [
      metadata.name,
      spec.writeConnectionSecretToRef?.namespace,
    ]);
    expect(new Map(both as [string, string][])).toEqual(
      new Map([
        [nameOf(), namespace],
        [nameOf("demo-vpc", "t2"), "t2"],
      ]),
    );
    await it.remove(WorkspaceTemplateApply, "demo-vpc", "t2");
    expect((await workspaces()).map(({ metadata }) => metadata.name)).toEqual([nameOf()]);
  });

  test("a name that is too long for a label leads back all the same", async () => {
    await fresh();
    await template();
    const name = `${"x".repeat(70)}-apply`;
    await apply({}, name);
    await it.runs(nameOf(name), { synced: true, ready: true });
    expect(await says("Ready", name)).toMatch(/^True/);
  });
});

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
      { merge: { metadata: { annotations: { [annotations.applyUid]: "other" } } } },
    );
    await it.remove(WorkspaceTemplateApply, "demo-vpc");
    await it.restart();
    expect(await workspaces()).toHaveLength(1);
    expect(await it.get(WorkspaceTemplateApply, "demo-vpc")).toBeUndefined();
  });

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
