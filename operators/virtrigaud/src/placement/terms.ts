// Which machines a term of a placement policy speaks of, and what its topology key means here (3.5).
import { type LabelSelector, matchesSelector } from "@telltale/kinds";
import type { VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import type { Topology } from "./decision.ts";

type Affinity = NonNullable<VMPlacementPolicy["spec"]["affinity"]>;
export type VMAffinity = NonNullable<Affinity["vmAffinity"]>;
export type VMAffinityTerm = NonNullable<VMAffinity["requiredDuringScheduling"]>[number];

type Labels = Readonly<Record<string, string>>;
export type NamespaceLabels = (namespace: string) => Labels | undefined;

/** On a Provider: where it is. */
export const zoneLabel = "topology.kubernetes.io/zone";
export const regionLabel = "topology.kubernetes.io/region";

const keys: ReadonlyMap<string, Topology> = new Map([
  ["kubernetes.io/hostname", "host"],
  ["virtrigaud.io/cluster", "cluster"],
  ["virtrigaud.io/datastore", "datastore"],
  [zoneLabel, "zone"],
]);

/** Undefined: no machine has it, so none is near another by it. */
export const topologyOf = ({ topologyKey }: VMAffinityTerm): Topology | undefined => keys.get(topologyKey);

/** Both ways to select, as one. Undefined: it selects nothing. */
export function selectorOf({ labelSelector, matchExpressions }: VMAffinityTerm): LabelSelector | undefined {
  if (labelSelector === undefined && matchExpressions === undefined) return undefined;
  return {
    matchLabels: labelSelector?.matchLabels,
    matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...(matchExpressions ?? [])],
  };
}

/** `home`: the namespace of whoever has the term, which counts where it names none. */
export function speaksOf(term: VMAffinityTerm, vm: VirtualMachine, home: string, labelsOf: NamespaceLabels): boolean {
  const { namespace = "", labels } = vm.metadata;
  return isIn(term, namespace, home, labelsOf) && matchesSelector(selectorOf(term), labels);
}

function isIn(
  { namespaces = [], namespaceSelector }: VMAffinityTerm,
  namespace: string,
  home: string,
  labelsOf: NamespaceLabels,
): boolean {
  if (namespaces.includes(namespace)) return true;
  if (namespaceSelector !== undefined) return matchesSelector(namespaceSelector, labelsOf(namespace));
  return namespaces.length === 0 && namespace === home;
}
