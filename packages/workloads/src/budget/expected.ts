// How many pods a budget is about: those that are there, or those that their controllers want.
import type { Pod, PodDisruptionBudget } from "@telltale/kinds/builtin";
import { Deployment, ReplicaSet, StatefulSet } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import type { ReadScale } from "../objects/scale.ts";
import { controllerOf, nameOf, type OwnerReference } from "../pods/facts.ts";

export type Expected = {
  /** Scales were asked of the server: nothing tells of their changes. */
  readonly isRead: boolean;
} & (
  | { readonly is: "known"; readonly count: number; readonly unmanaged: readonly Pod[] } // pods that nobody counts
  | { readonly is: "unknown"; readonly why: string }
);

type ExpectedLook = Pick<Look, "get" | "server" | "now">;

/** A number of pods that must be there needs no controllers; a share of all, or a number that may be missing, does. */
export async function expectedOf(
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
  look: ExpectedLook,
  readScale: ReadScale,
): Promise<Expected> {
  if (typeof spec?.minAvailable === "number") return { is: "known", isRead: false, count: pods.length, unmanaged: [] };
  const wanted = new Map<string, number>();
  const seen = new Set<string>();
  const unmanaged: Pod[] = [];
  let isRead = false;
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) unmanaged.push(pod);
    if (owner === undefined || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const cached = cachedScale(owner, pod, look);
    if (cached === undefined) isRead = true;
    const found = cached ?? (await serverScale(owner, pod, look, readScale));
    if ("why" in found) return { is: "unknown", isRead, why: found.why };
    wanted.set(found.uid, found.replicas);
  }
  const count = [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
  return { is: "known", isRead, count, unmanaged };
}

interface ControllerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** Of the controllers that we cache. Undefined: it is another one, or not there. */
function cachedScale(owner: OwnerReference, pod: Pod, look: ExpectedLook): ControllerScale | undefined {
  const namespace = pod.metadata?.namespace ?? "";
  const of = (it: Scaled | undefined, uid: string): ControllerScale | undefined =>
    it?.metadata?.uid === uid ? { uid, replicas: it.spec?.replicas ?? 1 } : undefined;
  const { group } = groupVersionOf(owner);
  const place = { namespace, name: owner.name };
  if (group !== "apps") return undefined;
  if (owner.kind === "StatefulSet") return of(look.get(StatefulSet, place), owner.uid);
  if (owner.kind !== "ReplicaSet") return undefined;
  const set = look.get(ReplicaSet, place);
  const above = set?.metadata?.uid === owner.uid ? controllerOf(set) : undefined;
  if (above?.kind !== "Deployment") return of(set, owner.uid);
  return of(look.get(Deployment, { namespace, name: above.name }), above.uid);
}

/** Of any other controller, by its scale. */
async function serverScale(
  owner: OwnerReference,
  pod: Pod,
  look: ExpectedLook,
  readScale: ReadScale,
): Promise<ControllerScale | { readonly why: string }> {
  const namespace = pod.metadata?.namespace ?? "";
  const kind = { ...groupVersionOf(owner), kind: owner.kind };
  const scale = await readScale(kind, { namespace, name: owner.name }, look);
  if (scale.is === "not scalable") return { why: `${scale.resource} does not implement the scale subresource` };
  if (scale.is === "found" && scale.uid === owner.uid) return { uid: scale.uid, replicas: scale.desired };
  if (scale.is === "found" || scale.is === "missing") {
    return { why: `found no controllers for pod ${JSON.stringify(nameOf(pod))}` };
  }
  return { why: scale.why };
}

function groupVersionOf({ apiVersion }: OwnerReference): { readonly group: string; readonly version: string } {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}

interface Scaled {
  readonly metadata?: { readonly uid?: string };
  readonly spec?: { readonly replicas?: number };
}
