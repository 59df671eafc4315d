// Cluster API's own controller of Clusters, as far as providers notice: it makes the Cluster the owner of what it refers to, tells what
// these say, and lets them go in order, the control plane first.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import { CAPTCluster, CAPTControlPlane, ClusterV1beta1 } from "../src/kinds/index.ts";

/** The finalizer by which others see that it is at work. */
const finalizer = "cluster.cluster.x-k8s.io";
const label = "cluster.x-k8s.io/cluster-name";

type Cluster = KubeObject & {
  readonly spec?: {
    readonly infrastructureRef?: Ref;
    readonly controlPlaneRef?: Ref;
    readonly controlPlaneEndpoint?: Endpoint;
  };
  readonly status?: Readonly<Record<string, unknown>>;
};
type Ref = { readonly name?: string };
type Endpoint = { readonly host?: string; readonly port?: number };
type Provider = KubeObject & {
  readonly spec?: { readonly controlPlaneEndpoint?: Endpoint };
  readonly status?: { readonly ready?: boolean; readonly initialized?: boolean };
};

/** The kind without its vocabulary: of somebody else's only fields are told. */
const Clusters: KindRef<Cluster> = bare(ClusterV1beta1);
const Networks: KindRef<Provider> = bare(CAPTCluster);
const Planes: KindRef<Provider> = bare(CAPTControlPlane);

function bare<T extends KubeObject>(of: KindRef): KindRef<T> {
  const { group, version, apiVersion, kind, listKind, plural, singular, scope, subresources } = of;
  const { shortNames, categories } = of;
  return {
    group,
    version,
    apiVersion,
    kind,
    listKind,
    plural,
    singular,
    scope,
    subresources,
    shortNames,
    categories,
  };
}

interface World {
  readonly cluster: Cluster;
  readonly network: Provider | undefined;
  readonly plane: Provider | undefined;
}

export function clusterApi(): Controller {
  // What has lost its label is still somebody's: both states are asked.
  const owner = (change: { old?: Provider; new?: Provider }) =>
    [change.old, change.new].flatMap((it) => {
      const { labels, namespace = "" } = it?.metadata ?? {};
      const name = labels?.[label];
      return name === undefined ? [] : [{ namespace, name }];
    });
  return controller(Clusters, "cluster-api")
    .watches(Networks, owner)
    .watches(Planes, owner)
    .writes(Networks, "patch", "delete")
    .writes(Planes, "patch", "delete")
    .writes(Clusters, "patch")
    .untilGone()
    .reconcile<World>({
      observe,
      async act(_none, hands, world) {
        if (world.cluster.metadata?.deletionTimestamp !== undefined) return leave(hands, world);
        await take(hands, world);
        return observe(world.cluster, hands);
      },
      status: ({ cluster, network, plane }, _cluster, now) => ({
        status: { ...cluster.status, ...told(network, plane) },
        // Nobody tells of what does not have its label yet, or of what we have taken away ourselves.
        ...(isTaken(cluster, network) && isTaken(cluster, plane) && cluster.metadata?.deletionTimestamp === undefined
          ? {}
          : { wakeAt: (now + 5_000) as typeof now }),
      }),
    });
}

function observe(cluster: Cluster, look: Look): World {
  const { namespace = "" } = cluster.metadata ?? {};
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  return {
    cluster,
    network: look.get(Networks, { namespace, name: infrastructureRef?.name ?? "" }),
    plane: look.get(Planes, { namespace, name: controlPlaneRef?.name ?? "" }),
  };
}

async function take(hands: Hands, { cluster, network, plane }: World): Promise<void> {
  const { uid = "", name = "", namespace = "", finalizers } = cluster.metadata ?? {};
  if (finalizers?.includes(finalizer) !== true) {
    const value = [...(finalizers ?? []), finalizer];
    await hands.patch(Clusters, cluster, [{ op: "add", path: "/metadata/finalizers", value }]);
  }
  for (const [kind, it] of [
    [Networks, network],
    [Planes, plane],
  ] as const) {
    const { ownerReferences: owners = [], labels = {} } = it?.metadata ?? {};
    if (it === undefined || isTaken(cluster, it)) continue;
    // What is tied to a Cluster that is gone is taken along with it.
    const now = await hands.live(Clusters, { namespace, name });
    if (now?.metadata?.uid !== uid) return;
    const { apiVersion } = Clusters;
    const mine = { apiVersion, kind: "Cluster", name, uid, controller: true, blockOwnerDeletion: true };
    await hands.patch(kind, it, [
      { op: "add", path: "/metadata/ownerReferences", value: [...owners, mine] },
      { op: "add", path: "/metadata/labels", value: { ...labels, [label]: name } },
    ]);
  }
  const endpoint = plane?.spec?.controlPlaneEndpoint;
  if (endpoint?.host !== undefined && endpoint.host !== "" && cluster.spec?.controlPlaneEndpoint?.host === undefined)
    await hands.patch(Clusters, cluster, [{ op: "add", path: "/spec/controlPlaneEndpoint", value: endpoint }]);
}

const isTaken = ({ metadata }: Cluster, it: Provider | undefined): boolean =>
  it?.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid) === true;

/** The control plane first, then the network, then the Cluster itself. */
async function leave(hands: Hands, world: World): Promise<World> {
  const { cluster, network, plane } = world;
  const going = plane ?? network;
  if (going === undefined) {
    const rest = (cluster.metadata?.finalizers ?? []).filter((it) => it !== finalizer);
    await hands.patch(Clusters, cluster, [{ op: "add", path: "/metadata/finalizers", value: rest }]);
  } else if (going.metadata?.deletionTimestamp === undefined) {
    await hands.remove(plane === undefined ? Networks : Planes, going, "Background");
  }
  return world;
}

function told(network: Provider | undefined, plane: Provider | undefined): object {
  const isReady = network?.status?.ready === true;
  return {
    phase: isReady && plane?.status?.initialized === true ? "Provisioned" : "Provisioning",
    infrastructureReady: isReady,
    controlPlaneReady: plane?.status?.ready === true,
  };
}
