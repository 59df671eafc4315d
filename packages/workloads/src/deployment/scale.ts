// Which ReplicaSet gets how many: while pods are replaced, and when the Deployment itself is made larger or smaller. Pure.
import type { ReplicaSet } from "@telltale/kinds/builtin";
import { birthOf, byAge, nameOf } from "../pods/facts.ts";
import type { Budget } from "./budget.ts";
import { desired, type History, most } from "./revision.ts";

/** A ReplicaSet and the size that it should have. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly to: number;
}

export const sizeOf = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1;
const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
const sum = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number): number =>
  sets.reduce((total, it) => total + of(it), 0);

const isFilled = (set: ReplicaSet): boolean => sizeOf(set) > 0;

/** The size of the current ReplicaSet, existing or not, as far as the others leave room. */
export function growth({ wanted, surge }: Budget, { current, others }: History): number {
  const now = current === undefined ? 0 : sizeOf(current);
  if (now >= wanted) return wanted;
  const room = wanted + surge - sum(others, sizeOf) - now;
  return now + Math.max(0, Math.min(room, wanted - now));
}

/** How the others shrink: first pods that are of no use, then as many as availability permits. */
export function shrinkage({ least }: Budget, { current, others }: History): readonly Resize[] {
  const filled = others.filter(isFilled);
  if (current === undefined || filled.length === 0) return [];
  const all = [...filled, current];
  const unavailable = sizeOf(current) - availableOf(current);
  const most = sum(all, sizeOf) - least - unavailable;
  if (most <= 0) return [];
  const sizes = new Map(filled.map((set) => [set, sizeOf(set)] as const));
  let cleaned = 0;
  for (const set of [...filled].sort(byAge)) {
    const useless = Math.min(most - cleaned, sizeOf(set) - availableOf(set));
    if (useless <= 0) continue;
    sizes.set(set, sizeOf(set) - useless);
    cleaned += useless;
  }
  let spare = sum(all, availableOf) - least;
  for (const set of [...filled].sort(byAge)) {
    const now = sizes.get(set) ?? 0;
    const fewer = Math.min(now, spare);
    if (fewer <= 0) continue;
    sizes.set(set, now - fewer);
    spare -= fewer;
  }
  return [...sizes].map(([set, to]) => ({ set, to })).filter(({ set, to }) => to !== sizeOf(set));
}

/** Whether the Deployment's size changed since its ReplicaSets were last told. */
export function isResized({ wanted }: Budget, { current, others }: History): boolean {
  const filled = [...others, ...(current === undefined ? [] : [current])].filter(isFilled);
  return filled.some(({ metadata }) => {
    const told = metadata?.annotations?.[desired];
    return told !== undefined && Number(told) !== wanted;
  });
}

/** The new size, given to the only ReplicaSet that has pods, or to several by their shares. */
export function resized(budget: Budget, { current, others }: History, isRolling: boolean): readonly Resize[] {
  const { wanted, surge } = budget;
  const all = [...others, ...(current === undefined ? [] : [current])];
  const filled = all.filter(isFilled);
  const only = filled.length === 1 ? filled[0] : filled.length === 0 ? (current ?? others.at(-1)) : undefined;
  if (only !== undefined) return sizeOf(only) === wanted ? [] : [{ set: only, to: wanted }];
  if (filled.length === 0) return [];
  if (current !== undefined && isSaturated(current, wanted)) {
    return others.filter(isFilled).map((set) => ({ set, to: 0 }));
  }
  if (!isRolling) return [];
  return byShare(filled, wanted > 0 ? wanted + surge : 0, budget);
}

function isSaturated(set: ReplicaSet, wanted: number): boolean {
  return (
    Number(set.metadata?.annotations?.[desired]) === wanted && sizeOf(set) === wanted && availableOf(set) === wanted
  );
}

function byShare(filled: readonly ReplicaSet[], allowed: number, { wanted, surge }: Budget): readonly Resize[] {
  const change = allowed - sum(filled, sizeOf);
  // The largest first; of equal ones the newer grows and the older shrinks.
  const ordered = [...filled].sort((a, b) => {
    const age = birthOf(a) - birthOf(b);
    return sizeOf(b) - sizeOf(a) || (change > 0 ? -age : age) || (nameOf(a) < nameOf(b) ? -1 : 1);
  });
  let given = 0;
  const sizes = ordered.map((set) => {
    const share = change === 0 ? 0 : bounded(shareOf(set, wanted, surge), change - given);
    given += share;
    return { set, to: sizeOf(set) + share };
  });
  return sizes.map(({ set, to }, i) => ({ set, to: i === 0 ? Math.max(0, to + change - given) : to }));
}

function shareOf(set: ReplicaSet, wanted: number, surge: number): number {
  if (wanted === 0) return -sizeOf(set);
  const before = Number(set.metadata?.annotations?.[most]);
  if (!(before > 0)) return 0;
  return Math.round((sizeOf(set) * (wanted + surge)) / before) - sizeOf(set);
}

const bounded = (share: number, left: number): number => (left > 0 ? Math.min(share, left) : Math.max(share, left));
