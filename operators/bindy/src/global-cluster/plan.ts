// Which clusters there have to be, and which have to go (8.2). Pure.
import type { Bind9Cluster, Bind9ClusterSpec } from "../kinds/index.ts";
import type { World } from "./world.ts";

export interface Plan {
  readonly keep: readonly { readonly namespace: string; readonly spec: Bind9ClusterSpec }[];
  readonly remove: readonly Bind9Cluster[];
}

export function plan({ checked, targets, clusters }: World): Plan {
  if (checked.at === "invalid") return { keep: [], remove: [] };
  const { namespace: _one, namespaces: _more, ...spec } = checked.spec;
  const isGoing = ({ metadata }: Bind9Cluster) => metadata.deletionTimestamp !== undefined;
  return {
    keep: targets.map((namespace) => ({ namespace, spec })),
    remove: clusters.filter((it) => !isGoing(it) && !targets.includes(it.metadata.namespace ?? "")),
  };
}
