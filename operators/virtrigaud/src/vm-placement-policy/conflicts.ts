// Where two policies of a namespace cannot both be kept (3.5 step 3). A pair is looked at as a whole, so that each names the other.
// Pure.
import { names, type SafeText, text } from "@telltale/status";
import type { PolicyConflict, VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import type { Topology } from "../placement/decision.ts";
import { antiAffinityOf, listsOf } from "../placement/rules.ts";
import { type NamespaceLabels, speaksOf, topologyOf, type VMAffinityTerm } from "../placement/terms.ts";
import { allowedOf, requiredOf } from "./semantics.ts";
import type { Other, World } from "./world.ts";

interface Side {
  readonly policy: VMPlacementPolicy;
  readonly vms: readonly VirtualMachine[];
}

type Found = Required<Pick<PolicyConflict, "conflictType" | "severity">> & { readonly description: SafeText };

/** The worst first, at most fifty. */
export function conflictsOf({ policy, users, others, namespaceLabels }: World): PolicyConflict[] {
  const mine: Side = { policy, vms: users.map(({ vm }) => vm) };
  const found = others.flatMap((other) => between(mine, other, namespaceLabels));
  return found.sort(byWeight).slice(0, most);
}

const most = 50;
const severities = ["critical", "high", "medium", "low"] as const;

const byWeight = (a: PolicyConflict, b: PolicyConflict): number =>
  severities.indexOf(a.severity ?? "low") - severities.indexOf(b.severity ?? "low") ||
  compare(a.policyName, b.policyName) ||
  compare(a.conflictType, b.conflictType) ||
  compare(a.description ?? "", b.description ?? "");

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** In an order that does not depend on whose status it is for. */
function between(mine: Side, other: Other, labelsOf: NamespaceLabels): PolicyConflict[] {
  const policyName = nameOf(other);
  const [a, b]: readonly [Side, Side] = nameOf(mine) < policyName ? [mine, other] : [other, mine];
  const found = [
    ...pulled(a, b, labelsOf),
    ...pulled(b, a, labelsOf),
    ...crowded(a, b),
    ...counted(a, b),
    ...alone(a, b),
    ...alone(b, a),
    ...disliked(a, b),
    ...disliked(b, a),
  ];
  const resolutionSuggestion = "raise spec.priority of one of the two, or make their lists disjoint";
  return found.map((it) => ({ policyName, ...it, resolutionSuggestion }));
}

const nameOf = ({ policy }: Side): string => policy.metadata.name ?? "";

/** The first wants to be near machines of the second, which are elsewhere, or want to be away from it. */
function pulled(a: Side, b: Side, labelsOf: NamespaceLabels): Found[] {
  const home = a.policy.metadata.namespace ?? "";
  const means = (term: VMAffinityTerm, of: Side): boolean => of.vms.some((vm) => speaksOf(term, vm, home, labelsOf));
  const near = requiredOf(a.policy.spec.affinity?.vmAffinity).filter((term) => means(term, b));
  const away = requiredOf(b.policy.spec.antiAffinity?.vmAntiAffinity).filter((term) => means(term, a));
  return near.flatMap((term) => {
    const found: Found[] = [];
    const of = topologyOf(term);
    const lists = of === undefined ? undefined : shared(a, b, of);
    if (of !== undefined && lists?.length === 0) {
      found.push(critical(text`${nameOf(a)} has to be near machines of ${nameOf(b)}, and no ${of} is allowed to both`));
    }
    if (away.some(({ topologyKey }) => topologyKey === term.topologyKey)) {
      const by = term.topologyKey;
      found.push(critical(text`${nameOf(a)} has to be near machines of ${nameOf(b)} by ${by}, and those away from it`));
    }
    return found;
  });
}

const critical = (description: SafeText): Found => ({ conflictType: "affinity", severity: "critical", description });

/** What both restrict themselves to. Undefined: one of them does not. */
function shared(a: Side, b: Side, of: Topology): readonly string[] | undefined {
  const [first, second] = [allowedOf(a.policy.spec, of), allowedOf(b.policy.spec, of)];
  if (first === undefined || second === undefined) return undefined;
  return first.filter((name) => second.includes(name));
}

/** Both want their machines on different hosts, of the same ones, and there are too many. */
function crowded(a: Side, b: Side): Found[] {
  const [first, second] = [antiAffinityOf(a.policy.spec, "host"), antiAffinityOf(b.policy.spec, "host")];
  if (first?.isStrict !== true || second?.isStrict !== true) return [];
  const hosts = new Set(shared(a, b, "host") ?? []);
  const isSame = [a, b].every(({ policy }) => new Set(allowedOf(policy.spec, "host")).size === hosts.size);
  if (hosts.size === 0 || !isSame) return [];
  // Where the two say different numbers, the larger one: that they differ is said apart.
  const room = hosts.size * Math.max(first.most, second.most);
  const machines = a.vms.length + b.vms.length;
  if (machines <= room) return [];
  const description = text`${nameOf(a)} and ${nameOf(b)} have ${machines} machines for ${room} places on ${names([...hosts])}`;
  return [{ conflictType: "hard", severity: "high", description }];
}

/** They count differently on the same ones. */
function counted(a: Side, b: Side): Found[] {
  return (["host", "cluster", "datastore", "zone"] as const).flatMap((of) => {
    const [first, second] = [antiAffinityOf(a.policy.spec, of), antiAffinityOf(b.policy.spec, of)];
    const both = shared(a, b, of) ?? [];
    if (first === undefined || second === undefined || first.most === second.most || both.length === 0) return [];
    const description = text`on ${of} ${names(both)} ${nameOf(a)} allows ${first.most} machines and ${nameOf(b)} ${second.most}`;
    return [{ conflictType: "resource", severity: "medium", description } as const];
  });
}

/** The first wants its hosts for itself. */
function alone(a: Side, b: Side): Found[] {
  const both = shared(a, b, "host") ?? [];
  if (a.policy.spec.securityConstraints?.isolationLevel !== "maximum" || both.length === 0) return [];
  const description = text`${nameOf(a)} wants to be alone, and ${nameOf(b)} is allowed on ${names(both)} too`;
  return [{ conflictType: "security", severity: "high", description }];
}

/** What the first would like, the second would not, where both may be. */
function disliked(a: Side, b: Side): Found[] {
  return (["cluster", "host", "datastore"] as const).flatMap((of) => {
    const { allowed = [] } = listsOf(a.policy.spec.soft, of);
    const { excluded } = listsOf(b.policy.spec.soft, of);
    const both = allowed.filter((name) => excluded.includes(name));
    if (both.length === 0 || shared(a, b, of)?.length === 0) return [];
    const description = text`${nameOf(a)} prefers ${of} ${names(both)}, which ${nameOf(b)} would rather not use`;
    return [{ conflictType: "soft", severity: "low", description } as const];
  });
}
