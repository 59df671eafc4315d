// Evicts pods from nodes with a NoExecute taint that they do not tolerate, or no longer.
import { type Instant, instant } from "@telltale/kinds";
import { Node, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands } from "@telltale/runtime";
import { withCondition } from "../pods/conditions.ts";
import { isTerminating, nameOf } from "../pods/facts.ts";
import { onNode, podsByNode, told } from "./pods.ts";
import { evicting, staysUntil } from "./taints.ts";

interface World {
  readonly due: readonly Pod[];
  readonly next: Instant | undefined;
}

export function taintEviction(): Controller {
  return controller(Node, "taint-eviction-controller")
    .watches(Pod, ({ new: pod }, look) => {
      const name = pod?.spec?.nodeName ?? "";
      const node = name === "" ? undefined : look.get(Node, { name });
      return node === undefined || evicting(node).length === 0 ? [] : [{ name }];
    })
    .index(Pod, onNode, podsByNode)
    .writes(Pod, "delete", "patch status")
    .gate((node) => (evicting(node).length === 0 ? "ignore" : "go"))
    .reconcile<World, readonly Pod[]>({
      observe: (node, look) => planOf(node, look.where(Pod, onNode, nameOf(node)), look.now),
      plan: ({ due }) => due,
      async act(due, hands) {
        for (const pod of due) await evict(pod, hands);
      },
      status: ({ next }) => ({ status: undefined, ...(next === undefined ? {} : { wakeAt: next }) }),
    });
}

export function planOf(node: Node, pods: readonly Pod[], now: Instant): World {
  const taints = evicting(node);
  const staying = pods
    .filter((pod) => !isTerminating(pod))
    .map((pod) => ({ pod, until: staysUntil(pod, taints, now) }));
  const later = staying.flatMap(({ until }) => (until === undefined || until <= now ? [] : [until]));
  return {
    due: staying.filter(({ until }) => until !== undefined && until <= now).map(({ pod }) => pod),
    next: later.length === 0 ? undefined : instant(Math.min(...later)),
  };
}

async function evict(pod: Pod, hands: Hands<typeof Node>): Promise<void> {
  const before = pod.status?.conditions;
  const disrupted = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
  };
  const path = "/status/conditions";
  const isThere = await told(hands, pod, [
    { op: "test", path, value: before ?? null },
    { op: "add", path, value: withCondition(before, disrupted, hands.now) },
  ]);
  if (!isThere) return;
  const name = `${pod.metadata?.namespace ?? ""}/${nameOf(pod)}`;
  hands.event("Normal", "TaintManagerEviction", `Marking for deletion Pod ${name}`, { kind: Pod, object: pod });
  await hands.remove(Pod, pod, "Background");
}
