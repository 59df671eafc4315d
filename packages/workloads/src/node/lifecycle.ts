// The node lifecycle: a node whose Lease is not renewed is not heard of, is tainted, and its pods are not ready. When it comes
// back the taints go. Who is evicted from it is in `eviction.ts`.
import { formatTime, type Instant, type Ms, plus } from "@telltale/kinds";
import { Lease, Node, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type StatusValue } from "@telltale/runtime";
import { isFinished, nameOf, conditionOf as podCondition, uidOf } from "../pods/facts.ts";
import { leases } from "./agent.ts";
import { conditionOf, isReadyNode, type NodeCondition } from "./facts.ts";
import { onNode, podsByNode, told } from "./pods.ts";
import { taintsOf } from "./taints.ts";

export interface LifecycleOptions {
  /** For how long a node may be silent. Default: 40 s. */
  readonly grace?: Ms;
}

interface World {
  readonly node: Node;
  /** Since when its Lease is as it is, by our own clock. Undefined: it never had one, and nobody expects to hear of it. */
  readonly heardAt: Instant | undefined;
}

const standardGrace: Ms = 40_000;

export function nodeLifecycle({ grace = standardGrace }: LifecycleOptions = {}): Controller {
  const listening = new Listening();
  return controller(Node, "node-controller")
    .watches(Lease, ({ old, new: next }) => [{ name: nameOf(next ?? old ?? {}) }], { namespace: leases })
    .reads(Pod)
    .index(Pod, onNode, podsByNode)
    .writes(Node, "patch")
    .writes(Pod, "patch status")
    .gone((node) => listening.forget(node))
    .reconcile<World>({
      observe: (node, look) => ({ node, heardAt: listening.heard(node, look) }),
      async act(_none, hands, { node }) {
        if (listening.isNew(node)) {
          hands.event(
            "Normal",
            "RegisteredNode",
            `Node ${nameOf(node)} event: Registered Node ${nameOf(node)} in Controller`,
          );
        }
        await taint(node, hands);
        if (conditionOf(node, "Ready") !== undefined && !isReadyNode(node)) await markPods(node, hands);
      },
      status: ({ node, heardAt }, _node, now) => statusOf(node, heardAt, grace, now),
      after({ world, object }, hands) {
        if (!isReadyNode(world.node) || isReadyNode(object)) return;
        hands.event("Normal", "NodeNotReady", `Node ${nameOf(object)} status is now: NodeNotReady`);
      },
    });
}

/**
 * What was heard of each node, and when, by our own clock: after a restart everybody has their full time again, and the clock of
 * a node need not be right.
 */
class Listening {
  readonly #heard = new Map<string, { readonly renewTime: string; readonly at: Instant }>();
  readonly #known = new Set<string>();

  heard(node: Node, look: Look): Instant | undefined {
    const renewTime = look.get(Lease, { namespace: leases, name: nameOf(node) })?.spec?.renewTime;
    const before = this.#heard.get(uidOf(node));
    if (renewTime === undefined || renewTime === before?.renewTime) return before?.at;
    this.#heard.set(uidOf(node), { renewTime, at: look.now });
    return look.now;
  }

  isNew(node: Node): boolean {
    if (this.#known.has(uidOf(node))) return false;
    this.#known.add(uidOf(node));
    return true;
  }

  forget(node: Node): void {
    this.#heard.delete(uidOf(node));
    this.#known.delete(uidOf(node));
  }
}

/** What a silent node's conditions become. */
export function statusOf(
  node: Node,
  heardAt: Instant | undefined,
  grace: Ms,
  now: Instant,
): Pick<StatusValue<typeof Node>, "wakeAt"> & { readonly status: Node["status"] } {
  if (heardAt === undefined) return { status: undefined };
  const silentAt = plus(heardAt, grace);
  if (now < silentAt) return { status: undefined, wakeAt: silentAt };
  const before = node.status?.conditions ?? [];
  const isSaid = ours.every((type) => conditionOf(node, type)?.status === "Unknown");
  if (isSaid) return { status: undefined };
  const conditions = [...before.map((it) => unknown(it, now)), ...missing(node, now)];
  // What follows from it is done as soon as it is said.
  return { status: { ...node.status, conditions }, wakeAt: now };
}

const ours = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

function unknown(condition: NodeCondition, now: Instant): NodeCondition {
  if (!ours.includes(condition.type) || condition.status === "Unknown") return condition;
  return {
    ...condition,
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: formatTime(now),
  };
}

function missing(node: Node, now: Instant): readonly NodeCondition[] {
  return ours
    .filter((type) => conditionOf(node, type) === undefined)
    .map((type) => ({
      type,
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: node.metadata?.creationTimestamp ?? formatTime(now),
      lastTransitionTime: formatTime(now),
    }));
}

async function taint(node: Node, hands: Hands<typeof Node>): Promise<void> {
  const before = node.spec?.taints;
  const after = taintsOf(node, hands.now);
  if (after === before || (after.length === 0 && before === undefined)) return;
  const path = "/spec/taints";
  await hands.patch(Node, node, [
    { op: "test", path, value: before ?? null },
    after.length === 0 ? { op: "remove", path } : { op: "add", path, value: after },
  ]);
}

/** A pod of which nobody hears is not ready. Once for each time that the node is lost: whoever says otherwise later knows better. */
async function markPods(node: Node, hands: Hands<typeof Node>): Promise<void> {
  const since = conditionOf(node, "Ready")?.lastTransitionTime ?? "";
  for (const pod of hands.where(Pod, onNode, nameOf(node))) {
    const ready = podCondition(pod, "Ready");
    const isOlder = (ready?.lastTransitionTime ?? "") <= since;
    if (isFinished(pod) || ready?.status !== "True" || !isOlder) continue;
    const before = pod.status?.conditions ?? [];
    const at = formatTime(hands.now);
    const value = before.map((it) => (it === ready ? { ...it, status: "False", lastTransitionTime: at } : it));
    const path = "/status/conditions";
    const isMarked = await told(hands, pod, [
      { op: "test", path, value: before },
      { op: "replace", path, value },
    ]);
    if (isMarked) hands.event("Warning", "NodeNotReady", "Node is not ready", { kind: Pod, object: pod });
  }
}
