// Takes away pods that nobody will end: those of nodes that are gone, and finished ones beyond a number. It looks around at
// regular times; the object that it works on is the namespace of the system.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { Namespace, Node, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import { withCondition } from "../pods/conditions.ts";
import { byAge, isFinished, isTerminating, nameOf } from "../pods/facts.ts";
import { told } from "./pods.ts";

export interface GarbageOptions {
  /** How many finished pods may stay. Default: 12500. 0: all. */
  readonly threshold?: number;
}

const rounds: Ms = 20_000;
/** So long a node is missing before its pods are given up. */
const quarantine: Ms = 40_000;

interface World {
  readonly pods: readonly Pod[];
  readonly nodes: ReadonlySet<string>;
}

interface Plan {
  readonly orphans: readonly Pod[];
  readonly others: readonly Pod[];
}

export function podGarbage({ threshold = 12_500 }: GarbageOptions = {}): Controller {
  const missingSince = new Map<string, Instant>();
  return controller(Namespace, "pod-garbage-collector")
    .select({ field: "metadata.name=kube-system" })
    .reads(Pod, Node)
    .writes(Pod, "delete", "patch status")
    .reconcile<World, Plan>({
      observe,
      plan(world, now) {
        notice(world, missingSince, now);
        return {
          orphans: orphans(world, missingSince, now),
          others: [...stuck(world), ...superfluous(world, threshold)],
        };
      },
      async act({ orphans: lost, others }, hands) {
        const gone = new Map<string, boolean>();
        for (const pod of lost)
          if (await isGone(pod.spec?.nodeName ?? "", gone, hands)) await giveUp(pod, "orphan", hands);
        for (const pod of others) await giveUp(pod, "other", hands);
      },
      status: (_world, _namespace, now) => ({ status: undefined, wakeAt: plus(now, rounds) }),
    });
}

function observe(_system: Namespace, look: Look): World {
  return { pods: look.list(Pod), nodes: new Set(look.list(Node).map(nameOf)) };
}

/** Since when each node is missing that pods are bound to. One that is back, or has no pods any more, is forgotten. */
function notice({ pods, nodes }: World, missingSince: Map<string, Instant>, now: Instant): void {
  const missing = new Set(pods.flatMap(({ spec }) => spec?.nodeName || []).filter((name) => !nodes.has(name)));
  for (const name of missingSince.keys()) if (!missing.has(name)) missingSince.delete(name);
  for (const name of missing) if (!missingSince.has(name)) missingSince.set(name, now);
}

function orphans({ pods }: World, missingSince: ReadonlyMap<string, Instant>, now: Instant): readonly Pod[] {
  return pods.filter(({ metadata, spec }) => {
    const since = missingSince.get(spec?.nodeName ?? "");
    return since !== undefined && plus(since, quarantine) <= now && !isGoing(metadata);
  });
}

/** Deleted without grace: whoever holds it lets it go. */
const isGoing = (metadata: Pod["metadata"]): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

/** Deleted before they were bound: nobody else will let them go. */
const stuck = ({ pods }: World): readonly Pod[] =>
  pods.filter((pod) => isTerminating(pod) && (pod.spec?.nodeName ?? "") === "" && !isGoing(pod.metadata));

/** Evicted ones first, then the oldest. */
export function superfluous({ pods }: Pick<World, "pods">, threshold: number): readonly Pod[] {
  const finished = pods.filter((pod) => isFinished(pod) && !isTerminating(pod));
  if (threshold <= 0 || finished.length <= threshold) return [];
  const rank = ({ status }: Pod) => (status?.reason === "Evicted" ? 0 : 1);
  return finished.sort((a, b) => rank(a) - rank(b) || byAge(a, b)).slice(0, finished.length - threshold);
}

/** The cache may not know a node that has just come: the server does. */
async function isGone(name: string, known: Map<string, boolean>, hands: Hands<typeof Namespace>): Promise<boolean> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const isMissing = (await hands.live(Node, { name })) === undefined;
  known.set(name, isMissing);
  return isMissing;
}

async function giveUp(pod: Pod, as: "orphan" | "other", hands: Hands<typeof Namespace>): Promise<void> {
  if (!isFinished(pod)) {
    const before = pod.status?.conditions;
    const said = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    };
    const path = "/status/conditions";
    const isThere = await told(hands, pod, [
      { op: "test", path, value: before ?? null },
      { op: "add", path: "/status/phase", value: "Failed" },
      ...(as === "orphan" ? [{ op: "add", path, value: withCondition(before, said, hands.now) } as const] : []),
    ]);
    if (!isThere) return;
  }
  await hands.remove(Pod, pod, "Background", { gracePeriodSeconds: 0 });
}
