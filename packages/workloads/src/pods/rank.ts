// Which of several pods goes first when there are too many: the one whose end costs least.
import type { Pod } from "@telltale/kinds/builtin";
import { birthOf, isReady, nameOf, readySince, restartsOf } from "./facts.ts";

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";
const phases = ["Pending", "Unknown", "Running"];

/** `related`: pods of the same purpose, beyond those to choose from; of two on one node one goes first. */
export function leastWanted(pods: readonly Pod[], count: number, related: readonly Pod[] = pods): readonly Pod[] {
  const perNode = new Map<string, number>();
  for (const { spec } of related) {
    const node = spec?.nodeName;
    if (node !== undefined) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  const neighbours = ({ spec }: Pod): number => perNode.get(spec?.nodeName ?? "") ?? 0;
  const order = (a: Pod, b: Pod): number =>
    flag(isBound(a)) - flag(isBound(b)) ||
    phaseOf(a) - phaseOf(b) ||
    flag(isReady(a)) - flag(isReady(b)) ||
    costOf(a) - costOf(b) ||
    neighbours(b) - neighbours(a) ||
    younger(readySince(a), readySince(b)) ||
    restartsOf(b) - restartsOf(a) ||
    younger(birthOf(a), birthOf(b)) ||
    (nameOf(a) < nameOf(b) ? -1 : 1);
  return [...pods].sort(order).slice(0, count);
}

const flag = (yes: boolean): number => (yes ? 1 : 0);
const isBound = ({ spec }: Pod): boolean => spec?.nodeName !== undefined && spec.nodeName !== "";
const phaseOf = ({ status }: Pod): number => phases.indexOf(status?.phase ?? "Pending");

function costOf({ metadata }: Pod): number {
  const cost = Number(metadata?.annotations?.[costAnnotation] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
}

/** The later one first. */
function younger(a: number | undefined, b: number | undefined): number {
  return (b ?? 0) - (a ?? 0);
}
