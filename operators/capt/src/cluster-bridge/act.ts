// Ties provider objects to their Cluster, gives it its endpoint, and takes everything away in order when it goes.
import type { KindRef, KubeObject } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import { Failed, type Failure, text } from "@telltale/status";
import type { Endpoint } from "../endpoint.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { finalizers, labels, labelValue } from "../names.ts";
import { modeInterval } from "./mode.ts";
import { isAnothers, isAsking, machineKinds, observe, type Senses, tellAll } from "./observe.ts";
import type { Deletion, Plan } from "./plan.ts";
import { placeOf, type Role, referenceOf, roleKinds } from "./references.ts";
import { isLeaving, isTied, objectOf, type World } from "./world.ts";

export async function act(plan: Plan, hands: Hands, world: World, senses: Senses): Promise<World> {
  if (world.isReshaped) tellAll(hands, senses);
  if (plan.do === "nothing") throw unsaid(senses);
  if (plan.do === "let go") {
    await letGo(hands, world.cluster, senses);
    throw unsaid(senses);
  }
  if (plan.do === "pause") return world;
  if (plan.do === "delete") return remove(plan.next, hands, world, senses);
  if (!plan.isHeld) await hold(hands, world.cluster, senses);
  for (const role of plan.tie) await tie(role, hands, world, senses);
  if (plan.endpoint !== undefined) await setEndpoint(plan.endpoint, hands, world.cluster, senses);
  if (plan.isHeld && plan.tie.length === 0 && plan.endpoint === undefined) return world;
  const now = hands.get(senses.Cluster, placeOf(world.cluster)) ?? world.cluster;
  return observe(now, hands, senses);
}

/** Ends a pass without a word: the status of such a Cluster is not ours. */
const unsaid = (senses: Senses): Failed => new Failed(waiting(isAsking(senses) ? modeInterval : aDay));
const aDay = 86_400_000;

const waiting = (retryAfter: number): Failure => ({
  class: "waiting",
  reason: "NotOurs",
  message: text`others look after this Cluster`,
  retryAfter,
});

async function hold(hands: Hands, cluster: Cluster, { Cluster: kind }: Senses): Promise<void> {
  const held = cluster.metadata.finalizers;
  await hands.patch(kind, cluster, [
    { op: "test", path: "/metadata/finalizers", value: held ?? null },
    { op: "add", path: "/metadata/finalizers", value: [...(held ?? []), finalizers.clusterBridge] },
  ]);
}

/** Only the finalizer: to release fields would be to delete them, the endpoint included (M-3). */
async function letGo(hands: Hands, cluster: Cluster, { Cluster: kind }: Senses): Promise<void> {
  const held = cluster.metadata.finalizers ?? [];
  await hands.patch(kind, cluster, [
    { op: "test", path: "/metadata/finalizers", value: held },
    { op: "replace", path: "/metadata/finalizers", value: held.filter((it) => it !== finalizers.clusterBridge) },
  ]);
}

/** Without `controller`: versions of Cluster API disagree on it, and whoever sets it starts a fight (M-4). */
async function tie(role: Role, hands: Hands, world: World, { Cluster: kind }: Senses): Promise<void> {
  const object = objectOf<{ readonly metadata: Cluster["metadata"] }>(world[role]);
  if (object === undefined) return;
  const { name = "", uid = "" } = world.cluster.metadata;
  // Not from the cache: whoever is given an owner that is gone goes with it.
  if ((await hands.live(kind, placeOf(world.cluster)))?.metadata.uid !== uid) return;
  const of: KindRef = roleKinds[role];
  const known = hands.get(of, placeOf(object));
  if (known !== undefined && isTied(known, world.cluster)) return; // heard of meanwhile
  await hands.apply(
    of,
    {
      apiVersion: of.apiVersion,
      kind: of.kind,
      metadata: {
        ...placeOf(object),
        ...(object.metadata.uid === undefined ? {} : { uid: object.metadata.uid }),
        labels: { [labels.clusterName]: labelValue(name) },
        ownerReferences: [{ apiVersion: kind.apiVersion, kind: kind.kind, name, uid }],
      },
    },
    { force: true },
  );
}

async function setEndpoint(
  endpoint: Endpoint,
  hands: Hands,
  cluster: Cluster,
  { Cluster: kind }: Senses,
): Promise<void> {
  const { uid, resourceVersion } = hands.get(kind, placeOf(cluster))?.metadata ?? cluster.metadata;
  const metadata = {
    ...placeOf(cluster),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const document = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec: { controlPlaneEndpoint: endpoint } };
  await hands.apply(kind, document, { force: true });
}

async function remove(next: Deletion, hands: Hands, world: World, senses: Senses): Promise<World> {
  if (next === "machines") {
    for (const { kind, object } of world.machines) {
      const of: KindRef = machineKinds[kind];
      if (!isLeaving(object)) await hands.remove(of, object, "Background");
    }
    return world;
  }
  for (const role of ["controlPlane", "infrastructure"] as const) {
    // Not from the cache: what it has not heard of yet would be left behind.
    const live = await liveProvider(role, hands, world.cluster, senses);
    if (live === undefined) continue;
    if (!isLeaving(live)) await hands.remove(roleKinds[role] as KindRef, live, "Background");
    return { ...world, [role]: { is: "found", name: live.metadata?.name ?? "", object: live } };
  }
  await letGo(hands, world.cluster, senses);
  throw unsaid(senses);
}

async function liveProvider(
  role: Role,
  hands: Hands,
  cluster: Cluster,
  { Cluster: kind }: Senses,
): Promise<KubeObject | undefined> {
  const ref = referenceOf(cluster, role);
  if (ref.is !== "ours") return undefined;
  const live = await hands.live(roleKinds[role] as KindRef, ref);
  return live === undefined || isAnothers(live, cluster, hands, kind) ? undefined : live;
}
