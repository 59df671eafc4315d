// Applies in the simulation, with somebody else who runs their Workspaces: one alone, one that waits for another, one that is
// deleted, one that is retained.
import { deepEqual, formatTime, type KubeObject } from "@telltale/kinds";
import { type Controller, controller } from "@telltale/runtime";
import type { Deed, Fault, Scenario } from "@telltale/simulation";
import { standardConfig } from "../src/config.ts";
import { ClusterV1beta2, Workspace, WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { standardKinds } from "../src/server.ts";
import { workspaceTemplateApplies } from "../src/workspace-template-apply/controller.ts";

const namespace = "default";

const of = (kind: { apiVersion: string; kind: string }, name: string, spec: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec }) as KubeObject;

const template = (module = "m"): KubeObject =>
  of(WorkspaceTemplate, "vpc", {
    template: { spec: { forProvider: { source: "Inline", module, vars: [{ key: "n", value: "${n}" }] } } },
  });
const apply = (name: string, more: object = {}): KubeObject =>
  of(WorkspaceTemplateApply, name, { templateRef: { name: "vpc" }, variables: { n: name }, ...more });

/** Crossplane's provider, as far as anybody can see: three seconds after a Workspace is there, it is ready. */
function provider(): Controller {
  return controller(Workspace, "provider").reconcile<Workspace>({
    observe: (workspace) => workspace,
    status({ metadata, status }, draft, now) {
      const since = Date.parse(metadata.creationTimestamp ?? "");
      if (now < since + 3_000) {
        draft.condition("Synced", true, "ReconcileSuccess", "").condition("Ready", false, "Creating", "");
        draft.wake((since + 3_000) as typeof now);
        return;
      }
      draft.condition("Synced", true, "ReconcileSuccess", "").condition("Ready", true, "Available", "");
      const outputs = { made: formatTime(since as typeof now) };
      if (!deepEqual(status?.atProvider, { outputs })) draft.set({ atProvider: { outputs } });
    },
  });
}

/** Whoever takes an apply away by force leaves its Workspace behind, as it was: that is what its finalizer is for. */
const isForced = ({ p, again }: Fault): boolean => p === "P18" && again === false;

/**
 * A request that reaches the server after its sender gave up, and after its apply has gone, makes a Workspace again. Nothing tells
 * it from one whose apply is still to come back, as after a restore, so that nobody may take it away. Who sent it waits for it; another
 * process knows nothing of it.
 */
export const comesLate = ({ p, side }: Fault, all: readonly Fault[]): boolean =>
  p === "P25" && side === "before" && all.some((it) => ["P1", "P2", "P3", "P8", "P23", "P31", "P35"].includes(it.p));

const base: Omit<Scenario, "name" | "apply"> = {
  kinds: [WorkspaceTemplate, WorkspaceTemplateApply, Workspace, ClusterV1beta2],
  operator: () => [workspaceTemplateApplies({ config: standardConfig, kinds: standardKinds })],
  others: () => [provider()],
  // A status that somebody else has changed is put right at the next look, after five minutes.
  quiet: 700_000,
  free: [
    "Workspace *.status.atProvider",
    `Workspace *.metadata.annotations.${annotations.applyUid}`,
    `Workspace *.metadata.annotations.${annotations.retained}`,
    "*.status.lastAppliedTime",
  ],
  leftovers({ metadata, kind }, _backend, look) {
    if (kind !== WorkspaceTemplateApply.kind) return undefined;
    const left = look.list(Workspace).find((it) => it.metadata.annotations?.[annotations.applyUid] === metadata?.uid);
    return left === undefined || left.metadata.annotations?.[annotations.retained] !== undefined
      ? undefined
      : "its Workspace is still there";
  },
};

const later = (at: number, what: string, act: Deed["act"]): Deed => ({ at, what, act });
/** Later than anything that a fault holds up: an apply that nobody has heard of, or could render, has no Workspace to leave. */
const removal = later(900_000, "deletes the apply", (client) =>
  client.delete(WorkspaceTemplateApply, { namespace, name: "net" }, { propagation: "Background" }),
);

export const rendered: Scenario = {
  ...base,
  name: "rendered",
  apply: [template(), apply("net")],
  // What is left behind says what the template said then.
  differs: (fault, all) => isForced(fault) && all.some(({ p }) => p === "P33"),
};
export const waiting: Scenario = {
  ...base,
  name: "waiting",
  apply: [apply("plane", { waitForWorkspaces: [{ name: "net" }] }), apply("net"), template()],
  // Where the one that is waited for is gone for good, the other waits for good.
  differs: (fault) =>
    isForced(fault) || (fault.p === "P28" && fault["then"] === "gone" && String(fault["on"]).endsWith("/net")),
};
export const changed: Scenario = {
  ...base,
  name: "changed",
  apply: [template(), apply("net")],
  // A Workspace that outlives its namespace, since it is to be kept or comes late, is as it was before the change.
  differs: (fault, all) => isForced(fault) || (fault.p === "P27" && all.length > 1),
  people: [
    later(90_000, "changes the template", (client) =>
      client.patch(
        WorkspaceTemplate,
        { namespace, name: "vpc" },
        { merge: { spec: { template: { spec: { forProvider: { module: "other" } } } } } },
      ),
    ),
  ],
};
export const removed: Scenario = {
  ...base,
  name: "removed",
  apply: [template(), apply("net")],
  people: [removal],
  // Whoever sets it while the apply goes decides whether the Workspace stays.
  differs: (fault, all) => fault["at"] === "/retainWorkspaceOnDelete" || isForced(fault) || comesLate(fault, all),
};
export const retained: Scenario = {
  ...base,
  name: "retained",
  apply: [template(), apply("net", { retainWorkspaceOnDelete: true })],
  people: [removal],
  // What stays is as it was when the apply went: what was wrong from the beginning, or when all went, is put right only then.
  // And once the apply is gone, nobody makes again what somebody deletes, or what goes with its definition. Who hears nothing, or
  // cannot write, for as long as it is there makes nothing at all.
  differs: ({ p, how, kind, on }, all) =>
    p === "P33" ||
    (p === "P22" && all.some((it) => it.p === "P27")) ||
    all.filter((it) => ["P9", "P10", "P16"].includes(it.p)).length > 1 ||
    (p === "P26" && how === "recreated" && kind === Workspace.kind) ||
    (p === "P28" && String(on).startsWith("/tf.upbound.io/workspaces/")),
  outlives: ({ kind }) => kind === Workspace.kind,
};
