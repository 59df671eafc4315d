// What a placement policy says of each thing that is chosen, whichever of its blocks says it (3.5). Values only.
import { parseTime } from "@telltale/kinds";
import type { VMPlacementPolicy } from "../kinds/index.ts";
import type { Dimension, Topology } from "./decision.ts";

type Spec = VMPlacementPolicy["spec"];
export type Constraints = NonNullable<Spec["hard"]>;

export interface Lists {
  /** Only these. Undefined: any. */
  readonly allowed: readonly string[] | undefined;
  readonly excluded: readonly string[];
}

/** The lists of a block for one dimension. An empty list is none. */
export function listsOf(block: Constraints | undefined, of: Dimension): Lists {
  const { clusters, hosts, datastores, folders, resourcePools } = block ?? {};
  const { excludedClusters = [], excludedHosts = [], excludedDatastores = [] } = block ?? {};
  const table: Record<Dimension, Lists> = {
    cluster: { allowed: some(clusters), excluded: excludedClusters },
    host: { allowed: some(hosts), excluded: excludedHosts },
    datastore: { allowed: some(datastores), excluded: excludedDatastores },
    folder: { allowed: some(folders), excluded: [] },
    resourcePool: { allowed: some(resourcePools), excluded: [] },
  };
  return table[of];
}

export const some = (list: readonly string[] | undefined): readonly string[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;

export interface Preference {
  readonly isStrict: boolean;
  readonly names: readonly string[];
}

/** Of what it is preferred, or required, to be on one of some names. Without a scope it is preferred. */
export function affinityOf({ affinity }: Spec, of: Topology): Preference | undefined {
  const { clusterAffinity, hostAffinity, datastoreAffinity, zoneAffinity } = affinity ?? {};
  const table: Partial<Record<Topology, [Switch | undefined, readonly string[] | undefined]>> = {
    cluster: [clusterAffinity, clusterAffinity?.preferredClusters],
    host: [hostAffinity, hostAffinity?.preferredHosts],
    datastore: [datastoreAffinity, datastoreAffinity?.preferredDatastores],
    zone: [zoneAffinity, zoneAffinity?.preferredZones],
  };
  const [rule, names = []] = table[of] ?? [];
  return rule?.enabled === true ? { isStrict: rule.scope === "strict", names } : undefined;
}

interface Switch {
  readonly enabled: boolean;
  readonly scope?: string;
}

export interface Ceiling {
  readonly isStrict: boolean;
  /** Machines of the policy on one. */
  readonly most: number;
}

/** How many machines of the policy may be on one of its kind. */
export function antiAffinityOf({ antiAffinity }: Spec, of: Topology): Ceiling | undefined {
  const { clusterAntiAffinity, hostAntiAffinity, datastoreAntiAffinity, zoneAntiAffinity } = antiAffinity ?? {};
  const table: Partial<Record<Topology, [Switch | undefined, number | undefined]>> = {
    cluster: [clusterAntiAffinity, clusterAntiAffinity?.maxVMsPerCluster],
    host: [hostAntiAffinity, hostAntiAffinity?.maxVMsPerHost],
    datastore: [datastoreAntiAffinity, datastoreAntiAffinity?.maxVMsPerDatastore],
    zone: [zoneAntiAffinity, zoneAntiAffinity?.maxVMsPerZone],
  };
  const [rule, most = 1] = table[of] ?? [];
  return rule?.enabled === true ? { isStrict: rule.scope === "strict", most } : undefined;
}

/** Whether the first goes before the second where they disagree: by priority, then by age, then by name. */
export function precedes(a: VMPlacementPolicy, b: VMPlacementPolicy | undefined): boolean {
  if (b === undefined) return true;
  const [first, second] = [a.spec.priority ?? 0, b.spec.priority ?? 0];
  if (first !== second) return first > second;
  const [older, younger] = [bornAt(a), bornAt(b)];
  if (older !== younger) return older < younger;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "");
}

const bornAt = ({ metadata }: VMPlacementPolicy): number =>
  parseTime(metadata.creationTimestamp) ?? Number.POSITIVE_INFINITY;
