// Where a machine goes (3.5): of the names that its spec, its policy and its provider give, the best one for each thing that is
// chosen, or why there is none. Pure, and the same for the same world.
import type { Instant } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { Provider, VirtualMachine, VMClass, VMPlacementPolicy } from "../kinds/index.ts";
import { type Decided, type Decision, type Dimension, dimensions, writtenDecision } from "./decision.ts";
import { Fit } from "./fit.ts";
import { Neighbours } from "./neighbours.ts";
import { onProvider, secured } from "./requirements.ts";
import { affinityOf, listsOf, some } from "./rules.ts";
import { type NamespaceLabels, zoneLabel } from "./terms.ts";
import { firstThree } from "./words.ts";

export interface Around {
  readonly provider: Provider;
  readonly vmClass: VMClass | undefined;
  /** The other machines on the provider, of all namespaces. */
  readonly others: readonly VirtualMachine[];
  /** The other policies of the machine's namespace: where they disagree, the one with the higher priority counts. */
  readonly policies: readonly VMPlacementPolicy[];
  readonly namespaceLabels: NamespaceLabels;
  readonly now: Instant;
}

/** The keys of placement_json (4.4). */
export interface PlacementPayload {
  readonly Datastore?: string;
  readonly StoragePod?: string;
  readonly Cluster?: string;
  readonly Folder?: string;
  readonly Host?: string;
  readonly ResourcePool?: string;
}

export type Nowhere = { readonly is: "nowhere"; readonly why: SafeText; readonly violations: number };
export type Placing = Decided | Nowhere;

export function place(
  vm: VirtualMachine,
  policy: VMPlacementPolicy | undefined,
  around: Around,
): (Decided & { readonly placement: PlacementPayload }) | Nowhere {
  const { provider, vmClass, others, policies, namespaceLabels, now } = around;
  const neighbours = new Neighbours(vm, others, namespaceLabels);
  const fit = new Fit(vm, policy, policies, neighbours);
  const pools = new Map(dimensions.map((of) => [of, poolOf(of, vm, policy, provider, fit)]));
  fit.applicationsBy(pools.get("host")?.names.length === 0 ? "cluster" : "host");

  const problems = [...secured(policy, vmClass), ...onProvider(vm, policy, provider, fit)];
  const at: Partial<Record<Dimension | "zone", string>> = {};
  for (const [of, { names, problem }] of pools) {
    if (problem !== undefined) problems.push(problem);
    const best = fit.best(of, names);
    if (best.is === "none") problems.push(...best.why);
    else if (best.name !== undefined) at[of] = best.name;
  }
  const { [zoneLabel]: zone } = provider.metadata.labels ?? {};
  if (zone !== undefined) at.zone = zone;
  if (problems.length > 0) return { is: "nowhere", why: firstThree(problems), violations: problems.length };
  return { is: "placed", placement: payloadOf(at, vm, provider), decision: writtenDecision(at, policy, now), at };
}

interface Pool {
  readonly names: readonly string[];
  readonly problem?: SafeText;
}

/** The names that come into question, before it is asked who is there already. */
function poolOf(
  of: Dimension,
  { spec }: VirtualMachine,
  policy: VMPlacementPolicy | undefined,
  provider: Provider,
  fit: Fit,
): Pool {
  const hard = listsOf(policy?.spec.hard, of);
  const wish = policy === undefined ? undefined : affinityOf(policy.spec, of);
  const strict = wish?.isStrict === true ? wish.names : undefined;
  const isAllowed = (name: string): boolean =>
    (hard.allowed?.includes(name) ?? true) && (strict?.includes(name) ?? true) && !hard.excluded.includes(name);
  const fixed = spec.placement?.[of];
  if (fixed !== undefined) {
    if (isAllowed(fixed)) return { names: [fixed] };
    return { names: [], problem: text`spec.placement.${of}: the policy does not allow ${fixed}` };
  }
  const required = hard.allowed ?? strict ?? some(fit.near(of));
  if (required !== undefined) {
    const names = required.filter(isAllowed);
    return names.length > 0 ? { names } : { names, problem: text`${of}: the policy allows none` };
  }
  if (of === "datastore" && spec.placement?.storagePod !== undefined) return { names: [] };
  const soft = listsOf(policy?.spec.soft, of).allowed ?? [];
  const preferred = [...new Set([...soft, ...(wish?.names ?? [])])].filter(isAllowed);
  if (preferred.length > 0) return { names: preferred };
  const standard = defaultOf(of, provider);
  if (standard === undefined) return { names: [] };
  if (isAllowed(standard)) return { names: [standard] };
  return { names: [], problem: text`${of}: the policy excludes ${standard}, which is the default of the provider` };
}

function defaultOf(of: Dimension, { spec }: Provider): string | undefined {
  if (of === "host") return undefined;
  return spec.defaults?.[of];
}

/** A datastore counts before a storage pod, wherever each comes from (3.1 rule 4). */
function payloadOf(at: Decision, { spec }: VirtualMachine, provider: Provider): PlacementPayload {
  const storagePod = spec.placement?.storagePod ?? provider.spec.defaults?.storagePod;
  return {
    ...(at.datastore === undefined ? {} : { Datastore: at.datastore }),
    ...(at.datastore !== undefined || storagePod === undefined ? {} : { StoragePod: storagePod }),
    ...(at.cluster === undefined ? {} : { Cluster: at.cluster }),
    ...(at.folder === undefined ? {} : { Folder: at.folder }),
    ...(at.host === undefined ? {} : { Host: at.host }),
    ...(at.resourcePool === undefined ? {} : { ResourcePool: at.resourcePool }),
  };
}
