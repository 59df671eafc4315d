// The cluster `demo` of section 16, with all controllers that belong to it: its network `demo-net`, its control plane
// `demo-cp`, and who owns and runs what. The three names differ on purpose.
import { seededRandom } from "@telltale/clock";
import { type Condition, canonicalJson, type KubeObject } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { Controller } from "@telltale/runtime";
import { type Config, standardConfig } from "../src/config.ts";
import {
  CAPTCluster,
  CAPTControlPlane,
  type Cluster,
  ClusterV1beta1,
  ClusterV1beta2,
  type Workspace,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { annotations, labels } from "../src/names.ts";
import { captOperator } from "../src/operator.ts";
import { workspaceRunner } from "../src/runner/controller.ts";
import { missingEngine } from "../src/runner/missing-engine.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { anyCluster } from "../src/server.ts";
import { type Around, namespace, type Stage, type StageOptions, stage, type Told } from "./stage.ts";

export interface Demo extends Stage {
  /** Runs that have ended, as `apply settled`. */
  readonly runsEnded: string[];
  cluster(spec?: object, name?: string, of?: string): Promise<void>;
  network(spec?: object, name?: string, of?: string): Promise<void>;
  plane(spec?: object, name?: string, of?: string): Promise<void>;
  templates(of?: string): Promise<void>;
  /** Everything of the scenario, in the usual order. */
  all(more?: { network?: object; plane?: object }): Promise<void>;
  /** What Cluster API's controllers do: references from both provider objects to their Cluster. */
  own(more?: object): Promise<void>;
  readonly the: {
    cluster(): Promise<Cluster>;
    network(): Promise<CAPTCluster>;
    plane(): Promise<CAPTControlPlane>;
    vpcApply(): Promise<WorkspaceTemplateApply | undefined>;
    planeApply(): Promise<WorkspaceTemplateApply | undefined>;
    workspace(apply: string): Promise<Workspace | undefined>;
    secret(name: string, of?: string): Promise<Secret | undefined>;
  };
  /** What a condition of the network or the control plane says. */
  networkSays(type: string): Promise<string>;
  planeSays(type: string): Promise<string>;
  condition(of: "network" | "plane", type: string): Promise<Condition | undefined>;
  /** What whoever runs the two Workspaces says of them. */
  vpcRuns(told?: Told): Promise<void>;
  planeRuns(told?: Told): Promise<void>;
  annotate(of: "network" | "plane", notes: Readonly<Record<string, string | null>>): Promise<void>;
  edit(of: "network" | "plane", spec: object): Promise<void>;
  pause(isPaused: boolean): Promise<void>;
}

export interface DemoOptions extends Partial<Omit<StageOptions, "controllers" | "kinds">> {
  readonly version?: "v1beta1" | "v1beta2";
  readonly config?: Partial<Config>;
  /** Who runs Workspaces. Default: the test, by hand. */
  readonly runner?: "by hand" | "simulated" | "missing";
  /** Default: all of them. */
  readonly controllers?: (around: Around) => readonly Controller[];
}

const operatorNamespace = "capt-system";

export async function demo(options: DemoOptions = {}): Promise<Demo> {
  const { version = "v1beta2", runner = "by hand" } = options;
  const config = { ...standardConfig, clusterApiMode: "external" as const, ...options.config };
  const runsEnded: string[] = [];
  const controllers = ({ clock, kinds }: Around): readonly Controller[] => {
    const ran = {
      engine: runner === "missing" ? missingEngine() : simulatedEngine({ clock }),
      clock,
      random: seededRandom(7),
      namespace: operatorNamespace,
      kinds,
      onRun: ({ operation, result }: { operation: string; result: string }) => runsEnded.push(`${operation} ${result}`),
    };
    return captOperator({ config, kinds, ...(runner === "by hand" ? {} : { runner: workspaceRunner(ran) }) });
  };
  const on = await stage({
    controllers,
    ...options,
    kinds: { Cluster: version === "v1beta1" ? ClusterV1beta1 : ClusterV1beta2 },
    objects: [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: operatorNamespace } },
      ...(options.objects ?? []),
    ],
  });
  const Cluster = anyCluster(on.kinds);
  const kindOf = { network: CAPTCluster, plane: CAPTControlPlane } as const;
  const nameOf = { network: "demo-net", plane: "demo-cp" } as const;
  const there = async <T>(found: Promise<T | undefined>): Promise<T> => {
    const object = await found;
    if (object === undefined) throw new Error("it is not there");
    return object;
  };
  const workspace = async (apply: string) => {
    const name = (await on.get(WorkspaceTemplateApply, apply))?.status?.workspaceName;
    return name === undefined ? undefined : on.get(on.kinds.Workspace, name);
  };
  const patch = async (of: "network" | "plane", merge: object) => {
    await on.client.patch<KubeObject>(kindOf[of], { name: nameOf[of], namespace }, { merge });
    await on.pass();
  };
  const it: Demo = {
    ...on,
    runsEnded,
    async cluster(spec = {}, name = "demo", of = namespace) {
      const metadata = { name, namespace: of };
      await on.make(Cluster, { metadata, spec: { ...refsOf(version, of), ...spec } });
    },
    async network(spec = {}, name = "demo-net", of = namespace) {
      const body = { region: "eu-west-1", vpcTemplateRef: { name: "vpc" }, ...spec };
      await on.make(CAPTCluster, { metadata: { name, namespace: of }, spec: withoutUndefined(body) });
    },
    async plane(spec = {}, name = "demo-cp", of = namespace) {
      const body = { version: "1.31", workspaceTemplateRef: { name: "cp" }, ...spec };
      await on.make(CAPTControlPlane, { metadata: { name, namespace: of }, spec: withoutUndefined(body) });
    },
    async templates(of = namespace) {
      await on.make(WorkspaceTemplate, template("vpc", vpcModule, of));
      await on.make(WorkspaceTemplate, template("cp", planeModule, of));
      // What is said of them is no part of what the tests look at.
      it.writes();
    },
    async all(more = {}) {
      await it.templates();
      await it.cluster();
      await it.network(more.network);
      await it.plane(more.plane);
      await it.own();
    },
    async own(more = {}) {
      const { metadata } = await it.the.cluster();
      const owner = { apiVersion: Cluster.apiVersion, kind: "Cluster", name: "demo", uid: metadata.uid, ...more };
      const marks = { [labels.clusterName]: "demo" };
      for (const of of ["network", "plane"] as const) {
        if ((await on.get<KubeObject>(kindOf[of], nameOf[of])) === undefined) continue;
        await patch(of, { metadata: { ownerReferences: [owner], labels: marks } });
      }
    },
    the: {
      cluster: () => there(on.get(Cluster, "demo")),
      network: () => there(on.get(CAPTCluster, "demo-net")),
      plane: () => there(on.get(CAPTControlPlane, "demo-cp")),
      vpcApply: () => on.get(WorkspaceTemplateApply, "demo-net-vpc"),
      planeApply: () => on.get(WorkspaceTemplateApply, "demo-cp-eks-controlplane-apply"),
      workspace,
      secret: (name, of) => on.get(Secret, name, of),
    },
    networkSays: (type) => on.says(CAPTCluster, "demo-net", type),
    planeSays: (type) => on.says(CAPTControlPlane, "demo-cp", type),
    async condition(of, type) {
      const found = await there(on.get(kindOf[of] as typeof CAPTCluster, nameOf[of]));
      return found.status?.conditions?.find((each) => each.type === type);
    },
    async vpcRuns(told = vpcDone) {
      await on.runs((await there(workspace("demo-net-vpc"))).metadata.name ?? "", told);
    },
    async planeRuns(told = planeDone) {
      await on.runs((await there(workspace("demo-cp-eks-controlplane-apply"))).metadata.name ?? "", told);
    },
    annotate: (of, notes) => patch(of, { metadata: { annotations: notes } }),
    edit: (of, spec) => patch(of, { spec }),
    async pause(isPaused) {
      await on.client.patch(Cluster, { name: "demo", namespace }, { merge: { spec: { paused: isPaused } } } as never);
      await on.pass();
    },
  };
  return it;
}

const withoutUndefined = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

function refsOf(version: "v1beta1" | "v1beta2", of: string): object {
  const refer = (kind: typeof CAPTCluster | typeof CAPTControlPlane, name: string) =>
    version === "v1beta1"
      ? { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace: of }
      : { apiGroup: kind.group, kind: kind.kind, name };
  return { infrastructureRef: refer(CAPTCluster, "demo-net"), controlPlaneRef: refer(CAPTControlPlane, "demo-cp") };
}

export const template = (name: string, module: string, of = namespace): object => ({
  metadata: { name, namespace: of },
  spec: { template: { spec: { forProvider: { source: "Inline", module, vars: varsOf[name] ?? [] } } } },
});

const varsOf: Readonly<Record<string, readonly object[]>> = {
  vpc: [{ key: "name", value: "${vpc_name}" }],
  cp: [
    { key: "cluster", value: "${cluster_name}" },
    { key: "k8s", value: "${kubernetes_version}" },
  ],
};

export const vpcModule = `
variable "name" { type = string }
output "vpc_id" { value = "x" }
output "azs" { value = [] }
`;

export const planeModule = `
variable "cluster" { type = string }
variable "k8s" { type = string }
output "cluster_endpoint" { value = "x" }
output "kubeconfig" {
  sensitive = true
  value     = "x"
}
`;

/** A network that is made. */
export const vpcDone: Told = {
  synced: true,
  ready: true,
  outputs: { vpc_id: "vpc-1", azs: ["b", "a"] },
  secret: { vpc_id: "vpc-1", azs: '["b","a"]' },
};

export const kubeconfig = (token = "hush"): string => `apiVersion: v1
kind: Config
current-context: c
clusters:
- name: c
  cluster: { server: "https://10.0.0.1:6443" }
users:
- name: u
  user: { token: "${token}" }
contexts:
- name: c
  context: { cluster: c, user: u }
`;

/** A control plane that is made. */
export const planeDone: Told = {
  synced: true,
  ready: true,
  outputs: { cluster_endpoint: "https://10.0.0.1:6443", cluster_version: "1.31" },
  secret: { cluster_endpoint: "https://10.0.0.1:6443", kubeconfig: kubeconfig() },
};

export const reset = (token: string) => ({ [annotations.resetFailure]: token });
export const minute = 60_000;

const times = ["lastTransitionTime", "lastAppliedTime"];

/** What statuses say, without their times: what two ways to the same end have in common. */
export const timeless = (statuses: unknown): string =>
  canonicalJson(JSON.parse(JSON.stringify(statuses, (key, value) => (times.includes(key) ? "" : value))));
