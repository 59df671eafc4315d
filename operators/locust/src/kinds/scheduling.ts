// Where pods may run, in the words of both versions: `v1` knows required node labels and four fields of a toleration, `v2`
// all that Kubernetes has.
import { deepEqual } from "@telltale/kinds";
import { present, some } from "./present.ts";
import type { LocustTestSpec } from "./spec.ts";
import type { LocustTestSpecV1 } from "./spec-v1.ts";

type Scheduling = NonNullable<LocustTestSpec["scheduling"]>;
type Affinity = NonNullable<Scheduling["affinity"]>;
type Toleration = NonNullable<Scheduling["tolerations"]>[number];
type TolerationV1 = NonNullable<LocustTestSpecV1["tolerations"]>[number];
type Required = NonNullable<NonNullable<Affinity["nodeAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]>;
type Term = NonNullable<Required["nodeSelectorTerms"]>[number];
type Expression = NonNullable<Term["matchExpressions"]>[number];
type Labels = Readonly<Record<string, string>>;

const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** The node labels that a `v1` spec asks for; none is the same as no affinity. */
export function nodeLabels({ affinity }: { readonly affinity?: LocustTestSpecV1["affinity"] }): Labels {
  return affinity?.nodeAffinity?.[required] ?? {};
}

/** The node labels that `v1` can show of an affinity. Several terms, one of which must hold, look like one. */
export function shownLabels(affinity: Affinity | undefined): Labels {
  const terms = affinity?.nodeAffinity?.[required]?.nodeSelectorTerms ?? [];
  const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions).filter(isShown);
  return Object.fromEntries(expressions.map(({ key, values }) => [key, values?.[0] ?? ""]));
}

const isShown = ({ key, operator, values }: Expression): boolean =>
  key !== undefined && operator === "In" && (values?.length ?? 0) > 0;

/** The affinity that asks for these labels, always in the same order. */
export function affinityOf(labels: Labels): Affinity | undefined {
  const matchExpressions = expressionsOf(labels);
  if (matchExpressions.length === 0) return undefined;
  return { nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchExpressions }] } } };
}

const expressionsOf = (labels: Labels): Expression[] =>
  Object.keys(labels)
    .sort()
    .map((key) => ({ key, operator: "In", values: [labels[key] ?? ""] }));

/** The affinity with other labels. What `v1` does not show of it stays, as far as there is one term for it to stay in. */
export function withLabels(affinity: Affinity | undefined, labels: Labels): Affinity | undefined {
  const { nodeAffinity = {}, ...pods } = affinity ?? {};
  const { [required]: old, ...preferred } = nodeAffinity;
  const [term, ...others] = old?.nodeSelectorTerms ?? [];
  const terms = others.length === 0 ? termWith(term, labels, shownLabels(affinity)) : termWith(undefined, labels, {});
  return some({
    nodeAffinity: some({ [required]: terms && { ...old, nodeSelectorTerms: [terms] }, ...preferred }),
    ...pods,
  });
}

/** Undefined rather than a term without any expression: that would match no node at all. */
function termWith(term: Term | undefined, labels: Labels, shown: Labels): Term | undefined {
  const { matchExpressions = [], ...fields } = term ?? {};
  const isUnchanged = (key: string) =>
    Object.hasOwn(labels, key) && Object.hasOwn(shown, key) && labels[key] === shown[key];
  const kept = matchExpressions.filter((one) => !isShown(one) || isUnchanged(one.key));
  const fresh = Object.fromEntries(Object.entries(labels).filter(([key]) => !isUnchanged(key)));
  const all = [...kept, ...expressionsOf(fresh)];
  return some({ ...fields, matchExpressions: all.length === 0 ? undefined : all });
}

/** The four fields that both versions have. */
export function shownToleration({ key, operator, value, effect }: Toleration): TolerationV1 {
  // An empty key, operator or effect is legal in v2 only: v1 shows it, and does not take it back.
  return present({ key, operator, value, effect }) as TolerationV1;
}

export const tolerationOf = ({ key, operator, value, effect }: Partial<TolerationV1>): Toleration =>
  present({ key, operator, value, effect });

/** Other tolerations. One that `v1` left as it was keeps what `v1` does not show of it: for how long it holds. */
export function withTolerations(
  old: readonly Toleration[],
  wanted: readonly Partial<TolerationV1>[],
): Toleration[] | undefined {
  const left = [...old];
  const all = wanted.map((one) => {
    const at = left.findIndex((it) => deepEqual(shownToleration(it), tolerationOf(one)));
    return (at < 0 ? undefined : left.splice(at, 1)[0]) ?? tolerationOf(one);
  });
  return all.length === 0 ? undefined : all;
}
