// The cluster bridge: hears of every change of a Cluster and tells the controllers of its provider objects; and, where
// Cluster API itself is not there, does the least of its work.
import { deepEqual } from "@telltale/kinds";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook, type Name, type StatusStep } from "@telltale/runtime";
import type { Config } from "../config.ts";
import type { ShapeFinder } from "../domain-shape.ts";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { type Cluster, ClusterV1beta1 } from "../kinds/cluster.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { clusterGroup, labels, labelValue, managers } from "../names.ts";
import { anyCluster, type ServerKinds } from "../server.ts";
import { act } from "./act.ts";
import { type Edges, isEdge } from "./edges.ts";
import { ModeFinder } from "./mode.ts";
import { machineKinds, observe, type Senses } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { isOurs, placeOf, type Role, referenceOf } from "./references.ts";
import { ownedV1beta1, statusV1beta1 } from "./status-v1beta1.ts";
import { ownedV1beta2, statusV1beta2 } from "./status-v1beta2.ts";
import { hasBridge, type World } from "./world.ts";

export interface BridgeOptions {
  readonly config: Pick<Config, "clusterApiMode" | "concurrency" | "watchFilter" | "features">;
  readonly kinds: ServerKinds;
  readonly edges: Edges;
  readonly modes?: ModeFinder;
  readonly shapes: ShapeFinder;
  /** `forward`: it only tells of changes; another process is the bridge. */
  readonly work?: "bridge" | "forward";
}

export function clusterBridge(options: BridgeOptions): Controller {
  const { config, kinds, edges, shapes, modes = new ModeFinder(config.clusterApiMode), work = "bridge" } = options;
  const Cluster = anyCluster(kinds);
  const senses: Senses = { Cluster, modes, shapes, edges, machines: config.features.machines, work };
  const isOld = kinds.Cluster.version === ClusterV1beta1.version;
  // One of the two versions, and its status with it; the compiler is shown the first.
  const status = (isOld ? statusV1beta1 : statusV1beta2) as StatusStep<typeof ClusterV1beta1, World>;
  const isWorking = () => work === "bridge" && modes.last !== "external";
  const declared = controller(kinds.Cluster as typeof ClusterV1beta1, "cluster-bridge")
    .on("generation", "deletion", "annotations", "labels", "finalizers")
    .gate((cluster) => (isMine(cluster, config.watchFilter) ? "go" : "ignore"))
    .watches(Cluster, ({ old, new: next }, look) => tell(next ?? old, edges, look), { changed: isEdge })
    .watches(
      CAPTCluster,
      ({ old, new: next }, look) => (isWorking() ? clustersOf(next ?? old, "infrastructure", look, Cluster) : []),
      {
        changed: (a, b) => !deepEqual(usedOf(a), usedOf(b)),
      },
    )
    .watches(
      CAPTControlPlane,
      ({ old, new: next }, look) => (isWorking() ? clustersOf(next ?? old, "controlPlane", look, Cluster) : []),
      {
        changed: (a, b) => !deepEqual(usedOf(a), usedOf(b)),
      },
    )
    .reads(WorkspaceTemplateApply)
    .index(WorkspaceTemplateApply, byCluster, ({ metadata }) => [
      `${metadata.namespace}/${metadata.labels?.[labels.clusterName]}`,
    ])
    .index(Cluster, "infrastructure", (cluster) => referredBy(cluster, "infrastructure"))
    .index(Cluster, "controlPlane", (cluster) => referredBy(cluster, "controlPlane"))
    .gets(CustomResourceDefinition, { field: `metadata.name=clusters.${clusterGroup}` })
    .writes(Cluster, "patch")
    .writes(CAPTCluster, "patch", "delete")
    .writes(CAPTControlPlane, "patch", "delete")
    .untilGone()
    .events("none")
    .status({ as: "apply", fieldManager: managers.clusterBridge, owned: isOld ? ownedV1beta1 : ownedV1beta2 })
    .workers(config.concurrency)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.2 })
    .resync(36_000_000);
  const all = config.features.machines ? withMachines(declared) : declared;
  return all.reconcile<World, Plan>({
    observe: (cluster, look) => observe(cluster, look, senses),
    plan,
    act: (planned, hands, world) => act(planned, hands as never, world, senses),
    status,
  });
}

const byCluster = "cluster";
type Declared = ReturnType<typeof controller<typeof ClusterV1beta1>>;

function withMachines(declared: Declared): Declared {
  const { CaptMachineDeployment, CaptMachineSet, CaptMachine } = machineKinds;
  return declared
    .reads(CaptMachineDeployment, CaptMachineSet, CaptMachine)
    .writes(CaptMachineDeployment, "delete")
    .writes(CaptMachineSet, "delete")
    .writes(CaptMachine, "delete");
}

const isMine = (cluster: Cluster, filter: string | undefined): boolean =>
  (filter === undefined || cluster.metadata.labels?.[labels.watchFilter] === filter) &&
  (isOurs(cluster) || hasBridge(cluster));

/** Wakes whom a change of a Cluster concerns. It is nobody's pass: nothing is asked for here. */
function tell(cluster: Cluster | undefined, edges: Edges, look: MapLook): readonly Name[] {
  if (cluster === undefined) return [];
  for (const [role, listener] of [
    ["infrastructure", "captCluster"],
    ["controlPlane", "captControlPlane"],
  ] as const) {
    const ref = referenceOf(cluster, role);
    if (ref.is === "ours") edges.tell(listener, ref);
  }
  const { namespace, name } = placeOf(cluster);
  for (const apply of look.where(WorkspaceTemplateApply, byCluster, `${namespace}/${labelValue(name)}`)) {
    edges.tell("workspaceTemplateApply", placeOf(apply));
  }
  return [];
}

function referredBy(cluster: Cluster, role: Role): readonly string[] {
  const ref = referenceOf(cluster, role);
  return ref.is === "ours" ? [`${ref.namespace}/${ref.name}`] : [];
}

const clustersOf = (
  object: CAPTCluster | CAPTControlPlane | undefined,
  role: Role,
  look: MapLook,
  kind: ReturnType<typeof anyCluster>,
): readonly Name[] => {
  if (object === undefined) return [];
  const { namespace, name } = placeOf(object);
  return look.where(kind, role, `${namespace}/${name}`).map(placeOf);
};

/** What a Cluster is made of. How a run gets on is not part of it. */
function usedOf({ metadata, spec, status }: CAPTCluster | CAPTControlPlane): unknown {
  const { conditions = [], ...fields } = (status ?? {}) as Record<string, unknown> & {
    conditions?: readonly { readonly type: string }[];
  };
  const { ready, initialized, initialization, failureReason, failureMessage, failureDomains, versions } = fields;
  return [
    metadata.labels,
    metadata.ownerReferences,
    metadata.deletionTimestamp,
    spec.controlPlaneEndpoint,
    [ready, initialized, initialization, failureReason, failureMessage, failureDomains, versions],
    conditions.filter(({ type }) => type === "Ready" || type === "Available" || type === "Simulated"),
  ];
}
