// Whether a pod may be on a node, by what both say of themselves: name, labels, taints. What the node has left is another
// question. Pure.
import { matchesSelector } from "@telltale/kinds";
import type { Node, Pod } from "@telltale/kinds/builtin";

/** Why a pod may not be on a node. */
export type Misfit =
  | { readonly why: "name" } // it names another node
  | { readonly why: "affinity" } // its node selector or required affinity wants another one
  | { readonly why: "unschedulable" } // the node takes no more pods
  | { readonly why: "taint"; readonly taint: Taint }; // the node has one that it does not tolerate

/** As a scheduler says it: `0/3 nodes are available: 2 ..., 1 ...`. */
export const misfitReasons: Readonly<Record<Misfit["why"], string>> = {
  name: "node(s) didn't match the requested node name",
  affinity: "node(s) didn't match Pod's node affinity/selector",
  unschedulable: "node(s) were unschedulable",
  taint: "node(s) had untolerated taint(s)",
};

export type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];
export type Toleration = NonNullable<PodSpec["tolerations"]>[number];
type PodSpec = NonNullable<Pod["spec"]>;
type Affinity = NonNullable<NonNullable<PodSpec["affinity"]>["nodeAffinity"]>;
type NodeSelector = NonNullable<Affinity["requiredDuringSchedulingIgnoredDuringExecution"]>;
type Term = NodeSelector["nodeSelectorTerms"][number];
type Requirement = NonNullable<Term["matchExpressions"]>[number];

/** All that speaks against it; none: it fits. */
export function misfits({ spec }: Pick<Pod, "spec">, node: Node): readonly Misfit[] {
  const found: Misfit[] = [];
  const wanted = spec?.nodeName ?? "";
  if (wanted !== "" && wanted !== node.metadata?.name) found.push({ why: "name" });
  if (!isSelected(spec, node)) found.push({ why: "affinity" });
  if (node.spec?.unschedulable === true && !tolerates(spec?.tolerations, unschedulable))
    found.push({ why: "unschedulable" });
  for (const taint of node.spec?.taints ?? []) {
    if (keepsAway(taint) && !tolerates(spec?.tolerations, taint)) found.push({ why: "taint", taint });
  }
  return found;
}

/** What a node that takes no more pods amounts to. */
const unschedulable: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** The third effect, PreferNoSchedule, is a wish. */
const keepsAway = ({ effect }: Taint): boolean => effect === "NoSchedule" || effect === "NoExecute";

/** Whether one of the tolerations is for this taint. For how long is not asked. */
export function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return tolerations?.some((it) => toleratesOne(it, taint)) ?? false;
}

function toleratesOne({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator) {
    case "Exists":
      return true;
    case "":
    case "Equal":
      return value === (taint.value ?? "");
    case "Lt":
    case "Gt":
      return compares(operator, taint.value, value);
    default:
      return false;
  }
}

function isSelected(spec: Pod["spec"], node: Node): boolean {
  if (!matchesSelector({ matchLabels: spec?.nodeSelector ?? {} }, node.metadata?.labels)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms.some((term) => matchesTerm(term, node)) ?? true;
}

/** A term that asks for nothing matches nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: Term, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((it) => meets(it, metadata?.labels?.[it.key])) &&
    matchFields.every((it) => it.key === "metadata.name" && meets(it, metadata?.name))
  );
}

function meets({ operator, values = [] }: Requirement, actual: string | undefined): boolean {
  switch (operator) {
    case "In":
      return actual !== undefined && values.includes(actual);
    case "NotIn":
      return actual === undefined || !values.includes(actual);
    case "Exists":
      return actual !== undefined;
    case "DoesNotExist":
      return actual === undefined;
    case "Lt":
    case "Gt":
      return values.length === 1 && compares(operator, actual, values[0]);
    default:
      return false;
  }
}

/** Whole numbers only: whatever else stands there is neither less nor greater. */
function compares(operator: "Lt" | "Gt", actual: string | undefined, limit: string | undefined): boolean {
  const [a, b] = [wholeNumber(actual), wholeNumber(limit)];
  if (a === undefined || b === undefined) return false;
  return operator === "Lt" ? a < b : a > b;
}

function wholeNumber(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}
