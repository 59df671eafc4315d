// Pods that are to be spread evenly over parts of the world: required topology spread constraints. Pure.
import { matchesSelector } from "@telltale/kinds";
import type { Node, Pod } from "@telltale/kinds/builtin";
import { isTerminating } from "../pods/facts.ts";
import { domainOf } from "./affinity.ts";
import { misfits } from "./fit.ts";
import type { Placed } from "./ledger.ts";

type Constraint = NonNullable<NonNullable<Pod["spec"]>["topologySpreadConstraints"]>[number];

export type Unevenness =
  | "unlabelled" // the node is in no part that counts
  | "crowded"; // there are more there than elsewhere

export interface Spread {
  unevennessOn(node: Node): Unevenness | undefined;
}

const none: Spread = { unevennessOn: () => undefined };

export function spreadFor(pod: Pod, nodes: readonly Node[], placed: () => Iterable<Placed>): Spread {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    (it) => it.whenUnsatisfiable === "DoNotSchedule",
  );
  if (constraints.length === 0) return none;
  const counted = constraints.map((constraint) => ({
    constraint,
    counts: countsFor(constraint, constraints, pod, nodes, placed),
  }));
  return {
    unevennessOn(node) {
      for (const { constraint, counts } of counted) {
        const domain = domainOf(node, constraint.topologyKey);
        if (domain === undefined) return "unlabelled";
        const self = isCounted(constraint, pod, pod) ? 1 : 0;
        if ((counts.get(domain) ?? 0) + self - leastOf(constraint, counts) > constraint.maxSkew) return "crowded";
      }
      return undefined;
    },
  };
}

/** With fewer parts than there should be, one more is taken to be empty. */
function leastOf({ minDomains }: Constraint, counts: ReadonlyMap<string, number>): number {
  if (counts.size === 0 || (minDomains !== undefined && counts.size < minDomains)) return 0;
  return Math.min(...counts.values());
}

/** How many there are in each part: of nodes that the pod could be on. */
function countsFor(
  constraint: Constraint,
  all: readonly Constraint[],
  pod: Pod,
  nodes: readonly Node[],
  placed: () => Iterable<Placed>,
): ReadonlyMap<string, number> {
  const domains = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const domain = domainOf(node, constraint.topologyKey);
    const isPart = all.every((it) => domainOf(node, it.topologyKey) !== undefined) && isEligible(constraint, pod, node);
    if (domain === undefined || !isPart) continue;
    domains.set(node.metadata?.name ?? "", domain);
    counts.set(domain, 0);
  }
  for (const { pod: other, node } of placed()) {
    const domain = domains.get(node);
    if (domain !== undefined && isCounted(constraint, pod, other)) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}

function isEligible(
  { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" }: Constraint,
  pod: Pod,
  node: Node,
): boolean {
  const against = misfits(pod, node).map(({ why }) => why);
  if (nodeAffinityPolicy === "Honor" && against.includes("affinity")) return false;
  return nodeTaintsPolicy === "Ignore" || !(against.includes("taint") || against.includes("unschedulable"));
}

function isCounted({ labelSelector, matchLabelKeys = [] }: Constraint, pod: Pod, other: Pod): boolean {
  if (labelSelector === undefined || other.metadata?.namespace !== pod.metadata?.namespace || isTerminating(other))
    return false;
  const { labels } = other.metadata ?? {};
  return (
    matchesSelector(labelSelector, labels) &&
    matchLabelKeys.every((key) => {
      const wanted = pod.metadata?.labels?.[key];
      return wanted === undefined || labels?.[key] === wanted;
    })
  );
}
