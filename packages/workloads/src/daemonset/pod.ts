// A daemon's pod: it is for one node, and puts up with more than others. Pure.
import type { DaemonSet, Node, Pod } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";
import { generateName, podFrom } from "../pods/template.ts";
import { misfits, type Toleration } from "../scheduler/fit.ts";

/** On a pod: the hash of its revision. */
export const hashLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";
const nodeField = "metadata.name";

type Spec = NonNullable<Pod["spec"]>;

export function daemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const generation = generationOf(set);
  const { metadata, spec, ...rest } = podFrom(set.spec?.template ?? {}, { generateName: generateName(nameOf(set)) });
  return {
    ...rest,
    metadata: {
      ...metadata,
      labels: {
        ...metadata?.labels,
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [hashLabel]: hash,
      },
    },
    spec: { ...enduring(spec), affinity: onNode(spec?.affinity, node) },
  };
}

/** Whether a pod is of the present template. `hashes`: of all revisions that say the same. */
export function isUpdated(set: DaemonSet, { metadata }: Pod, hashes: ReadonlySet<string>): boolean {
  const { [hashLabel]: hash, [generationLabel]: generation } = metadata?.labels ?? {};
  return (hash !== undefined && hashes.has(hash)) || (generation !== undefined && generation === generationOf(set));
}

/** How often the template has changed, where the server counts it. */
function generationOf({ metadata }: DaemonSet): string | undefined {
  const generation = metadata?.annotations?.[generationAnnotation];
  return generation !== undefined && /^-?\d+$/.test(generation) ? generation : undefined;
}

/** What a node is to a daemon. */
export type Fit =
  | "home" // a pod belongs there
  | "refuge" // none is made for it, but one that is there stays
  | "none"; // one that is there has to go

export function fitOf(set: DaemonSet, node: Node): Fit {
  const found = misfits({ spec: enduring(set.spec?.template?.spec) }, node);
  if (found.length === 0) return "home";
  return found.every((it) => it.why === "taint" && it.taint.effect !== "NoExecute") ? "refuge" : "none";
}

/** The node that a pod is on, or is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  const { values = [] } = fields.find(({ key, operator }) => key === nodeField && operator === "In") ?? {};
  return values.length === 1 ? values[0] : undefined;
}

/** The wishes of the template for nodes are met by choosing this one, so they are replaced by it. */
function onNode(affinity: Spec["affinity"], node: string): NonNullable<Spec["affinity"]> {
  const nodeSelectorTerms = [{ matchFields: [{ key: nodeField, operator: "In", values: [node] }] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
    },
  };
}

/** A daemon is not driven away by what ails its node. */
function enduring(spec: Pod["spec"]): Spec {
  const kept = spec ?? { containers: [] };
  const wanted =
    kept.hostNetwork === true ? [...standard, tolerationOf("network-unavailable", "NoSchedule")] : standard;
  const isSame = (a: Toleration) => (b: Toleration) =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && (b.value ?? "") === "";
  const given = (kept.tolerations ?? []).map((it) => wanted.find(isSame(it)) ?? it);
  return { ...kept, tolerations: [...given, ...wanted.filter((it) => !given.includes(it))] };
}

const tolerationOf = (ailment: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${ailment}`,
  operator: "Exists",
  effect,
});

const standard: readonly Toleration[] = [
  tolerationOf("not-ready", "NoExecute"),
  tolerationOf("unreachable", "NoExecute"),
  tolerationOf("disk-pressure", "NoSchedule"),
  tolerationOf("memory-pressure", "NoSchedule"),
  tolerationOf("pid-pressure", "NoSchedule"),
  tolerationOf("unschedulable", "NoSchedule"),
];
