// Section 6: what the first run of a Workspace waits for, and whose a Workspace is.
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { CAPTCluster, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations, labels } from "../src/names.ts";
import {
  apply,
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
import { namespace } from "./stage.ts";

afterEach(end);

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

describe("A1 the watch filter", () => {
  const mine = { [labels.watchFilter]: "mine" };

  test("leaves an apply without the label alone, and takes one with it", async () => {
    await fresh({ config: { watchFilter: "mine" } });
    await template();
    await apply();
    await it.pass(600_000);
    expect(it.writes()).toEqual([]);
    await patch({ metadata: { labels: mine } });
    await it.pass(2_000);
    expect((await workspace())?.metadata.labels).toMatchObject(mine);
  });

  test("lets through an apply whose owner is let through", async () => {
    await fresh({ config: { watchFilter: "mine" } });
    await template();
    const spec = { region: "eu-west-1", existingVpcId: "vpc-1" };
    const owner = await it.make(CAPTCluster, { metadata: { name: "demo-net", labels: mine }, spec });
    const { uid = "" } = owner.metadata;
    const reference = {
      apiVersion: CAPTCluster.apiVersion,
      kind: CAPTCluster.kind,
      name: "demo-net",
      uid,
      controller: true,
    };
    await apply({}, "demo-vpc", { ownerReferences: [reference] });
    expect(await workspace()).toBeDefined();
    await it.make(CAPTCluster, { metadata: { name: "other-net" }, spec });
    await apply({}, "other-vpc", { ownerReferences: [{ ...reference, name: "other-net", uid: "u" }] });
    expect(await workspace("other-vpc")).toBeUndefined();
  });
});
