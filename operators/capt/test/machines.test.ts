// Section 14: machines, sets of them, and how they are replaced. Workspaces are run by the simulated runner.
import { seededRandom } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { type Config, standardConfig } from "../src/config.ts";
import {
  CaptMachine,
  CaptMachineDeployment,
  CaptMachineSet,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { annotations, finalizers, labels } from "../src/names.ts";
import { captOperator } from "../src/operator.ts";
import { workspaceRunner } from "../src/runner/controller.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { namespace, type Stage, stage } from "./stage.ts";

let it: Stage;
afterEach(async () => {
  await it.end();
  // Servers do not like the names that these finalizers have always had.
  expect(it.complaints.filter((line) => !line.includes("prefer a domain-qualified finalizer name"))).toEqual([]);
});

const config: Config = {
  ...standardConfig,
  controllers: ["infrastructure", "workspace-runner", "machines"],
  features: { machines: true },
};

async function fresh(): Promise<void> {
  it = await stage({
    objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "capt-system" } }],
    controllers({ clock, kinds }) {
      const engine = simulatedEngine({ clock });
      const runner = workspaceRunner({ engine, clock, random: seededRandom(7), namespace: "capt-system", kinds });
      return captOperator({ config, kinds, runner });
    },
  });
  await it.make(WorkspaceTemplate, {
    metadata: { name: "machine" },
    spec: { template: { spec: { forProvider: { source: "Inline", module, vars } } } },
  });
}

const module = ["instance_id", "provider_id", "internal_ip"]
  .map((name) => `output "${name}" { value = "x" }`)
  .join("\n");
const vars = [
  { key: "labels", value: "${labels}" },
  { key: "type", value: "${instance_type}/${node_group}" },
];
const machineSpec = {
  nodeGroupRef: { name: "workers", namespace },
  workspaceTemplateRef: { name: "machine" },
  instanceType: "small",
  labels: { b: "2", a: "1" },
};
const says = (
  type: string,
  kind: typeof CaptMachine | typeof CaptMachineSet | typeof CaptMachineDeployment,
  name: string,
) => it.says(kind, name, type);
/** Whoever pauses a Workspace keeps everybody from knowing how it is. */
const pauseWorkspaces = async (value: string | null) => {
  for (const { metadata } of await it.list(it.kinds.Workspace)) {
    const merge = { metadata: { annotations: { [annotations.crossplanePaused]: value } } };
    await it.client.patch(it.kinds.Workspace, { name: metadata.name ?? "" }, { merge } as never);
  }
};
const staying = async () =>
  (await it.list(CaptMachine)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);

describe("14.1 a machine", () => {
  const make = () =>
    it.make(CaptMachine, { metadata: { name: "m", labels: { [labels.clusterName]: "demo" } }, spec: machineSpec });

  test("has an apply of its own, and is ready when its instance is known", async () => {
    await fresh();
    await make();
    const apply = await it.get(WorkspaceTemplateApply, "m-machine");
    expect(apply?.metadata.ownerReferences).toMatchObject([{ kind: "CaptMachine", name: "m", controller: true }]);
    expect(apply?.metadata.labels).toEqual({ [labels.clusterName]: "demo" });
    expect(apply?.spec.variables).toEqual({
      instance_type: "small",
      node_group: "workers",
      labels: '{"a":"1","b":"2"}',
      tags: "{}",
    });
    await it.pass(60_000);
    const found = await it.get(CaptMachine, "m");
    expect(found?.status).toMatchObject({ ready: true, initialization: { provisioned: true } });
    expect(found?.status?.instanceId).toMatch(/^sim-/);
    expect(found?.status?.addresses).toMatchObject([{ type: "InternalIP" }]);
    expect(found?.spec.providerID).toMatch(/^sim-/);
    expect(await says("Ready", CaptMachine, "m")).toBe(
      `True Simulated instance ${found?.status?.instanceId}: nothing of it is real: its runs are simulated`,
    );
    const [workspace] = await it.list(it.kinds.Workspace);
    expect(workspace?.spec.forProvider.vars?.[1]?.value).toBe("small/workers");
  });

  test("writes nothing where nothing changes, its time of change least of all", async () => {
    await fresh();
    await make();
    await it.pass(60_000);
    const before = (await it.get(CaptMachine, "m"))?.status?.lastTransitionTime;
    it.writes();
    await it.pass(300_000);
    const ours = it.writes().filter(({ path }) => path.includes("captmachines"));
    expect(ours).toEqual([]);
    expect((await it.get(CaptMachine, "m"))?.status?.lastTransitionTime).toBe(before);
  });

  test("goes after its Workspace", async () => {
    await fresh();
    await make();
    await it.pass(60_000);
    await it.remove(CaptMachine, "m");
    expect(await says("Deleting", CaptMachine, "m")).toMatch(/^True WaitingForWorkspaceTemplateApplyDeletion/);
    await it.pass(60_000);
    expect(await it.get(CaptMachine, "m")).toBeUndefined();
    expect(await it.list(it.kinds.Workspace)).toEqual([]);
  });

  test("waits for a template that is not there, and says so", async () => {
    await fresh();
    await it.remove(WorkspaceTemplate, "machine");
    await make();
    expect(await says("Ready", CaptMachine, "m")).toBe(
      "False WorkspaceTemplateNotFound WorkspaceTemplate t1/machine not found",
    );
    expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
  });

  const makeOf = (spec: object, metadata: object = {}) =>
    it.make(CaptMachine, { metadata: { name: "m", ...metadata }, spec: { ...machineSpec, ...spec } });
  const templated = (name: string, module: string, forProvider: object = {}) =>
    it.make(WorkspaceTemplate, {
      metadata: { name },
      spec: { template: { spec: { forProvider: { source: "Inline", module, vars, ...forProvider } } } },
    });

  test("gives its tags to the module as JSON", async () => {
    await fresh();
    await makeOf({ tags: { team: "b", cost: "7" } });
    expect((await it.get(WorkspaceTemplateApply, "m-machine"))?.spec.variables?.["tags"]).toBe(
      '{"cost":"7","team":"b"}',
    );
  });

  test("whose run has no output instance_id says which output is missing", async () => {
    await fresh();
    await templated("silent", 'output "provider_id" { value = "x" }');
    await makeOf({ workspaceTemplateRef: { name: "silent" } });
    await it.pass(60_000);
    expect(await says("Ready", CaptMachine, "m")).toMatch(
      /^False InstanceIDNotFound no output instance_id of workspace /,
    );
    expect((await it.get(CaptMachine, "m"))?.status).toMatchObject({ ready: false });
  });

  test("whose variables cannot stand in the module says which one, and is mended by an edit", async () => {
    await fresh();
    await templated("code", `${module}\n# \${instance_type}`);
    await makeOf({ workspaceTemplateRef: { name: "code" }, instanceType: 'a"b' });
    await it.pass(10_000);
    expect(await says("Ready", CaptMachine, "m")).toBe(
      "False InvalidTemplate variable instance_type has characters that may not stand in a module",
    );
    const merge = { spec: { instanceType: "large" } };
    await it.client.patch(CaptMachine, { name: "m", namespace }, { merge });
    await it.pass(60_000);
    expect(await says("Ready", CaptMachine, "m")).toMatch(/^True Simulated/);
  });

  test("whose run no retry mends says so", async () => {
    await fresh();
    await templated("flux", module, { source: "Flux" });
    await makeOf({ workspaceTemplateRef: { name: "flux" } });
    await it.pass(60_000);
    expect(await says("Ready", CaptMachine, "m")).toMatch(/^False WorkspaceFailed workspace \S+: .*Flux/);
  });

  test("whose apply waits for a Secret says for which, and goes on when it is there", async () => {
    await fresh();
    await makeOf({}, { annotations: { [annotations.paused]: "" } });
    const { uid } = (await it.get(CaptMachine, "m"))?.metadata ?? {};
    const { apiVersion, kind } = CaptMachine;
    await it.make(WorkspaceTemplateApply, {
      metadata: { name: "m-machine", ownerReferences: [{ apiVersion, kind, name: "m", uid, controller: true }] },
      spec: { templateRef: { name: "machine" }, waitForSecrets: [{ name: "account" }] },
    });
    const merge = { metadata: { annotations: { [annotations.paused]: null } } };
    await it.client.patch(CaptMachine, { name: "m", namespace }, { merge } as never);
    await it.pass(2_000);
    expect(await says("Ready", CaptMachine, "m")).toMatch(/^False WaitingForDependencies .*t1\/account/);
    await it.make(Secret, { metadata: { name: "account" } });
    await it.pass(60_000);
    expect(await says("Ready", CaptMachine, "m")).toMatch(/^True Simulated/);
  });

  test("is held while it is paused", async () => {
    await fresh();
    await it.make(CaptMachine, {
      metadata: { name: "m", annotations: { [annotations.paused]: "" } },
      spec: machineSpec,
    });
    await it.pass(60_000);
    expect(await says("Paused", CaptMachine, "m")).toBe(
      "True Paused CaptMachine has the cluster.x-k8s.io/paused annotation",
    );
    expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
  });
});

describe("14.2 a set of machines", () => {
  const make = (replicas: number) =>
    it.make(CaptMachineSet, {
      metadata: { name: "workers" },
      spec: { replicas, template: { metadata: { labels: { role: "worker" } }, spec: machineSpec } },
    });
  const scale = async (replicas: number) => {
    await it.client.patch(CaptMachineSet, { name: "workers", namespace }, { merge: { spec: { replicas } } });
    await it.pass(90_000);
  };
  const status = async () => (await it.get(CaptMachineSet, "workers"))?.status;

  test("has as many as it is to have, up and down", async () => {
    await fresh();
    await make(2);
    expect(await says("Ready", CaptMachineSet, "workers")).toMatch(/^False (ScalingUp|MachinesNotReady)/);
    await it.pass(60_000);
    const counts = { replicas: 2, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 2 };
    expect(await status()).toMatchObject(counts);
    expect(await says("Ready", CaptMachineSet, "workers")).toBe(
      "True Simulated 2 machines: nothing of it is real: its runs are simulated",
    );
    for (const { metadata } of await it.list(CaptMachine)) {
      expect(metadata.labels).toEqual({ role: "worker" });
      expect(metadata.ownerReferences).toMatchObject([{ kind: "CaptMachineSet", controller: true }]);
    }
    await scale(3);
    expect(await status()).toMatchObject({ replicas: 3, readyReplicas: 3 });
    await scale(1);
    expect(await it.list(CaptMachine)).toHaveLength(1);
    expect(await status()).toMatchObject({ replicas: 1, readyReplicas: 1 });
  });

  test("replaces a machine that somebody deletes, and makes no second one", async () => {
    await fresh();
    await make(2);
    await it.pass(60_000);
    const [first] = await it.list(CaptMachine);
    await it.remove(CaptMachine, first?.metadata.name ?? "");
    await it.pass(90_000);
    expect(await it.list(CaptMachine)).toHaveLength(2);
    await it.restart("crash");
    await it.pass(60_000);
    expect(await it.list(CaptMachine)).toHaveLength(2);
  });

  test("removes none while it is not known of one whether it runs, and goes on when it is", async () => {
    await fresh();
    await make(3);
    await it.pass(60_000);
    await pauseWorkspaces("true");
    await it.pass(360_000);
    expect(await says("Ready", CaptMachineSet, "workers")).toMatch(
      /^Unknown MachineStateUnknown it is not known whether/,
    );
    expect(await status()).toMatchObject({ replicas: 3, readyReplicas: 0, availableReplicas: 0 });
    await scale(1);
    await it.pass(600_000);
    expect(await staying()).toHaveLength(3);
    expect(await says("Ready", CaptMachineSet, "workers")).toMatch(
      /^False ScalingDown 3 machines exist, 1 are wanted; waits: it is not known whether these run: workers-/,
    );
    await pauseWorkspaces(null);
    await it.pass(600_000);
    expect(await staying()).toHaveLength(1);
    expect(await status()).toMatchObject({ replicas: 1, readyReplicas: 1 });
  });

  test("makes machines with the annotations of its template", async () => {
    await fresh();
    const metadata = { labels: { role: "worker" }, annotations: { "example.com/note": "kept" } };
    await it.make(CaptMachineSet, {
      metadata: { name: "workers" },
      spec: { replicas: 1, template: { metadata, spec: machineSpec } },
    });
    const [machine] = await it.list(CaptMachine);
    expect(machine?.metadata.annotations).toMatchObject(metadata.annotations);
  });

  test("makes nothing under a selector that does not select its template, by labels or expressions, and says so", async () => {
    await fresh();
    const only = (values: readonly string[]) => [{ key: "role", operator: "In", values }];
    await it.make(CaptMachineSet, {
      metadata: { name: "workers" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { role: "worker" }, matchExpressions: only(["other"]) },
        template: { metadata: { labels: { role: "worker" } }, spec: machineSpec },
      },
    });
    expect(await says("Ready", CaptMachineSet, "workers")).toBe(
      "False InvalidSelector spec.selector does not select the labels of spec.template",
    );
    expect(await it.list(CaptMachine)).toEqual([]);
    const merge = { spec: { selector: { matchExpressions: only(["other", "worker"]) } } };
    await it.client.patch(CaptMachineSet, { name: "workers", namespace }, { merge });
    await it.pass(1_000);
    expect(await it.list(CaptMachine)).toHaveLength(1);
  });

  test("says why machines cannot be made, makes them when they can, and writes nothing in between", async () => {
    await fresh();
    const rule = it.server.faults.add({
      match: { verbs: ["create", "patch"], resource: "captmachines", subresource: "" },
      effect: { status: 403, message: "exceeded quota" },
    });
    await make(2);
    expect(await says("Ready", CaptMachineSet, "workers")).toBe(
      "False ScalingUp 0 of 2 machines exist; missing permission: create captmachines",
    );
    it.writes();
    await it.pass(60_000);
    expect(it.writes().filter(({ path }) => path.endsWith("workers/status"))).toEqual([]);
    it.server.faults.remove(rule);
    await it.pass(60_000);
    expect(await says("Ready", CaptMachineSet, "workers")).toMatch(/^True Simulated/);
    it.complaints.splice(0);
  });

  test("goes after its machines", async () => {
    await fresh();
    await make(2);
    await it.pass(60_000);
    await it.remove(CaptMachineSet, "workers");
    expect(await says("Deleting", CaptMachineSet, "workers")).toBe(
      "True WaitingForMachineDeletion waiting for 2 machines",
    );
    await it.pass(120_000);
    expect(await it.get(CaptMachineSet, "workers")).toBeUndefined();
    expect(await it.list(it.kinds.Workspace)).toEqual([]);
  });

  test("writes nothing where nothing changes", async () => {
    await fresh();
    await make(2);
    await it.pass(90_000);
    it.writes();
    await it.pass(300_000);
    expect(it.writes().filter(({ path }) => path.includes("captmachine"))).toEqual([]);
  });
});

describe("14.3 a deployment of machines", () => {
  const make = (spec: object = {}) =>
    it.make(CaptMachineDeployment, {
      metadata: { name: "workers" },
      spec: { replicas: 2, template: { spec: machineSpec }, ...spec },
    });
  const edit = (spec: object) =>
    it.client.patch(CaptMachineDeployment, { name: "workers", namespace }, { merge: { spec } });
  const bigger = { template: { spec: { instanceType: "large" } } };
  const status = async () => (await it.get(CaptMachineDeployment, "workers"))?.status;

  test("has one set for its template, marked with its hash", async () => {
    await fresh();
    await make();
    await it.pass(90_000);
    const sets = await it.list(CaptMachineSet);
    expect(sets).toHaveLength(1);
    expect(sets[0]?.metadata.labels?.[labels.deploymentHash]).toMatch(/^[0-9a-f]{10}$/);
    expect(await status()).toMatchObject({
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 0,
    });
    expect(await says("Ready", CaptMachineDeployment, "workers")).toBe(
      "True Simulated 2 machines: nothing of it is real: its runs are simulated",
    );
    expect(await says("Progressing", CaptMachineDeployment, "workers")).toMatch(/^True NewMachineSetAvailable/);
  });

  test("replaces machines one by one when the template changes, and never has fewer that run", async () => {
    await fresh();
    await make();
    await it.pass(90_000);
    await edit(bigger);
    for (let i = 0; i < 240; i += 1) {
      await it.pass(1_000);
      const all = await it.list(CaptMachine);
      expect(all.filter(({ status: told }) => told?.ready === true).length).toBeGreaterThanOrEqual(2);
      expect(all.length).toBeLessThanOrEqual(3);
    }
    expect((await staying()).map(({ spec }) => spec.instanceType)).toEqual(["large", "large"]);
    expect(await status()).toMatchObject({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
    expect(await it.list(CaptMachineSet)).toHaveLength(2);
  });

  test.each(["RollingUpdate", "Recreate"])(
    "%s waits while it is not known of a machine whether it runs, and says so",
    async (type) => {
      await fresh();
      await make({
        replicas: 3,
        strategy: { type, ...(type === "Recreate" ? {} : { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }) },
      });
      await it.pass(90_000);
      const before = (await it.list(CaptMachine)).map(({ metadata }) => metadata.uid).sort();
      await pauseWorkspaces("true");
      await it.pass(360_000);
      await edit({ ...bigger, progressDeadlineSeconds: 60 });
      await it.pass(600_000);
      expect((await staying()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
      expect(await says("Progressing", CaptMachineDeployment, "workers")).toMatch(
        /^Unknown MachineStateUnknown waits: /,
      );
      await pauseWorkspaces(null);
      await it.pass(900_000);
      expect((await staying()).map(({ spec }) => spec.instanceType)).toEqual(["large", "large", "large"]);
      expect(await status()).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
    },
  );

  test("Recreate takes all away first, and does nothing while the template is the same", async () => {
    await fresh();
    await make({ strategy: { type: "Recreate" } });
    await it.pass(90_000);
    const before = (await it.list(CaptMachine)).map(({ metadata }) => metadata.uid);
    await it.pass(300_000);
    expect((await it.list(CaptMachine)).map(({ metadata }) => metadata.uid)).toEqual(before);
    await edit(bigger);
    for (let i = 0; i < 240; i += 1) {
      await it.pass(1_000);
      const types = new Set((await it.list(CaptMachine)).map(({ spec }) => spec.instanceType));
      expect(types.size).toBeLessThanOrEqual(1);
    }
    expect((await staying()).map(({ spec }) => spec.instanceType)).toEqual(["large", "large"]);
  });

  test("keeps only so many old sets", async () => {
    await fresh();
    await make({ replicas: 1, revisionHistoryLimit: 1 });
    for (const instanceType of ["a", "b", "c"]) {
      await edit({ template: { spec: { instanceType } } });
      await it.pass(180_000);
    }
    expect(await it.list(CaptMachineSet)).toHaveLength(2);
  });

  test("says that nothing moves when the deadline is over, and takes it back when something does", async () => {
    await fresh();
    await it.remove(WorkspaceTemplate, "machine");
    await make({ progressDeadlineSeconds: 60 });
    await it.pass(50_000);
    expect(await says("Progressing", CaptMachineDeployment, "workers")).toMatch(/^True MachineSetUpdated/);
    await it.restart();
    await it.pass(15_000);
    expect(await says("Progressing", CaptMachineDeployment, "workers")).toBe(
      "False ProgressDeadlineExceeded nothing moved within 60 s",
    );
    await it.make(WorkspaceTemplate, {
      metadata: { name: "machine" },
      spec: { template: { spec: { forProvider: { source: "Inline", module } } } },
    });
    await it.pass(120_000);
    expect(await says("Progressing", CaptMachineDeployment, "workers")).toMatch(/^True NewMachineSetAvailable/);
  });

  test("a paused deployment changes nothing", async () => {
    await fresh();
    await make();
    await it.pass(90_000);
    await edit({ paused: true, ...bigger });
    await it.pass(120_000);
    expect((await it.list(CaptMachine)).map(({ spec }) => spec.instanceType)).toEqual(["small", "small"]);
    expect(await says("Progressing", CaptMachineDeployment, "workers")).toBe(
      "Unknown DeploymentPaused spec.paused is true",
    );
  });

  test("makes nothing under a selector that does not select its template, and says so", async () => {
    await fresh();
    await make({ selector: { matchLabels: { role: "worker" } } });
    expect(await says("Ready", CaptMachineDeployment, "workers")).toBe(
      "False InvalidSelector spec.selector does not select the labels of spec.template",
    );
    expect(await it.list(CaptMachineSet)).toEqual([]);
  });

  test("all of it, held by finalizers of others, says so when all is gone that it had made", async () => {
    await fresh();
    await make({ replicas: 1 });
    await it.pass(60_000);
    const [set] = await it.list(CaptMachineSet);
    const [machine] = await it.list(CaptMachine);
    const held = [
      [CaptMachine, machine?.metadata],
      [CaptMachineSet, set?.metadata],
      [CaptMachineDeployment, { name: "workers", finalizers: [finalizers.captMachineDeployment] }],
    ] as const;
    for (const [kind, { name = "", finalizers: ours = [] } = {}] of held) {
      const merge = { metadata: { finalizers: [...ours, "example.com/hold"] } };
      await it.client.patch<KubeObject>(kind, { name, namespace }, { merge });
    }
    await it.remove(CaptMachineDeployment, "workers");
    for (const [kind, { name = "" } = {}] of held) {
      await it.pass(60_000);
      const message = "everything that it had made is gone; finalizers of others hold it: example.com/hold";
      expect(await says("Deleting", kind, name)).toBe(`True DeletionCompleted ${message}`);
      expect(await says("Ready", kind, name)).toBe(`False Deleting ${message}`);
      const merge = { metadata: { finalizers: null } };
      await it.client.patch<KubeObject>(kind, { name, namespace }, { merge } as never);
    }
    await it.pass(60_000);
    expect(await it.get(CaptMachineDeployment, "workers")).toBeUndefined();
  });

  test("a machine counts when it has been ready for long enough", async () => {
    await fresh();
    await make({ replicas: 1, minReadySeconds: 120 });
    await it.pass(60_000);
    expect(await status()).toMatchObject({ updatedReplicas: 1, availableReplicas: 0, unavailableReplicas: 1 });
    await it.pass(120_000);
    expect(await status()).toMatchObject({ availableReplicas: 1 });
  });

  test("a set of somebody else that has the name is left alone, and another name is used", async () => {
    await fresh();
    await make({ replicas: 0 });
    const [first] = await it.list(CaptMachineSet);
    const name = first?.metadata.name ?? "";
    await it.halt();
    await it.remove(CaptMachineDeployment, "workers");
    await it.client.patch(
      CaptMachineSet,
      { name, namespace },
      { merge: { metadata: { finalizers: null, ownerReferences: null } } },
    );
    await it.client.patch(
      CaptMachineDeployment,
      { name: "workers", namespace },
      { merge: { metadata: { finalizers: null } } },
    );
    await it.restart();
    await make({ replicas: 0 });
    await it.pass(10_000);
    expect(await status()).toMatchObject({ collisionCount: 1 });
    expect(await it.list(CaptMachineSet)).toHaveLength(2);
  });

  test("goes after its sets", async () => {
    await fresh();
    await make();
    await it.pass(90_000);
    await it.remove(CaptMachineDeployment, "workers");
    await it.pass(180_000);
    expect(await it.list(CaptMachine)).toEqual([]);
    expect(await it.get(CaptMachineDeployment, "workers")).toBeUndefined();
  });

  test("writes nothing where nothing changes", async () => {
    await fresh();
    await make();
    await it.pass(120_000);
    it.writes();
    await it.pass(300_000);
    expect(it.writes().filter(({ path }) => path.includes("captmachine"))).toEqual([]);
  });
});
