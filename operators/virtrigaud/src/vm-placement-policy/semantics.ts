// The rules that a policy's spec has to keep, whoever would carry it out (3.5 S1 to S8). Pure.
import { canonicalJson } from "@telltale/kinds";
import { names, type SafeText, text } from "@telltale/status";
import type { VMPlacementPolicy } from "../kinds/index.ts";
import type { Dimension, Topology } from "../placement/decision.ts";
import { affinityOf, listsOf, some } from "../placement/rules.ts";
import { selectorOf, type VMAffinity, type VMAffinityTerm } from "../placement/terms.ts";
import type { User } from "./world.ts";

type Spec = VMPlacementPolicy["spec"];

/** What is wrong, in the order of the rules. */
export function problemsOf(spec: Spec, users: readonly User[]): readonly SafeText[] {
  return [
    ...excluded(spec),
    ...strict(spec),
    ...contradictory(spec),
    ...selectors(spec),
    ...groups(spec),
    ...firmware(spec, users),
    ...tolerations(spec),
  ];
}

/** S1: a name that is both allowed and excluded. */
function excluded({ hard }: Spec): SafeText[] {
  return (["cluster", "host", "datastore"] as const).flatMap((of) => {
    const { allowed = [], excluded: out } = listsOf(hard, of);
    const both = allowed.filter((name) => out.includes(name));
    return both.length === 0 ? [] : [text`spec.hard: ${of} ${names(both)} is both allowed and excluded`];
  });
}

/** S2: a wish that must be met and names nothing. S3: one that names nothing that is allowed. */
function strict(spec: Spec): SafeText[] {
  return (["host", "cluster", "datastore", "zone"] as const).flatMap((of) => {
    const wish = affinityOf(spec, of);
    if (wish?.isStrict !== true) return [];
    const path = `spec.affinity.${of}Affinity`;
    if (wish.names.length === 0) return [text`${path} is strict and names nothing`];
    const allowed = allowedOf(spec, of);
    const isDisjoint = allowed !== undefined && !wish.names.some((name) => allowed.includes(name));
    return isDisjoint ? [text`${path} is strict, and spec.hard allows none of ${names(wish.names)}`] : [];
  });
}

/** The names that a policy restricts itself to. Undefined: it does not. */
export function allowedOf({ hard }: Spec, of: Topology): readonly string[] | undefined {
  if (of === "zone") return some(hard?.zones);
  const { allowed, excluded: out } = listsOf(hard, of satisfies Dimension);
  return allowed?.filter((name) => !out.includes(name));
}

export const requiredOf = (terms: VMAffinity | undefined): readonly VMAffinityTerm[] =>
  terms?.requiredDuringScheduling ?? [];

/** S4: the same machines must be near and must not be. */
function contradictory({ affinity, antiAffinity }: Spec): SafeText[] {
  const apart = new Set(requiredOf(antiAffinity?.vmAntiAffinity).map(meaningOf));
  const both = requiredOf(affinity?.vmAffinity).filter((term) => apart.has(meaningOf(term)));
  return both.map(({ topologyKey }) => {
    return text`spec.affinity.vmAffinity and spec.antiAffinity.vmAntiAffinity require the same machines by ${topologyKey}`;
  });
}

const meaningOf = (term: VMAffinityTerm): string => {
  const { matchLabels = {}, matchExpressions } = selectorOf(term) ?? {};
  return canonicalJson({ matchLabels, matchExpressions: matchExpressions ?? [], topologyKey: term.topologyKey });
};

/** S5: an operator with values that it does not take, or without those that it needs. */
function selectors({ affinity, antiAffinity }: Spec): SafeText[] {
  const blocks = [
    ["spec.affinity.vmAffinity", affinity?.vmAffinity],
    ["spec.antiAffinity.vmAntiAffinity", antiAffinity?.vmAntiAffinity],
  ] as const;
  return blocks.flatMap(([path, block]) => {
    const preferred = (block?.preferredDuringScheduling ?? []).map(({ vmAffinityTerm }) => vmAffinityTerm);
    return [...requiredOf(block), ...preferred].flatMap((term) => expressionsOf(term).flatMap((it) => wrong(path, it)));
  });
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const expressionsOf = (term: VMAffinityTerm): readonly Expression[] => [
  ...(term.matchExpressions ?? []),
  ...(term.labelSelector?.matchExpressions ?? []),
  ...(term.namespaceSelector?.matchExpressions ?? []),
];

function wrong(path: string, { key, operator, values = [] }: Expression): SafeText[] {
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues === values.length > 0) return [];
  return [text`${path}: ${operator} on ${key} ${takesValues ? "needs values" : "takes no values"}`];
}

/** S6 */
function groups({ securityConstraints }: Spec): SafeText[] {
  const { allowedSecurityGroups: allowed = [], deniedSecurityGroups: denied = [] } = securityConstraints ?? {};
  const both = allowed.filter((name) => denied.includes(name));
  if (both.length === 0) return [];
  return [text`spec.securityConstraints: security group ${names(both)} is both allowed and denied`];
}

/** S7: what needs UEFI, asked of machines with BIOS. Nothing said is BIOS. */
function firmware({ securityConstraints }: Spec, users: readonly User[]): SafeText[] {
  const { requireTPM, requireSecureBoot } = securityConstraints ?? {};
  if (requireTPM !== true && requireSecureBoot !== true) return [];
  const old = users.filter(({ vmClass }) => vmClass !== undefined && (vmClass.spec.firmware ?? "BIOS") === "BIOS");
  if (old.length === 0) return [];
  const what = requireTPM === true ? "requireTPM" : "requireSecureBoot";
  const machines = names(old.map(({ vm }) => vm.metadata.name ?? ""));
  return [text`spec.securityConstraints.${what}: the class of ${machines} has firmware BIOS`];
}

/** S8 */
function tolerations({ hard, soft }: Spec): SafeText[] {
  const blocks = [
    ["spec.hard", hard],
    ["spec.soft", soft],
  ] as const;
  return blocks.flatMap(([path, block]) =>
    (block?.tolerations ?? []).flatMap(({ operator, value, key = "" }) => {
      const isWrong = operator === "Exists" && value !== undefined && value !== "";
      return isWrong ? [text`${path}.tolerations: Exists on ${key} takes no value`] : [];
    }),
  );
}
