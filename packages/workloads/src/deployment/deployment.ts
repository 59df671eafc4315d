// Deployment: pods of one template through ReplicaSets, one for each template that it had. `plan.ts` decides, `status.ts`
// tells.
import type { JsonPatchOperation } from "@telltale/client";
import { Deployment, Pod, ReplicaSet } from "@telltale/kinds/builtin";
import { annotationPatch, type Controller, controller, type Hands, type Look, type MapLook } from "@telltale/runtime";
import { isEndingError } from "../objects/ending.ts";
import { type Claim, claim, claiming, orphans, settleClaim } from "../pods/claim.ts";
import { controllerOf, isFinished, nameOf } from "../pods/facts.ts";
import { wordsOf } from "../pods/words.ts";
import { type Action, plan } from "./plan.ts";
import { isSame } from "./revision.ts";
import { sizeOf } from "./scale.ts";
import { type Happening, statusOf } from "./status.ts";

interface World {
  readonly deployment: Deployment;
  readonly claim: Claim<ReplicaSet>;
  readonly pods: ReadonlyMap<ReplicaSet, readonly Pod[]>;
  readonly happening?: Happening | undefined;
}

export function deployments(): Controller {
  return claiming(controller(Deployment, "deployment-controller").owns(ReplicaSet), Deployment, ReplicaSet)
    .watches(Pod, ({ old, new: next }, look) => recreators(next ?? old, next === undefined, look), {
      changed: (a, b) => isFinished(a) !== isFinished(b),
    })
    .untilGone()
    .reconcile<World, readonly Action[]>({
      observe,
      plan: ({ deployment, claim: { mine: sets }, pods }) =>
        plan({ deployment, sets, podsOf: (set) => pods.get(set) ?? [] }),
      act,
      status: ({ deployment, claim: { mine: sets }, happening }, _, now) =>
        statusOf({ deployment, sets, happening }, now),
    });
}

function observe(deployment: Deployment, look: Look): World {
  const namespace = deployment.metadata?.namespace ?? "";
  const found = claim(
    deployment,
    deployment.spec?.selector,
    look.children(ReplicaSet),
    look.where(ReplicaSet, orphans, namespace),
  );
  const isRolling = deployment.spec?.strategy?.type !== "Recreate";
  const pods = new Map(isRolling ? [] : found.mine.map((set) => [set, look.children(Pod, set)] as const));
  return { deployment, claim: found, pods };
}

/** Who waits for the end of a pod before it makes new ones. */
function* recreators(
  pod: Pod | undefined,
  isGone: boolean,
  look: MapLook,
): Iterable<{ namespace: string; name: string }> {
  if (pod === undefined || !(isGone || isFinished(pod))) return;
  const namespace = pod.metadata?.namespace ?? "";
  const set = controllerOf(pod);
  if (set?.kind !== "ReplicaSet") return;
  const owner = controllerOf(look.get(ReplicaSet, { namespace, name: set.name }) ?? {});
  if (owner?.kind !== "Deployment") return;
  const waiting = look.get(Deployment, { namespace, name: owner.name });
  if (waiting?.spec?.strategy?.type === "Recreate") yield { namespace, name: owner.name };
}

async function act(actions: readonly Action[], hands: Hands<typeof Deployment>, world: World): Promise<World> {
  const { deployment } = world;
  await settleClaim(hands, ReplicaSet, { kind: Deployment, object: deployment }, world.claim);
  let happening: Happening | undefined;
  for (const action of actions) {
    if (action.do === "create") happening = await create(action.set, hands, deployment);
    else if (action.do === "remove") await hands.remove(ReplicaSet, action.set, "Background");
    else await change(action, hands, deployment);
  }
  return { ...observe(deployment, hands), happening };
}

async function create(
  set: ReplicaSet,
  hands: Hands<typeof Deployment>,
  { spec }: Deployment,
): Promise<Happening | undefined> {
  try {
    const { as, live } = await hands.ensure(ReplicaSet, set, { mode: "createOnly" });
    if (as === "created") {
      if (sizeOf(live) > 0) scaled(hands, live, 0, sizeOf(live));
      return { is: "created" };
    }
    // Another template with the same hash, or another owner: the next attempt has another name.
    const isOurs = as === "unchanged" && isSame(live.spec?.template, spec?.template);
    return isOurs ? undefined : { is: "taken" };
  } catch (error) {
    if (isEndingError(error)) return undefined;
    const why = wordsOf(error);
    hands.event("Warning", "ReplicaSetCreateError", `Failed to create new replica set "${nameOf(set)}": ${why}`);
    return { is: "failed", set: nameOf(set), why };
  }
}

async function change(
  action: Extract<Action, { do: "mark" | "resize" }>,
  hands: Hands<typeof Deployment>,
  { spec }: Deployment,
): Promise<void> {
  // A mark earlier in this pass may have made it newer.
  const set = hands.children(ReplicaSet).find((it) => nameOf(it) === nameOf(action.set)) ?? action.set;
  const operations: JsonPatchOperation[] = annotationPatch(set, action.annotations);
  const minReady = spec?.minReadySeconds;
  if (action.do === "mark" && (set.spec?.minReadySeconds ?? 0) !== (minReady ?? 0)) {
    operations.push({ op: "add", path: "/spec/minReadySeconds", value: minReady ?? 0 });
  }
  const from = sizeOf(set);
  if (action.do === "resize" && action.to !== from) {
    operations.push({ op: "test", path: "/spec/replicas", value: from });
    operations.push({ op: "replace", path: "/spec/replicas", value: action.to });
  }
  if (operations.length === 0) return;
  const after = await hands.patch(ReplicaSet, set, operations);
  if (sizeOf(after) !== from) scaled(hands, after, from, sizeOf(after));
}

function scaled(hands: Hands<typeof Deployment>, set: ReplicaSet, from: number, to: number): void {
  const way = to > from ? "up" : "down";
  hands.event("Normal", "ScalingReplicaSet", `Scaled ${way} replica set ${nameOf(set)} from ${from} to ${to}`);
}
