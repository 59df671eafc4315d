// Reads what a pass has to know of one Cluster. Provider status comes from the cache only: what is not stored yet is not
// known here, so a Cluster never says more than its providers have said (B-ORDER).
import type { KindRef, KubeObject } from "@telltale/kinds";
import type { Look } from "@telltale/runtime";
import type { ShapeFinder } from "../domain-shape.ts";
import { CaptMachine } from "../kinds/capt-machine.ts";
import { CaptMachineDeployment } from "../kinds/capt-machine-deployment.ts";
import { CaptMachineSet } from "../kinds/capt-machine-set.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { clusterGroup, labels, labelValue } from "../names.ts";
import { pauseOf } from "../pause.ts";
import type { Edges } from "./edges.ts";
import { type ModeFinder, modeFor } from "./mode.ts";
import { type Role, referenceOf, roleKinds } from "./references.ts";
import { isLeaving, type Machine, type Provider, type World } from "./world.ts";

export interface Senses {
  readonly Cluster: KindRef<Cluster>;
  readonly modes: ModeFinder;
  readonly shapes: ShapeFinder;
  readonly edges: Edges;
  /** Whether there are machines. */
  readonly machines: boolean;
  /** `forward`: another process is the bridge, and this one only tells of changes. */
  readonly work: "bridge" | "forward";
}

export async function observe(cluster: Cluster, look: Look, senses: Senses): Promise<World> {
  const isReshaped = await senses.shapes.isChanged(look);
  const { modes, work } = senses;
  const mode = work === "forward" ? "unsure" : modeFor(cluster, await modes.find(look), modes.setting);
  return {
    cluster,
    mode,
    isReshaped,
    isAsking: isAsking(senses),
    paused: pauseOf(cluster, cluster),
    infrastructure: providerOf(cluster, "infrastructure", look, senses),
    controlPlane: providerOf(cluster, "controlPlane", look, senses),
    machines: senses.machines && isLeaving(cluster) ? machinesOf(cluster, look) : [],
  };
}

/** Whether something has to be asked for again and again, because nobody tells. */
export const isAsking = ({ modes, shapes, work }: Senses): boolean =>
  shapes.isFound || (work === "bridge" && modes.isFound);

/** Every network says its failure domains in the new shape. */
export function tellAll(look: Pick<Look, "list">, { Cluster, edges }: Senses): void {
  for (const cluster of look.list(Cluster)) {
    const ref = referenceOf(cluster, "infrastructure");
    if (ref.is === "ours") edges.tell("captCluster", ref);
  }
}

function providerOf<R extends Role>(
  cluster: Cluster,
  role: R,
  look: Look,
  { Cluster: kind }: Senses,
): Provider<NonNullable<(typeof roleKinds)[R]["~object"]>> {
  const ref = referenceOf(cluster, role);
  if (ref.is !== "ours") return ref;
  const object = look.get(roleKinds[role] as KindRef<NonNullable<(typeof roleKinds)[R]["~object"]>>, ref);
  if (object === undefined) return { is: "absent", name: ref.name };
  return isAnothers(object, cluster, look, kind)
    ? { is: "foreign", kind: roleKinds[role].kind, name: ref.name }
    : { is: "found", name: ref.name, object };
}

/** Whether another Cluster that still exists owns an object. One that is gone does not count: ours was made again. */
export function isAnothers(
  { metadata }: KubeObject,
  cluster: Cluster,
  look: Pick<Look, "get">,
  kind: KindRef<Cluster>,
): boolean {
  const owners = (metadata?.ownerReferences ?? []).filter(
    (it) => it.kind === "Cluster" && it.apiVersion.split("/")[0] === clusterGroup,
  );
  if (owners.some(({ uid }) => uid === cluster.metadata.uid)) return false;
  const { namespace = "" } = cluster.metadata;
  return owners.some(({ name, uid }) => look.get(kind, { namespace, name })?.metadata.uid === uid);
}

export const machineKinds = { CaptMachineDeployment, CaptMachineSet, CaptMachine } as const;

function machinesOf({ metadata }: Cluster, look: Look): readonly Machine[] {
  const { namespace = "", name = "" } = metadata;
  const select = { namespace, labels: { matchLabels: { [labels.clusterName]: labelValue(name) } } };
  return (["CaptMachineDeployment", "CaptMachineSet", "CaptMachine"] as const).flatMap((kind) =>
    look.list(machineKinds[kind] as KindRef, select).map((object) => ({ kind, object })),
  );
}
