// Why a pod cannot be placed, in the words of kube-scheduler. Pure.

export interface Refusal {
  /** `Insufficient cpu`; several where several things are short. */
  readonly reasons: readonly string[];
  /** Whether it would help if other pods left the node. */
  readonly couldHelp: boolean;
}

export type Verdict =
  | { readonly by: "nodes"; readonly refusals: readonly Refusal[] } // what each of them says
  | { readonly by: "pod"; readonly reason: string; readonly nodes: number }; // no node can help it

/** `mayPreempt`: whether the pod may have others removed for it. */
export function messageOf(verdict: Verdict, mayPreempt: boolean): string {
  const all = verdict.by === "pod" ? verdict.nodes : verdict.refusals.length;
  if (all === 0) return "no nodes available to schedule pods";
  const why = verdict.by === "pod" ? verdict.reason : histogram(verdict.refusals.flatMap(({ reasons }) => reasons));
  return `0/${all} nodes are available: ${why}. no new claims to deallocate, ${preemption(verdict, all, mayPreempt)}`;
}

/** Nobody is removed for another pod here: where that could help, there is nobody to remove. */
function preemption(verdict: Verdict, all: number, mayPreempt: boolean): string {
  if (!mayPreempt) return "preemption: not eligible due to preemptionPolicy=Never.";
  const refusals = verdict.by === "nodes" ? verdict.refusals : [];
  const helped = refusals.filter(({ couldHelp }) => couldHelp).length;
  const words = [
    ...Array<string>(helped).fill("No preemption victims found for incoming pod"),
    ...Array<string>(all - helped).fill("Preemption is not helpful for scheduling"),
  ];
  return `preemption: 0/${all} nodes are available: ${histogram(words)}.`;
}

/** `1 Insufficient cpu, 2 node(s) were unschedulable`: in the order of the texts, numbers included. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join(", ");
}
