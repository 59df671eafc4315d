// Whose run is next: destroying before making, and otherwise first come, first served. Pure.
import type { Operation } from "./engine.ts";

export interface Waiting {
  readonly operation: Operation;
  /** When it came, counted. */
  readonly order: number;
}

/** The one to begin, or none where nobody waits. */
export function nextOf<T extends Waiting>(waiting: Iterable<T>): T | undefined {
  let best: T | undefined;
  for (const it of waiting) if (best === undefined || isBefore(it, best)) best = it;
  return best;
}

const rank = ({ operation }: Waiting): number => (operation === "destroy" ? 0 : 1);
const isBefore = (a: Waiting, b: Waiting): boolean => rank(a) < rank(b) || (rank(a) === rank(b) && a.order < b.order);
