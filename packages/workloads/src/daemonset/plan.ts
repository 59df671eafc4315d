// What a DaemonSet does next: one pod on every node that it is for, and then the update. Pure.
import type { Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { isAvailable, isReady, isTerminating } from "../pods/facts.ts";
import { type Budget, budgetOf, update } from "./update.ts";
import type { Place, View } from "./view.ts";

export interface Plan {
  /** Nodes that need a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Removal[];
}

export interface Removal {
  readonly pod: Pod;
  readonly node: string;
  readonly because: "failed" | "succeeded" | "unwanted";
}

/** Until when a failed pod of a node is left where it is. */
export type Held = (node: string) => Instant | undefined;

/** Undefined: nothing is to be done now. An update begins only once every node has what it needs. */
export function plan(view: View, now: Instant, held: Held): Plan | undefined {
  const budget = budgetOf(view);
  const plans = view.places.map((place) => settle(view, place, budget, now, held));
  const lost = view.lost.map((pod): Removal => ({ pod, node: "", because: "unwanted" }));
  const all = { create: plans.flatMap((it) => it.create), remove: [...plans.flatMap((it) => it.remove), ...lost] };
  if (all.create.length + all.remove.length > 0) return all;
  const next = update(view, budget, now);
  return next.create.length + next.remove.length > 0 ? next : undefined;
}

/** When the first of the failed pods that are left alone may go. */
export function heldUntil({ places }: View, held: Held, now: Instant): Instant | undefined {
  const waiting = places.filter(({ fit, pods }) => fit !== "none" && pods.some((it) => isStaying(it) && hasFailed(it)));
  const ends = waiting.flatMap(({ node }) => held(node) ?? []).filter((at) => at > now);
  return ends.sort((a, b) => a - b)[0];
}

const isStaying = (pod: Pod): boolean => !isTerminating(pod);
const hasFailed = ({ status }: Pod): boolean => status?.phase === "Failed";
const hasSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";

function settle(view: View, place: Place, budget: Budget, now: Instant, held: Held): Plan {
  const { node, fit, pods } = place;
  const staying = pods.filter(isStaying);
  const removal = (because: Removal["because"]) => (pod: Pod) => ({ pod, node, because });
  if (fit === "none") return { create: [], remove: staying.map(removal("unwanted")) };
  if (pods.length === 0) return { create: fit === "home" ? [node] : [], remove: [] };
  const isHeld = (held(node) ?? now) > now;
  const ended = [
    ...staying.filter((pod) => hasFailed(pod) && !isHeld).map(removal("failed")),
    ...staying.filter(hasSucceeded).map(removal("succeeded")),
  ];
  const running = staying.filter((pod) => !hasFailed(pod) && !hasSucceeded(pod));
  const excess = (budget.allowsSurge ? surplus(view, place, running, now) : running.slice(1)).map(removal("unwanted"));
  // With surge a node is not left empty while the last pod is going.
  const isEmpty = budget.allowsSurge && running.length === 0 && fit === "home";
  return { create: isEmpty ? [node] : [], remove: [...ended, ...excess] };
}

/** One of the present template and one of before may be there together, while the old one works and the new one does not yet. */
function surplus({ set }: View, { updated }: Place, running: readonly Pod[], now: Instant): readonly Pod[] {
  if (running.length <= 1) return [];
  const fresh = running.find((pod) => updated.has(pod));
  const old = running.find((pod) => !updated.has(pod));
  const others = running.filter((pod) => pod !== fresh && pod !== old);
  if (fresh === undefined || old === undefined) return others;
  const isReplaced = !isReady(old) || isAvailable(fresh, set.spec?.minReadySeconds, now);
  return isReplaced ? [...others, old] : others;
}
