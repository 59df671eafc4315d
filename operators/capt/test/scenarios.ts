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
import { comesLate } from "./apply.scenarios.ts";
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

const isEdit = ({ p }: Fault): boolean => p === "P22" || p === "P33" || p === "P34";
const isOn = ({ on }: Fault, plural: string): boolean => String(on).includes(`/${plural}/`);
const isPeoples = ({ kind }: Fault): boolean => /^(Cluster|CAPTCluster|CAPTControlPlane)$/.test(String(kind));

/** After which faults a cluster may rightly end otherwise. */
function differs(fault: Fault, all: readonly Fault[] = []): boolean {
  const { p, again, then, at, how, change, write } = fault;
  const has = (id: string) => all.some((it) => it.p === id);
  // What people made, and somebody takes away for good, nobody puts back. (P18 does not tell what it takes; what we made comes back.)
  if (p === "P18") return again === false;
  if (p === "P30") return how === "deleted" && isPeoples(fault);
  if (p === "P26") return how === "recreated" && isPeoples(fault);
  // A Cluster that goes before anything is tied to it leaves what people made: others bring forward the moment in which it goes.
  if (p === "P28" && then === "gone" && isOn(fault, "clusters")) return Number(write) <= 4 && all.length > 1;
  if (p === "P28" && then === "gone")
    return isOn(fault, "captclusters") || isOn(fault, "captcontrolplanes") || isOn(fault, "workspacetemplates");
  // Somebody may tie a network to its Cluster in the very moment in which the server forgets that one: what people made goes along.
  if (p === "P31") return Number(change) <= 8;
  // A network waits with its end for its control plane (AS-41), and a Cluster takes both along: neither can be made again.
  if (p === "P28") return isOn(fault, "captclusters") || isOn(fault, "clusters");
  // A template that is wrong before anything was made of it fails for good (3.5), and who has lost its status begins anew.
  const isWrong = p === "P22" || p === "P33" || (p === "P34" && has("P21"));
  if (isWrong && isOn(fault, "workspacetemplates")) return true;
  // What is retained stays when everything goes (6.6); and who is mended later than that has failed for good (3.6.3): people wait for a
  // clock that is wrong for an hour.
  const isClusterGone = all.some((it) => it.p === "P28" && it["then"] === "gone" && isOn(it, "clusters"));
  if (isEdit(fault) && at === "/retainVpcOnDelete" && (has("P27") || isClusterGone)) return true;
  if (isEdit(fault) && /^\/(vpcTemplateRef|infrastructureRef)/.test(String(at)) && has("P24")) return true;
  if (comesLate(fault, all)) return true;
  // Whoever hears of a template twice too late has waited in vain for a network, and has failed for good.
  const silences = all.filter((it) => it.p === "P10" && String(it["kind"]).endsWith("/workspacetemplates"));
  if (silences.length > 1) return true;
  // An endpoint is taken over once and for all (B6), also one that is changed in that moment.
  if (!/^\/controlPlaneEndpoint/.test(String(at))) return false;
  return (isEdit(fault) && isOn(fault, "captclusters")) || (p === "P22" && isOn(fault, "captcontrolplanes"));
}

export function differsAfterFailure(fault: Fault, all: readonly Fault[] = []): boolean {
  const { p, at, how, kind } = fault;
  // Who has failed for good leaves what it made as it is (3.6.3): it makes no apply again,
  const isTaken = (p === "P30" && how === "deleted") || (p === "P26" && how === "recreated");
  if (isTaken && kind === WorkspaceTemplateApply.kind) return true;
  // and does not follow what others are edited to: the network, or which one it is.
  if (isEdit(fault) && (at === "/existingVpcId" || /^\/infrastructureRef/.test(String(at)))) return true;
  return differs(fault, all);
}

export function differsWhenLate(fault: Fault, all: readonly Fault[] = []): boolean {
  // With its status a network forgets for how long it has waited, and an edit lets it begin anew (11.3).
  if ((fault.p === "P21" || isEdit(fault)) && isOn(fault, "captclusters")) return true;
  // So it does where the server is put back to before it began; and whoever hears of the Cluster late begins late.
  if (fault.p === "P31") return true;
  if (fault.p === "P9" && String(fault["kind"]).endsWith("/clusters")) return true;
  // Who may not say for two minutes that it has waited in vain sees the network come.
  const isRefused = (it: Fault) => it.p === "P16" || it.p === "P17";
  if (isRefused(fault) && all.filter(isRefused).length > 1) return true;
  // So does a pause (CC-4), and a template that is wrong meanwhile fails it for another reason.
  if (fault.p === "P34" && (fault["at"] === "/paused" || isOn(fault, "workspacetemplates"))) return true;
  return differsAfterFailure(fault, all);
}

/**
 * Whoever wants the network to be retained while everything goes retains it. Who takes an apply away by force, or puts back one that
 * has no finalizer yet, leaves its Workspace behind; who waits for that one waits for a person (4.7.6).
 */
export const differsWhenDeleted = (fault: Fault, all: readonly Fault[] = []): boolean => {
  const { p, at, again } = fault;
  const isForced = p === "P18" && again === false && all.length > 1;
  return at === "/retainVpcOnDelete" || p === "P31" || isForced || comesLate(fault, all);
};

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
