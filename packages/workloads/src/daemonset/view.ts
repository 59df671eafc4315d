// What a DaemonSet sees: nodes, and its pods on each. Pure.
import type { DaemonSet, Node, Pod } from "@telltale/kinds/builtin";
import { birthOf, isFinished, isTerminating, nameOf } from "../pods/facts.ts";
import { type Fit, fitOf, isUpdated, nodeOf } from "./pod.ts";

export interface View {
  readonly set: DaemonSet;
  readonly places: readonly Place[];
  /** Pods that are meant for nodes that are no more, and will never be on one. */
  readonly lost: readonly Pod[];
}

/** A node, or what is left of one. */
export interface Place {
  readonly node: string;
  readonly fit: Fit;
  /** Those that count, the oldest first. */
  readonly pods: readonly Pod[];
  /** Of these, the ones of the present template. */
  readonly updated: ReadonlySet<Pod>;
}

export function view(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[], hashes: ReadonlySet<string>): View {
  const perNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    // One that has ended and is on its way out needs nothing more, and keeps nobody waiting.
    if (node === undefined || (isFinished(pod) && isTerminating(pod))) continue;
    perNode.set(node, [...(perNode.get(node) ?? []), pod]);
  }
  const known = new Set(nodes.map(nameOf));
  const place = (node: string, fit: Fit): Place => {
    const there = (perNode.get(node) ?? []).sort(byPrecedence);
    return { node, fit, pods: there, updated: new Set(there.filter((pod) => isUpdated(set, pod, hashes))) };
  };
  const gone = [...perNode].filter(([node]) => !known.has(node)).flatMap(([, there]) => there);
  return {
    set,
    places: nodes.map((node) => place(nameOf(node), fitOf(set, node))),
    lost: gone.filter((pod) => !isBound(pod) && !isTerminating(pod)),
  };
}

const isBound = ({ spec }: Pod): boolean => spec?.nodeName !== undefined && spec.nodeName !== "";

/** Bound before not bound, then by age. */
function byPrecedence(a: Pod, b: Pod): number {
  const bound = Number(isBound(b)) - Number(isBound(a));
  return bound || birthOf(a) - birthOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}
