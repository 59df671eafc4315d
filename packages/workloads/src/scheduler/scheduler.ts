// The scheduler: gives pods that have none a node, or says why they get none. `choose.ts` decides.
import { ApiError, isConflict } from "@telltale/client";
import { type Instant, type KubeObject, type Ms, plus } from "@telltale/kinds";
import { Namespace, Node, PersistentVolumeClaim, Pod, StorageClass } from "@telltale/kinds/builtin";
import {
  type Controller,
  controller,
  type Hands,
  type Look,
  type MapLook,
  type Name,
  type StatusValue,
} from "@telltale/runtime";
import { podCondition, type Said } from "../kubelet/pod-conditions.ts";
import { isFinished, isTerminating, nameOf } from "../pods/facts.ts";
import { choose, type Site } from "./choose.ts";
import { type Claims, unclaimed } from "./claims.ts";
import { Ledger, type Placed } from "./ledger.ts";
import { messageOf, type Verdict } from "./message.ts";

const name = "default-scheduler";

/**
 * Pods without a node, which may get one as soon as something changes. Also those that are just being looked at: what they are
 * refused for may be of the past before it is written.
 */
const waiting = "unplaced";
/** Those of them for which other pods may make a difference. */
const social = "social";
/** So long changes are gathered before such pods are looked at again. */
const pause: Ms = 100;
/** They are looked at so often, whatever happens. */
const again: Ms = 300_000;
/** A binding that was agreed to and does not show by then was lost with the server's memory of it. */
const confirmed: Ms = 30_000;

interface World {
  readonly pod: Pod;
  readonly site: Site;
  readonly claims: Claims;
  readonly decision?: Decision;
}

type Decision =
  | { readonly to: "wait" } // for its gates to open
  | { readonly to: "bind"; readonly node: string }
  | { readonly to: "refuse"; readonly message: string };

export function scheduler(): Controller {
  const ledger = new Ledger();
  return controller(Pod, name)
    .index(Pod, waiting, (pod) => (isWaiting(pod) ? ["yes", ...(isSociable(pod) ? [social] : [])] : []))
    .watches(
      Pod,
      ({ old, new: next }, look) => {
        const effect = ledger.saw(old, next);
        if (effect === "nothing") return [];
        return namesOf(look.where(Pod, waiting, effect === "room" ? "yes" : social));
      },
      { delay: pause },
    )
    .watches(Node, (_change, look) => namesOf(look.where(Pod, waiting, "yes")), { delay: pause, changed: isOtherwise })
    .watches(PersistentVolumeClaim, ({ old, new: next }, look) => waitingFor(next ?? old, look))
    .watches(StorageClass, (_change, look) => namesOf(look.where(Pod, waiting, "yes").filter(hasClaims)), {
      delay: pause,
    })
    .watches(Namespace, (_change, look) => namesOf(look.where(Pod, waiting, social)), {
      delay: pause,
      changed: (a, b) => a.metadata?.labels !== b.metadata?.labels,
    })
    .writes(Pod, "create binding")
    .gate((pod, { now }) => (isOurs(pod) && !isUnderWay(ledger.of(pod), now) ? "go" : "ignore"))
    .reconcile<World, Decision>({
      observe: (pod, look) => observe(pod, look, ledger),
      // Nothing happens between this and the first line of `act`: nobody else can be given the same room.
      plan: (world) => decide(world, ledger.of(world.pod)),
      act: (decision, hands, world) => act(decision, hands, world, ledger),
      status: statusOf,
    });
}

function isOurs(pod: Pod): boolean {
  const { nodeName = "", schedulerName = name } = pod.spec ?? {};
  return nodeName === "" && schedulerName === name && !isTerminating(pod) && !isFinished(pod);
}

const isWaiting = (pod: Pod): boolean => isOurs(pod) && (pod.spec?.schedulingGates ?? []).length === 0;

/** Company may be what it waits for. */
const isSociable = ({ spec }: Pod): boolean =>
  spec?.affinity?.podAffinity !== undefined || (spec?.topologySpreadConstraints ?? []).length > 0;

/** Whether a node may take other pods than before. */
function isOtherwise(a: Node, b: Node): boolean {
  return (
    a.spec?.taints !== b.spec?.taints ||
    a.spec?.unschedulable !== b.spec?.unschedulable ||
    a.metadata?.labels !== b.metadata?.labels ||
    a.status?.allocatable !== b.status?.allocatable
  );
}

function waitingFor(claim: KubeObject | undefined, look: MapLook): readonly Name[] {
  const namespace = claim?.metadata?.namespace;
  const found = look.where(Pod, waiting, "yes").filter(hasClaims);
  return namesOf(found.filter(({ metadata }) => metadata?.namespace === namespace));
}

const hasClaims = ({ spec }: Pod): boolean =>
  (spec?.volumes ?? []).some((it) => it.persistentVolumeClaim !== undefined || it.ephemeral !== undefined);

const namesOf = (pods: readonly Pod[]): readonly Name[] =>
  pods.map((pod) => ({ namespace: pod.metadata?.namespace ?? "", name: nameOf(pod) }));

/** The server has agreed to bind it, and will say so soon. */
function isUnderWay(placed: Placed | undefined, now: Instant): boolean {
  return placed?.as === "asked" && now < plus(placed.since, confirmed);
}

function observe(pod: Pod, look: Look, ledger: Ledger): World {
  const namespace = pod.metadata?.namespace ?? "";
  return {
    pod,
    site: {
      nodes: look.list(Node),
      loadOf: (node) => ledger.loadOf(node),
      placed: () => ledger.placed(),
      guarded: () => ledger.guarded(),
      node: (node) => look.get(Node, { name: node }),
      namespaceLabels: (it) => look.get(Namespace, { name: it })?.metadata?.labels,
    },
    claims: {
      claim: (claim) => look.get(PersistentVolumeClaim, { namespace, name: claim }),
      storageClass: (it) => look.get(StorageClass, { name: it }),
    },
  };
}

function decide({ pod, site, claims }: World, before: Placed | undefined): Decision {
  if ((pod.spec?.schedulingGates ?? []).length > 0) return { to: "wait" };
  // It was asked for, and nobody knows what became of it: only there it can be.
  if (before !== undefined) return { to: "bind", node: before.node };
  const missing = unclaimed(pod, claims);
  const choice = missing === undefined ? choose(pod, site) : { refused: unplaceable(missing, site) };
  if ("node" in choice) return { to: "bind", node: choice.node };
  return { to: "refuse", message: messageOf(choice.refused, pod.spec?.preemptionPolicy !== "Never") };
}

const unplaceable = (reason: string, { nodes }: Site): Verdict => ({ by: "pod", reason, nodes: nodes.length });

async function act(decision: Decision, hands: Hands<typeof Pod>, world: World, ledger: Ledger): Promise<World> {
  if (decision.to === "refuse") hands.event("Warning", "FailedScheduling", decision.message);
  if (decision.to === "bind") await bind(world.pod, decision.node, hands, ledger);
  return { ...world, decision };
}

async function bind(pod: Pod, node: string, hands: Hands<typeof Pod>, ledger: Ledger): Promise<void> {
  const before = ledger.of(pod);
  ledger.assume(pod, node, "asked", hands.now);
  const { namespace = "", uid = "" } = pod.metadata ?? {};
  try {
    await hands.post(Pod, pod, "binding", {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: nameOf(pod), namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    });
  } catch (error) {
    // It is bound, then: the news of it will come.
    if (before !== undefined && isConflict(error)) return;
    // A refusal is certain. Whatever else went wrong, the pod may be bound.
    if (error instanceof ApiError && error.code < 500) ledger.giveUp(pod);
    else ledger.assume(pod, node, "unsure", hands.now);
    throw error;
  }
  hands.event("Normal", "Scheduled", `Successfully assigned ${namespace}/${nameOf(pod)} to ${node}`);
}

const gated: Said = {
  status: "False",
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
};

function statusOf({ pod, decision }: World, _pod: Pod, now: Instant): StatusValue<typeof Pod> {
  if (decision === undefined || decision.to === "bind") return { status: undefined, wakeAt: plus(now, confirmed) };
  const before = pod.status?.conditions ?? [];
  const said: Said =
    decision.to === "wait" ? gated : { status: "False", reason: "Unschedulable", message: decision.message };
  const next = podCondition("PodScheduled", said, before, pod.metadata?.generation, now);
  const others = before.filter(({ type }) => type !== "PodScheduled");
  const status = before.includes(next) ? pod.status : { ...pod.status, conditions: [...others, next] };
  return { status, ...(decision.to === "refuse" ? { wakeAt: plus(now, again) } : {}) };
}
