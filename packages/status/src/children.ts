// One condition for each child: stable numbers, times that follow the child, and one sentence that sums them up.
import { type Condition, type ConditionStatus, childType, type Instant, type Kind } from "@telltale/kinds";
import { findCondition } from "./condition.ts";
import type { Statement } from "./finish-conditions.ts";
import { type SafeText, text } from "./text.ts";

/** What a child's condition says. */
export interface ChildCondition {
  readonly slot: number;
  /** The slot of the condition that is stored for it: its transition time moves along from there. */
  readonly storedSlot?: number | undefined;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: SafeText;
}

export interface Slotted {
  readonly key: string;
  readonly created: Instant;
  /** The number that it has now, if any. Anything but an integer in range counts as none. */
  readonly held?: number;
  /** Among children without a number, and among rivals for one: lower first, before age and name. */
  readonly order?: number;
}

export interface SlotOptions {
  /** How many children are wanted; with `compact` numbers close up to this. */
  readonly desired?: number;
  /** Whether gaps are closed by moving the highest child down. Not while a rollout is going on. */
  readonly compact?: boolean;
  readonly max?: number;
}

/**
 * A number for each child. Who holds one keeps it; of several that hold the same one the first by age, order and name
 * keeps it; newcomers take the lowest free ones. `repair` lists the children whose stored number was missing or wrong.
 */
export function assignSlots(
  children: readonly Slotted[],
  options: SlotOptions = {},
): {
  readonly slots: ReadonlyMap<string, number>;
  readonly repair: readonly { readonly key: string; readonly slot: number }[];
} {
  const { max = 9999 } = options;
  const unique = [...new Map(children.map((c) => [c.key, c])).values()];
  const taken = new Map<number, string>();
  const slots = new Map<string, number>();
  const order = (c: Slotted) => c.order ?? 0;
  const byName = (a: Slotted, b: Slotted) => (a.key < b.key ? -1 : 1);
  const holders = unique
    .filter((c) => c.held !== undefined && Number.isInteger(c.held) && c.held >= 0 && c.held <= max)
    .sort((a, b) => a.created - b.created || order(a) - order(b) || byName(a, b));
  for (const { key, held = 0 } of holders) {
    if (taken.has(held)) continue;
    taken.set(held, key);
    slots.set(key, held);
  }
  const newcomers = unique
    .filter((c) => !slots.has(c.key))
    .sort((a, b) => order(a) - order(b) || a.created - b.created || byName(a, b));
  let free = 0;
  for (const { key } of newcomers) {
    while (taken.has(free)) free += 1;
    taken.set(free, key);
    slots.set(key, free);
  }
  if (options.compact === true) compact(slots, taken, Math.max(options.desired ?? 0, unique.length));
  const repair = unique.flatMap((c) => {
    const slot = slots.get(c.key);
    return slot === undefined || slot === c.held ? [] : [{ key: c.key, slot }];
  });
  return { slots, repair };
}

function compact(slots: Map<string, number>, taken: Map<number, string>, range: number): void {
  let free = 0;
  const beyond = [...taken].filter(([slot]) => slot >= range).sort(([a], [b]) => b - a);
  for (const [, key] of beyond) {
    while (taken.has(free)) free += 1; // one below the range: there are not more children than that
    taken.set(free, key);
    slots.set(key, free);
  }
}

/** The statements of a pass together with those about children; a child that moved brings its own time along. */
export function mergeChildren(
  kind: Kind,
  families: ReadonlyMap<string, readonly ChildCondition[]>,
  statements: ReadonlyMap<string, Statement>,
  before: readonly Condition[],
): ReadonlyMap<string, Statement> {
  if (families.size === 0) return statements;
  const merged = new Map(statements);
  for (const [family, children] of families) {
    const declared = kind.conditions.types[family];
    const max = declared?.form === "family" ? declared.max : children.length;
    for (const child of [...children].sort((a, b) => a.slot - b.slot).slice(0, max)) {
      const type = childType(family, child.slot);
      const { status, reason, message, slot, storedSlot = slot } = child;
      const condition = { type, status, reason, message };
      const own = storedSlot === slot ? undefined : findCondition(before, childType(family, storedSlot));
      const options =
        own === undefined ? {} : own.status === child.status ? { at: own.lastTransitionTime } : { restamp: true };
      merged.set(type, { say: "set", condition, options });
    }
  }
  return merged;
}

/** What children are called, and what their parent is: `pods` of an `instance`. */
export interface Nouns {
  readonly children: string;
  readonly parent: string;
}

export type RollUpReason = "AllReady" | "PartiallyReady" | "NotReady" | "NoChildren";

/** One sentence about all children, in fixed words. No children at all is False: nothing is there to be ready (rule 74). */
export function rollUp(
  counts: { readonly ready: number; readonly total: number },
  nouns: Nouns,
  cause?: SafeText,
): { readonly status: ConditionStatus; readonly reason: RollUpReason; readonly message: SafeText } {
  const { ready, total } = counts;
  if (total === 0) {
    return {
      status: "False",
      reason: "NoChildren",
      message: text`No ${nouns.children} found for this ${nouns.parent}`,
    };
  }
  if (ready >= total)
    return { status: "True", reason: "AllReady", message: text`All ${total} ${nouns.children} are ready` };
  if (ready > 0) {
    return { status: "False", reason: "PartiallyReady", message: text`${ready}/${total} ${nouns.children} are ready` };
  }
  const message =
    cause === undefined ? text`No ${nouns.children} are ready` : text`No ${nouns.children} are ready: ${cause}`;
  return { status: "False", reason: "NotReady", message };
}

/** What is added to the parent's message when not all children fit. */
export function showing(shown: number, of: number): SafeText {
  return of > shown ? text` (showing ${shown} of ${of} children)` : text``;
}
