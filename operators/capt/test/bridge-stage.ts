// Clusters and their provider objects on a stage where only the bridge works: what providers say is said here.
import { formatMicroTime, type KubeObject } from "@telltale/kinds";
import { Lease } from "@telltale/kinds/builtin";
import { clusterBridge } from "../src/cluster-bridge/controller.ts";
import { Edges } from "../src/cluster-bridge/edges.ts";
import { type Config, standardConfig } from "../src/config.ts";
import { ShapeFinder } from "../src/domain-shape.ts";
import { CAPTCluster, CAPTControlPlane, type Cluster, ClusterV1beta1, ClusterV1beta2 } from "../src/kinds/index.ts";
import { anyCluster } from "../src/server.ts";
import { namespace, type Stage, type StageOptions, stage } from "./stage.ts";

export type Version = "v1beta1" | "v1beta2";

export interface BridgeStage extends Stage {
  /** Who was told of a change of a Cluster since the last time that somebody asked: `captCluster t1/demo-net`. */
  told(): readonly string[];
  cluster(spec?: object, metadata?: object): Promise<void>;
  network(spec?: object): Promise<void>;
  controlPlane(spec?: object): Promise<void>;
  /** What a provider says of itself. */
  networkSays(status: object): Promise<void>;
  controlPlaneSays(status: object): Promise<void>;
  readonly the: {
    cluster(): Promise<Cluster | undefined>;
    network(): Promise<CAPTCluster | undefined>;
    controlPlane(): Promise<CAPTControlPlane | undefined>;
  };
  clusterSays(type: string): Promise<string>;
  /** Cluster API's controllers renew their lease. */
  coreIsThere(): Promise<void>;
  coreIsGone(): Promise<void>;
}

export interface BridgeOptions extends Partial<StageOptions> {
  readonly version?: Version;
  readonly config?: Partial<Config>;
  readonly work?: "bridge" | "forward";
}

export async function bridgeStage({
  version = "v1beta1",
  config,
  work,
  ...options
}: BridgeOptions = {}): Promise<BridgeStage> {
  const edges = new Edges();
  let told: string[] = [];
  for (const listener of ["captCluster", "captControlPlane", "workspaceTemplateApply"] as const) {
    edges.source(listener)((name) => told.push(`${listener} ${name.namespace}/${name.name}`));
  }
  const on = await stage({
    kinds: { Cluster: version === "v1beta1" ? ClusterV1beta1 : ClusterV1beta2 },
    controllers({ kinds }) {
      const all = { ...standardConfig, ...config };
      const shapes = new ShapeFinder(all.failureDomainsShape, kinds);
      return [clusterBridge({ config: all, kinds, edges, shapes, ...(work === undefined ? {} : { work }) })];
    },
    ...options,
  });
  const Cluster = anyCluster(on.kinds);
  const say = async (kind: typeof CAPTCluster | typeof CAPTControlPlane, name: string, status: object) => {
    const ref = { name, namespace };
    await on.client.status.patch(kind as typeof CAPTCluster, ref, { merge: { status } } as never);
    await on.pass();
  };
  return {
    ...on,
    told() {
      const all = told;
      told = [];
      return all;
    },
    async cluster(spec = {}, metadata = {}) {
      await on.make(Cluster, { metadata: { name: "demo", ...metadata }, spec: { ...referring(version), ...spec } });
    },
    async network(spec = {}) {
      const object = { metadata: { name: "demo-net" }, spec: { region: "eu-west-1", existingVpcId: "vpc-1", ...spec } };
      await on.make<KubeObject>(CAPTCluster, object);
    },
    async controlPlane(spec = {}) {
      const object = {
        metadata: { name: "demo-cp" },
        spec: { version: "1.31", workspaceTemplateRef: { name: "cp" }, ...spec },
      };
      await on.make<KubeObject>(CAPTControlPlane, object);
    },
    networkSays: (status) => say(CAPTCluster, "demo-net", status),
    controlPlaneSays: (status) => say(CAPTControlPlane, "demo-cp", status),
    the: {
      cluster: () => on.get(Cluster, "demo"),
      network: () => on.get(CAPTCluster, "demo-net"),
      controlPlane: () => on.get(CAPTControlPlane, "demo-cp"),
    },
    clusterSays: (type) => on.says(Cluster, "demo", type),
    async coreIsThere() {
      const renewTime = formatMicroTime(on.clock.now());
      const metadata = { name: "controller-leader-election-capi", namespace: "platform" };
      const lease = { metadata, spec: { holderIdentity: "core", leaseDurationSeconds: 15, renewTime } };
      await on.client.apply(Lease, lease, { fieldManager: "core", force: true });
    },
    async coreIsGone() {
      await on.remove(Lease, "controller-leader-election-capi", "platform");
    },
  };
}

const referring = (version: Version): object => {
  const [infrastructure, controlPlane] = [CAPTCluster, CAPTControlPlane];
  const refer = (kind: typeof infrastructure | typeof controlPlane, name: string) =>
    version === "v1beta1"
      ? { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace }
      : { apiGroup: kind.group, kind: kind.kind, name };
  return { infrastructureRef: refer(infrastructure, "demo-net"), controlPlaneRef: refer(controlPlane, "demo-cp") };
};

const at = "2026-01-01T00:00:30Z";
const said = (type: string, status: string, reason: string, message = "") => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at,
  observedGeneration: 1,
});

export const networkReady = {
  ready: true,
  initialization: { provisioned: true },
  vpcId: "vpc-1",
  conditions: [said("Ready", "True", "Ready", "VPC vpc-1 is available")],
};
export const networkDegraded = {
  ready: false,
  conditions: [said("Ready", "False", "WorkspaceNotReady", "workspace w is not ready")],
};
export const controlPlaneReady = {
  ready: true,
  initialized: true,
  initialization: { controlPlaneInitialized: true },
  versions: [{ version: "v1.31.0" }],
  conditions: [said("Available", "True", "Available", "here"), said("Ready", "True", "Ready", "here")],
};
export const failed = (reason: string, message: string) => ({
  ready: false,
  failureReason: reason,
  failureMessage: message,
  conditions: [said("Ready", "False", reason, message)],
});
