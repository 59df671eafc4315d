// The difference of two long lists as operations on items: of a thousand rows those are sent that moved, and no others.
import { deepEqual } from "@telltale/kinds";

export interface ItemEdits {
  /** What has to stand where, by index: all that goes or is replaced, and what is next to where something comes. */
  readonly tests: ReadonlyMap<number, unknown>;
  /** In this order. Their indexes count what those before them did. */
  readonly changes: readonly ItemChange[];
}

export type ItemChange =
  | { readonly op: "replace" | "add"; readonly at: number; readonly value: unknown }
  | { readonly op: "remove"; readonly at: number };

/** In a shorter list there is nothing to save. */
const shortest = 32;

/** Undefined: better replaced as a whole. */
export function itemEdits(before: readonly unknown[], after: readonly unknown[]): ItemEdits | undefined {
  if (before.length < shortest || after.length === 0) return undefined;
  const start = sameFrom(before, after, Math.min(before.length, after.length), (list, i) => list[i]);
  const rest = Math.min(before.length, after.length) - start;
  const end = sameFrom(before, after, rest, (list, i) => list[list.length - 1 - i]);
  const [gone, come] = [before.length - start - end, after.length - start - end];
  const tests = new Map<number, unknown>();
  const changes: ItemChange[] = [];
  const kept = Math.min(gone, come);
  for (let at = start; at < start + kept; at += 1) {
    if (deepEqual(before[at], after[at])) continue;
    tests.set(at, before[at]);
    changes.push({ op: "replace", at, value: after[at] });
  }
  const turn = start + kept;
  for (let at = turn; at < start + gone; at += 1) {
    tests.set(at, before[at]);
    changes.push({ op: "remove", at: turn });
  }
  for (let at = turn; at < start + come; at += 1) changes.push({ op: "add", at, value: after[at] });
  if (come > gone) {
    const beside = Math.min(turn, before.length - 1);
    tests.set(beside, before[beside]);
  }
  return 2 * changes.length > before.length ? undefined : { tests, changes };
}

type ItemOf = (list: readonly unknown[], i: number) => unknown;

/** How many items are the same, from the first that `item` gives on. */
function sameFrom(a: readonly unknown[], b: readonly unknown[], most: number, item: ItemOf): number {
  for (let i = 0; i < most; i += 1) if (!deepEqual(item(a, i), item(b, i))) return i;
  return most;
}
