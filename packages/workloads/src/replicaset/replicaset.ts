// ReplicaSet: as many pods of one template as are wanted. `status.ts` is what it says of them.
import type { Instant } from "@telltale/kinds";
import { Pod, ReplicaSet } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import { isEndingError } from "../objects/ending.ts";
import { type Batched, burst, slowStart } from "../pods/batch.ts";
import { type Claim, claim, claiming, orphans, settleClaim } from "../pods/claim.ts";
import { controllerOf, isActive, isTerminating, nameOf } from "../pods/facts.ts";
import { leastWanted } from "../pods/rank.ts";
import { generateName, podFrom } from "../pods/template.ts";
import { wordsOf } from "../pods/words.ts";
import { statusOf } from "./status.ts";

export interface World {
  readonly set: ReplicaSet;
  readonly pods: Claim<Pod>;
  /** Pods of all ReplicaSets of the same owner: of two on one node one goes first. */
  readonly related: readonly Pod[];
  /** What could not be done. */
  readonly failure?: Failure;
}

export interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

interface Plan {
  readonly create: number;
  readonly remove: readonly Pod[];
}

export function replicaSets(): Controller {
  return claiming(controller(ReplicaSet, "replicaset-controller").owns(Pod), ReplicaSet, Pod)
    .untilGone()
    .reconcile<World, Plan>({ observe, plan, act, status: (world, _set, now) => statusOf(world, now) });
}

function observe(set: ReplicaSet, look: Look): World {
  const namespace = set.metadata?.namespace ?? "";
  const pods = claim(set, set.spec?.selector, look.children(Pod), look.where(Pod, orphans, namespace));
  return { set, pods, related: relatedTo(set, look) };
}

function relatedTo(set: ReplicaSet, look: Look): readonly Pod[] {
  const owner = controllerOf(set)?.uid;
  if (owner === undefined) return look.children(Pod).filter(isActive);
  // By their owner: a namespace may have thousands of them.
  const siblings = look.children(ReplicaSet, { metadata: { uid: owner } });
  return siblings.flatMap((it) => look.children(Pod, it)).filter(isActive);
}

export function plan({ set, pods, related }: World, _now: Instant): Plan {
  if (isTerminating(set)) return { create: 0, remove: [] };
  const active = pods.mine.filter(isActive);
  const missing = (set.spec?.replicas ?? 1) - active.length;
  if (missing >= 0) return { create: Math.min(missing, burst), remove: [] };
  return { create: 0, remove: leastWanted(active, Math.min(-missing, burst), related) };
}

async function act({ create, remove }: Plan, hands: Hands<typeof ReplicaSet>, world: World): Promise<World> {
  const { set, pods } = world;
  await settleClaim(hands, Pod, { kind: ReplicaSet, object: set }, pods);
  const template = set.spec?.template;
  const made = await slowStart(template === undefined ? 0 : create, async () => {
    const pod = await hands.create(Pod, podFrom(template ?? {}, { generateName: generateName(nameOf(set)) }));
    hands.event("Normal", "SuccessfulCreate", `Created pod: ${nameOf(pod)}`);
  });
  const removed = await slowStart(remove.length, async (i) => {
    const pod = remove[i];
    if (pod === undefined) return;
    await hands.remove(Pod, pod, "Background");
    hands.event("Normal", "SuccessfulDelete", `Deleted pod: ${nameOf(pod)}`);
  });
  const failure = failureOf("FailedCreate", made) ?? failureOf("FailedDelete", removed);
  if (failure !== undefined) {
    const doing = failure.reason === "FailedCreate" ? "Error creating" : "Error deleting";
    hands.event("Warning", failure.reason, `${doing}: ${failure.message}`);
  }
  const after = observe(set, hands);
  return failure === undefined ? after : { ...after, failure };
}

function failureOf(reason: Failure["reason"], { error }: Batched): Failure | undefined {
  // In a namespace that goes away there is nothing more to make.
  return error === undefined || isEndingError(error) ? undefined : { reason, message: wordsOf(error) };
}
