// Which clusters there have to be, and which have to go (8.2). Pure.
import {
  type Bind9Cluster,
  type Bind9ClusterSpec,
  type Bind9GlobalClusterSpec,
  clusterFields,
} from "../kinds/index.ts";
import type { World } from "./world.ts";

export interface Plan {
  readonly keep: readonly { readonly namespace: string; readonly spec: Bind9ClusterSpec }[];
  readonly remove: readonly Bind9Cluster[];
}

export function plan({ checked, targets, clusters }: World): Plan {
  if (checked.at === "invalid") return { keep: [], remove: [] };
  const spec = handedOn(checked.spec);
  const isGoing = ({ metadata }: Bind9Cluster) => metadata.deletionTimestamp !== undefined;
  return {
    keep: targets.map((namespace) => ({ namespace, spec })),
    remove: clusters.filter((it) => !isGoing(it) && !targets.includes(it.metadata.namespace ?? "")),
  };
}

const fields = Object.keys(clusterFields) as readonly (keyof typeof clusterFields)[];

/** What it asks of each of its clusters: all fields that a cluster has, as they are. */
function handedOn(said: Bind9GlobalClusterSpec): Bind9ClusterSpec {
  return Object.fromEntries(fields.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]])));
}
