// Workspaces in the simulation: one that is made, one that fails at first, one that changes, one that is deleted.
import type { KubeObject } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { Deed, Scenario } from "@telltale/simulation";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations, stateSecretName } from "../src/names.ts";
import { simulatedEngine, workspaceRunner } from "../src/runner/index.ts";
import { Cloud } from "./cloud.ts";
import { module } from "./runner-stage.ts";
import { followed, home, safety } from "./safety.ts";

const connection = { writeConnectionSecretToRef: { name: "demo-connection", namespace: "default" } };

const workspace = (script: object, text = module, to: object = connection): KubeObject =>
  ({
    apiVersion: Workspace.apiVersion,
    kind: Workspace.kind,
    metadata: { name: "demo", annotations: { [annotations.simScript]: JSON.stringify(script) } },
    spec: {
      ...to,
      forProvider: { source: "Inline", module: text, vars: [{ key: "name", value: "net" }] },
    },
  }) as KubeObject;

const slow = { latencyMs: { init: 500, plan: 500, apply: 4_000, destroy: 3_000 }, resources: 3 };

const base: Omit<Scenario, "name" | "apply"> = {
  kinds: [Workspace],
  operator: ({ clock, random }) => [
    workspaceRunner({ engine: simulatedEngine({ clock }), clock, random, namespace: home }).controller,
  ],
  // What is missing or wrong is seen when the next run is due.
  quiet: 700_000,
  // Their names have uids in them.
  free: [`Secret ${home}/capt-tfstate-*`],
  given: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: home } } as KubeObject],
  promise(object, look) {
    const { spec, status } = object as Workspace;
    // A run that failed leaves Ready as it was (R10): also one that could not write the Secret, as its namespace is gone.
    if (status?.conditions?.some(({ type, status: is }) => type === "Synced" && is === "False") === true) return true;
    const { name } = spec.writeConnectionSecretToRef ?? {};
    return name === undefined || look.list(Secret).some(({ metadata }) => metadata?.name === name);
  },
  leftovers(object, _backend, look) {
    const { metadata, spec } = object as Workspace;
    if (spec.deletionPolicy === "Orphan" || spec.managementPolicies?.includes("*") === false) return undefined;
    const left = look.list(Secret).find((it) => it.metadata?.name === stateSecretName(metadata?.uid ?? ""));
    return left === undefined ? undefined : "its state is still kept";
  },
  outlives: ({ metadata }) => metadata?.name?.startsWith("capt-tfstate-") ?? false,
};

const deed = (at: number, what: string, act: Deed["act"]): Deed => ({ at, what, act });

export const made: Scenario = { ...base, name: "made", apply: [workspace(slow)] };

export const failing: Scenario = {
  ...base,
  name: "failing",
  apply: [workspace({ ...slow, fail: [{ operation: "apply", times: 2, message: "it broke" }] })],
};

export const invalid: Scenario = {
  ...base,
  name: "invalid",
  apply: [
    workspace({ ...slow, fail: [{ operation: "plan", times: 99, class: "InvalidConfiguration", message: "no" }] }),
  ],
};

export const changed: Scenario = {
  ...base,
  name: "changed",
  apply: [workspace(slow)],
  people: [
    deed(4_000, "changes the module", (client) =>
      client.patch(
        Workspace,
        { name: "demo" },
        { merge: { spec: { forProvider: { module: 'output "zone" { value = 1 }' } } } },
      ),
    ),
  ],
};

const remove: Deed["act"] = (client) => client.delete(Workspace, { name: "demo" }, { propagation: "Background" });

export const deleted: Scenario = {
  ...base,
  name: "deleted",
  // Whoever had begun to destroy, loses the lease and has it back still has a state of its own, and destroys that once more.
  differs: ({ p }, all = []) => p === "P23" && all.length > 1,
  apply: [workspace(slow)],
  people: [deed(30_000, "deletes it", remove)],
};

/** Without outputs: how many Secrets it makes does not depend on who is faster. */
export const cutShort: Scenario = {
  ...base,
  name: "cut-short",
  apply: [workspace(slow, "# nothing is put out", {})],
  people: [deed(4_500, "deletes it while it is made", remove)],
};

/** The same where runs outlive the process that began them, and where they run can be out of reach, begin anew or lose its answers. */
const onCloud = (scenario: Scenario, more: Partial<Scenario<Cloud>> = {}): Scenario<Cloud> => ({
  ...(scenario as Scenario<Cloud>),
  name: `${scenario.name}-on-a-cloud`,
  backend: ({ clock }) => new Cloud(clock),
  operator: ({ clock, random, backend }) => [
    workspaceRunner({ engine: backend.engine(), clock, random, namespace: home }).controller,
  ],
  safety,
  ...more,
});

export const onClouds = {
  made: onCloud(made, { guards: [followed] }),
  changed: onCloud(changed),
  deleted: onCloud(deleted),
};
