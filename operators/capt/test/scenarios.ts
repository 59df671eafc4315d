// Clusters in the simulation, with the whole operator and Workspaces that are only pretended to be run: one that is made, steps that fail
// or take too long, one that is deleted in the middle, and one whose Cluster belongs to Cluster API's own controllers.
import type { KubeObject, Ms } from "@telltale/kinds";
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
/** When a network comes whose time is up. It is up after everything that a fault holds up has come. */
export const tooLate: Ms = 15 * minute;
export const shortWait: Config["timeouts"] = { ...standardConfig.timeouts, vpcReady: 13 * minute };

const of = (kind: { apiVersion: string; kind: string }, name: string, spec: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec }) as KubeObject;

/** Both of the network and of the control plane: it needs nothing. */
const template = of(WorkspaceTemplate, "module", {
  template: {
    spec: {
      forProvider: {
        source: "Inline",
        module: ["vpc_id", "azs", "cluster_endpoint", "kubeconfig"]
          .map((name) => `output "${name}" { value = "" }\n`)
          .join(""),
      },
    },
  },
});

/** How the runs of the network and of the control plane go. */
interface Scripts {
  readonly network?: object;
  readonly plane?: object;
}

const ref = ({ apiVersion, kind }: { apiVersion: string; kind: string }, name: string) => ({ apiVersion, kind, name });
const network = of(CAPTCluster, "demo-net", { region: "eu-west-1", vpcTemplateRef: { name: "module" } });
const infrastructureRef = ref(CAPTCluster, "demo-net");
const plane = of(CAPTControlPlane, "demo-cp", { version: "1.31", workspaceTemplateRef: { name: "module" } });
const controlPlaneRef = ref(CAPTControlPlane, "demo-cp");

/** What a person applies: all of it, or as much as it takes for one half. */
export const manifests = {
  all: [template, network, plane, of(ClusterV1beta1, "demo", { infrastructureRef, controlPlaneRef })],
  network: [template, network, of(ClusterV1beta1, "demo", { infrastructureRef })],
  /** In a network that was there before. */
  plane: [
    template,
    of(CAPTCluster, "demo-net", { region: "eu-west-1", existingVpcId: "vpc-1" }),
    plane,
    of(ClusterV1beta1, "demo", { infrastructureRef, controlPlaneRef }),
  ],
} as const;

/** Runs go by a script for each of the two, whatever their Workspaces say. */
function scripted(engine: Engine, scripts: Scripts): Engine {
  const told = (order: Order): Order => {
    const script = order.workspace.name.startsWith("demo-net")
      ? { latencyMs: { apply: 3_000, destroy: 2_000 }, resources: 1, ...scripts.network }
      : { latencyMs: { apply: 5_000, destroy: 2_000 }, resources: 1, ...scripts.plane };
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
 * template that was wrong for a while may have failed for good.
 */
function differs({ p, again, then, on, at, how, kind }: Fault): boolean {
  const isPeoples = (it: unknown) => /^(Cluster|CAPTCluster|CAPTControlPlane)$/.test(String(it));
  if (p === "P18") return again === false;
  if (p === "P28") return then === "gone" || /\/(captclusters|clusters)\//.test(String(on));
  if (p === "P30") return isPeoples(kind);
  if (p === "P26") return how === "recreated" && isPeoples(kind);
  if (p !== "P22" && p !== "P33" && p !== "P34") return false;
  return /workspacetemplates|captcontrolplanes/.test(String(on)) || /^\/controlPlaneEndpoint/.test(String(at));
}

/** Who has failed for good leaves what it made as it is, and what its Cluster says of it. */
export function differsAfterFailure(fault: Fault): boolean {
  const { p, on, at, how, kind } = fault;
  if (p === "P30" || (p === "P26" && how === "recreated"))
    return kind === WorkspaceTemplateApply.kind || differs(fault);
  const isEdit = p === "P22" || p === "P33" || p === "P34";
  const isUsed = String(on).startsWith("/cluster.x-k8s.io/clusters/") || at === "/existingVpcId";
  return (isEdit && isUsed) || differs(fault);
}

/** With its status a network that came late forgets that it has waited, and an edit lets it begin anew. */
export const differsWhenLate = (fault: Fault): boolean =>
  (/^P(21|22|33|34)$/.test(fault.p) && /captclusters/.test(String(fault["on"]))) || differsAfterFailure(fault);

/** Whoever wants the network to be retained while everything goes retains it. */
export const differsWhenDeleted = (fault: Fault): boolean => fault["at"] === "/retainVpcOnDelete" || differs(fault);

/** What all of them have, whoever runs Workspaces. */
export const common: Pick<Scenario, "kinds" | "differs" | "restamps"> = {
  kinds: [WorkspaceTemplate, WorkspaceTemplateApply, CAPTCluster, CAPTControlPlane, ClusterV1beta1, Workspace],
  differs,
  restamps: [...clockConditions.network, ...clockConditions.controlPlane],
};

const whole = (name: string, scripts: Scripts = {}, settings: Partial<Config> = {}): Scenario => ({
  ...common,
  name,
  apply: manifests.all,
  operator({ clock, random }) {
    const engine = scripted(simulatedEngine({ clock }), scripts);
    const runner = workspaceRunner({ engine, clock, random, namespace: home });
    const config: Config = { ...standardConfig, clusterApiMode: "standalone", ...settings };
    return captOperator({ config, kinds: { Cluster: ClusterV1beta1, Workspace }, runner });
  },
  // What is wrong with a Workspace is seen when its next run is due, after ten minutes and a little more.
  quiet: 12 * minute,
  given: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: home } } as KubeObject],
  // Their names have uids in them.
  free: [`Secret ${home}/capt-tfstate-*`],
  outlives: ({ metadata }) => metadata?.name?.startsWith("capt-tfstate-") ?? false,
});

/** A person takes back what they applied, while the control plane is made. */
export const leaves: readonly Deed[] = [ClusterV1beta1, CAPTControlPlane, CAPTCluster].map((kind, i) => ({
  at: 13_000 + i * 10,
  what: `deletes the ${kind.kind}`,
  act: (client) => client.delete(kind, { namespace, name: names[i] ?? "" }, { propagation: "Background" }),
}));
const names = ["demo", "demo-cp", "demo-net"];

const broken = { operation: "apply", times: 2, message: "it broke" };
const wrong = { operation: "plan", times: 999, class: "InvalidConfiguration", message: "no such thing" };

export const created = whole("created");
export const networkFails = whole("network-fails", { network: { fail: [broken] } });
export const planeFails: Scenario = {
  ...whole("plane-fails", { plane: { fail: [wrong] } }),
  differs: differsAfterFailure,
};
/** The network comes after its time is up. */
export const late: Scenario = {
  ...whole("late", { network: { latencyMs: { apply: tooLate } } }, { timeouts: shortWait }),
  quiet: tooLate + minute,
  differs: differsWhenLate,
};
export const deleted: Scenario = { ...whole("deleted"), people: leaves, differs: differsWhenDeleted };
export const besideClusterApi: Scenario = {
  ...whole("beside-cluster-api", {}, { clusterApiMode: "external" }),
  others: () => [clusterApi()],
};
