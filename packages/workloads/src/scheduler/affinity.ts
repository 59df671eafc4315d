// Pods that want to be near others, or far from them: required affinity and anti-affinity by the labels of nodes. Pure.
import { type LabelSelector, matchesSelector } from "@telltale/kinds";
import type { Node, Pod } from "@telltale/kinds/builtin";
import type { Placed } from "./ledger.ts";

export type AffinityTerm = NonNullable<
  NonNullable<
    NonNullable<NonNullable<Pod["spec"]>["affinity"]>["podAffinity"]
  >["requiredDuringSchedulingIgnoredDuringExecution"]
>[number];

export type Discord =
  | "apart" // it wants company that is not there
  | "repelled" // it wants to be alone, and would not be
  | "unwelcome"; // somebody there wants to be alone

/** What the company on the nodes means for one pod. */
export interface Company {
  discordOn(node: Node): Discord | undefined;
}

export interface Neighbourhood {
  readonly placed: () => Iterable<Placed>;
  readonly guarded: () => Iterable<Placed>;
  readonly node: (name: string) => Node | undefined;
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>> | undefined;
}

const none: Company = { discordOn: () => undefined };

/** Counted once for a pod, then asked for each node. */
export function companyFor(pod: Pod, around: Neighbourhood): Company {
  const wants = required(pod, "podAffinity");
  const avoids = required(pod, "podAntiAffinity");
  const unwelcome = domainsOf(guards(pod, around), around);
  if (wants.length === 0 && avoids.length === 0 && unwelcome.size === 0) return none;
  const near = wants.map((term) => domainsOf(matching(pod, term, around), around));
  // The first of those that want each other's company has to begin somewhere.
  const isFirst = near.every((it) => it.size === 0) && wants.every((term) => isMeant(term, pod, pod, around));
  const far = avoids.map((term) => domainsOf(matching(pod, term, around), around));
  return {
    discordOn(node) {
      const isNear = wants.every((term, i) => {
        const domain = domainOf(node, term.topologyKey);
        return domain !== undefined && (isFirst || near[i]?.has(domain) === true);
      });
      if (!isNear) return "apart";
      const isFar = avoids.every((term, i) => far[i]?.has(domainOf(node, term.topologyKey) ?? "") !== true);
      if (!isFar) return "repelled";
      const labels = Object.entries(node.metadata?.labels ?? {});
      return labels.some(([key, value]) => unwelcome.has(`${key}=${value}`)) ? "unwelcome" : undefined;
    },
  };
}

type Which = "podAffinity" | "podAntiAffinity";

const required = ({ spec }: Pod, which: Which): readonly AffinityTerm[] =>
  spec?.affinity?.[which]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

interface Spot {
  readonly node: string;
  readonly topologyKey: string;
}

function* matching(pod: Pod, term: AffinityTerm, around: Neighbourhood): Iterable<Spot> {
  for (const { pod: other, node } of around.placed()) {
    if (isMeant(term, pod, other, around)) yield { node, topologyKey: term.topologyKey };
  }
}

/** Where pods are that do not want this one near. */
function* guards(pod: Pod, around: Neighbourhood): Iterable<Spot> {
  for (const { pod: other, node } of around.guarded()) {
    for (const term of required(other, "podAntiAffinity")) {
      if (isMeant(term, other, pod, around)) yield { node, topologyKey: term.topologyKey };
    }
  }
}

/** `zone=a`: the parts of the world in which these are. */
function domainsOf(spots: Iterable<Spot>, { node }: Neighbourhood): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const spot of spots) {
    const found = node(spot.node);
    const domain = found === undefined ? undefined : domainOf(found, spot.topologyKey);
    if (domain !== undefined) domains.add(domain);
  }
  return domains;
}

export function domainOf({ metadata }: Node, topologyKey: string): string | undefined {
  const value = metadata?.labels?.[topologyKey];
  return value === undefined ? undefined : `${topologyKey}=${value}`;
}

/** Whether a term of one pod is about another one. */
function isMeant(term: AffinityTerm, of: Pod, other: Pod, around: Neighbourhood): boolean {
  if (term.labelSelector === undefined || !matchesSelector(term.labelSelector, other.metadata?.labels)) return false;
  const namespace = other.metadata?.namespace ?? "";
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.length === 0 && namespaceSelector === undefined) return namespace === of.metadata?.namespace;
  return namespaces.includes(namespace) || isSelected(namespaceSelector, around.namespaceLabels(namespace));
}

function isSelected(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector !== undefined && labels !== undefined && matchesSelector(selector, labels);
}
