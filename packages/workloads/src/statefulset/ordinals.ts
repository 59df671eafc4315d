// Who is who in a StatefulSet: a pod's number is in its name. Pure.
import type { Pod, StatefulSet } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";

/** The number that a pod's name gives it in this set. Undefined: it is no member. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${nameOf(set)}-`;
  const name = nameOf(pod);
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  const ordinal = Number(digits);
  return /^\d+$/.test(digits) && String(ordinal) === digits && ordinal <= largest ? ordinal : undefined;
}

const largest = 2 ** 31 - 1;

export const podName = (set: StatefulSet, ordinal: number): string => `${nameOf(set)}-${ordinal}`;

export const startOf = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;
export const sizeOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;

/** Whether a number is one of those wanted. */
export function isWanted(set: StatefulSet, ordinal: number): boolean {
  const start = startOf(set);
  return ordinal >= start && ordinal < start + sizeOf(set);
}

/** The numbers wanted, in their order, one after the other: somebody may want two billions. */
export function* wantedOrdinals(set: StatefulSet): Iterable<number> {
  const start = startOf(set);
  for (let i = 0; i < sizeOf(set); i += 1) yield start + i;
}
