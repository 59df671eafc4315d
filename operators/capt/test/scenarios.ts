// Clusters in the simulation, with the whole operator and Workspaces that are only pretended to be run: one that is made, steps that fail
// or take too long, one that is deleted in the middle, and one whose Cluster belongs to Cluster API's own controllers.
import type { KubeObject } from "@telltale/kinds";
import type { Deed, Fault, Scenario } from "@telltale/simulation";
import { type Config, standardConfig } from "../src/config.ts";
import { clockConditions } from "../src/deadlines.ts";
import { captOperator } from "../src/index.ts";
import {
  CAPTCluster,
  CAPTControlPlane,
  ClusterV1beta1,
  Workspace,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import type { Order } from "../src/runner/engine.ts";
import { type Engine, simulatedEngine, workspaceRunner } from "../src/runner/index.ts";
import { clusterApi } from "./cluster-api.ts";

const namespace = "default";
/** Where the operator lives, and keeps the state of runs. */
const home = "capt-system";
const minute = 60_000;
const kubeconfig = "apiVersion: v1\nkind: Config\n";

const of = (kind: { apiVersion: string; kind: string }, name: string, spec: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec }) as KubeObject;

/** A module that needs nothing. */
const template = (name: string, module: string): KubeObject =>
  of(WorkspaceTemplate, name, { template: { spec: { forProvider: { source: "Inline", module } } } });

const network = 'output "vpc_id" { value = "vpc-1" }\noutput "azs" { value = ["a", "b"] }\n';
const plane = `output "cluster_endpoint" { value = "https://10.0.0.1:6443" }
output "cluster_version" { value = "1.31" }
output "kubeconfig" { value = ${JSON.stringify(kubeconfig)} }
`;

/** How the runs of the network and of the control plane go. */
interface Scripts {
  readonly network?: object;
  readonly plane?: object;
}

const objects: readonly KubeObject[] = [
  template("vpc", network),
  template("cp", plane),
  of(CAPTCluster, "demo-net", { region: "eu-west-1", vpcTemplateRef: { name: "vpc" } }),
  of(CAPTControlPlane, "demo-cp", { version: "1.31", workspaceTemplateRef: { name: "cp" } }),
  of(ClusterV1beta1, "demo", {
    infrastructureRef: { apiVersion: CAPTCluster.apiVersion, kind: CAPTCluster.kind, name: "demo-net" },
    controlPlaneRef: { apiVersion: CAPTControlPlane.apiVersion, kind: CAPTControlPlane.kind, name: "demo-cp" },
  }),
];

/** Runs go by a script for each of the two, whatever their Workspaces say. */
function scripted(engine: Engine, scripts: Scripts): Engine {
  const told = (order: Order): Order => {
    const isNetwork = order.inputs.module.includes("vpc_id");
    const script = isNetwork
      ? { latencyMs: { apply: 3_000, destroy: 2_000 }, ...scripts.network }
      : { latencyMs: { apply: 5_000, destroy: 2_000 }, ...scripts.plane };
    return { ...order, simulation: { script: JSON.stringify(script) } };
  };
  return {
    ...engine,
    run: (order, desk) => engine.run(told(order), desk),
    resume: (left, order, desk) => engine.resume(left, told(order), desk),
  };
}

/**
 * What people made, and somebody takes away or changes, nobody puts back. A network that is deleted waits for its control plane,
 * which waits for its network until it has failed; a Cluster takes both along. An endpoint is taken over once and for all. And a
 * template that was wrong for a while may have failed for good. Where a backup has no Cluster, the one that was just there may have become an owner in that very moment, and take
 * what it owns along.
 */
function differs({ p, again, then, on, at, how, kind, change, lost }: Fault): boolean {
  const isPeoples = (it: unknown) => /^(Cluster|CAPTCluster|CAPTControlPlane)$/.test(String(it));
  if (p === "P18") return again === false;
  if (p === "P28") return then === "gone" || /\/(captclusters|clusters)\//.test(String(on));
  if (p === "P30") return isPeoples(kind);
  if (p === "P31") return Number(change) < 8 && Number(change) - Number(lost) < 7;
  if (p === "P26") return how === "recreated" && isPeoples(kind);
  if (p !== "P22" && p !== "P33" && p !== "P34") return false;
  return /workspacetemplates|captcontrolplanes/.test(String(on)) || /^\/controlPlaneEndpoint/.test(String(at));
}

/** Who has failed for good leaves what it made as it is, and what its Cluster says of it. */
function differsAfterFailure(fault: Fault): boolean {
  const { p, on, how, kind } = fault;
  if (p === "P30" || (p === "P26" && how === "recreated"))
    return kind === WorkspaceTemplateApply.kind || differs(fault);
  const isEdit = p === "P22" || p === "P33" || p === "P34";
  return (isEdit && String(on).startsWith("/cluster.x-k8s.io/clusters/")) || differs(fault);
}

const base = (scripts: Scripts = {}, mode: Config["clusterApiMode"] = "standalone"): Omit<Scenario, "name"> => ({
  apply: objects,
  kinds: [WorkspaceTemplate, WorkspaceTemplateApply, CAPTCluster, CAPTControlPlane, ClusterV1beta1, Workspace],
  operator({ clock, random }) {
    const engine = scripted(simulatedEngine({ clock }), scripts);
    const runner = workspaceRunner({ engine, clock, random, namespace: home });
    const config = { ...standardConfig, clusterApiMode: mode };
    return captOperator({ config, kinds: { Cluster: ClusterV1beta1, Workspace }, runner });
  },
  // The longest wait of a control plane. What is wrong with a Workspace is seen when its next run is due.
  quiet: 31 * minute,
  given: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: home } } as KubeObject],
  differs,
  restamps: [...clockConditions.network, ...clockConditions.controlPlane],
  // Their names have uids in them.
  free: [`Secret ${home}/capt-tfstate-*`],
  outlives: ({ metadata }) => metadata?.name?.startsWith("capt-tfstate-") ?? false,
});

/** A person takes back what they applied, while the control plane is made. */
const leaves: readonly Deed[] = [ClusterV1beta1, CAPTControlPlane, CAPTCluster].map((kind, i) => ({
  at: 6_000 + i * 10,
  what: `deletes the ${kind.kind}`,
  act: (client) => client.delete(kind, { namespace, name: names[i] ?? "" }, { propagation: "Background" }),
}));
const names = ["demo", "demo-cp", "demo-net"];

const broken = { operation: "apply", times: 2, message: "it broke" };
const wrong = { operation: "plan", times: 999, class: "InvalidConfiguration", message: "no such thing" };

export const created: Scenario = { ...base(), name: "created" };
export const networkFails: Scenario = { ...base({ network: { fail: [broken] } }), name: "network-fails" };
export const planeFails: Scenario = {
  ...base({ plane: { fail: [wrong] } }),
  name: "plane-fails",
  differs: differsAfterFailure,
};
/** The network comes after its time is up. */
export const late: Scenario = {
  ...base({ network: { latencyMs: { apply: 17 * minute } } }),
  name: "late",
  // With its status it forgets that it has waited, and an edit lets it begin anew.
  differs: (fault) =>
    (/^P(21|22|33|34)$/.test(fault.p) && /captclusters/.test(String(fault["on"]))) || differsAfterFailure(fault),
};
export const deleted: Scenario = { ...base(), name: "deleted", people: leaves };
export const besideClusterApi: Scenario = {
  ...base({}, "external"),
  name: "beside-cluster-api",
  others: () => [clusterApi()],
};
