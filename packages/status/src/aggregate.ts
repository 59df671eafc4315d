// Many children, one condition. Counts and examples are kept up to date child by child, so that one change among ten
// thousand costs what one among ten does, and the result is the same as if all had been counted anew.
import type { ConditionStatus, Polarity } from "@telltale/kinds";
import { SortedKeys } from "./sorted-keys.ts";
import { names, type SafeText, text } from "./text.ts";

/** What one child contributes. A child whose generation is not yet observed contributes Unknown (rule 73; see `fresh`). */
export interface Contribution {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

export interface AggregateOptions {
  readonly polarity?: Polarity;
  /** What is said of no children at all: it has to be decided, not to happen (rule 74). */
  readonly empty: { readonly status: ConditionStatus; readonly reason: string; readonly message: SafeText };
  readonly ok: { readonly reason: string; readonly message: (total: number) => SafeText };
  readonly maxMessages?: number;
  readonly maxNames?: number;
}

interface Group {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly children: SortedKeys;
}

export interface Aggregated {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: SafeText;
  readonly total: number;
  readonly good: number;
}

/** Sums up children. Mutable on purpose: it lives as long as its parent is watched. */
export class Aggregate {
  readonly #options: AggregateOptions;
  readonly #children = new Map<string, Contribution>();
  readonly #groups = new Map<string, Group>();
  #good = 0;

  constructor(options: AggregateOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#children.size;
  }

  /** Puts a child in, or changes what it contributes. */
  set(child: string, contribution: Contribution): void {
    const old = this.#children.get(child);
    if (old !== undefined) {
      if (
        old.status === contribution.status &&
        old.reason === contribution.reason &&
        old.message === contribution.message
      )
        return;
      this.#take(child, old);
    }
    this.#children.set(child, contribution);
    if (this.#isGood(contribution.status)) {
      this.#good += 1;
      return;
    }
    const key = groupKey(contribution);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { ...contribution, children: new SortedKeys() };
      this.#groups.set(key, group);
    }
    group.children.add(child);
  }

  delete(child: string): void {
    const old = this.#children.get(child);
    if (old === undefined) return;
    this.#take(child, old);
    this.#children.delete(child);
  }

  /** The condition that follows. An issue beats unknown (rule 40); the messages are few and in a fixed order (rule 75). */
  value(): Aggregated {
    const { empty, ok, maxMessages = 3, maxNames = 3 } = this.#options;
    const total = this.#children.size;
    const good = this.#good;
    if (total === 0) return { ...empty, total, good };
    if (good === total)
      return { status: this.#goodStatus(), reason: ok.reason, message: ok.message(total), total, good };
    const groups = [...this.#groups.values()].sort(byWeight);
    const worst = groups[0];
    const parts = groups.slice(0, maxMessages).map((g) => describe(g, maxNames));
    const rest = groups.slice(maxMessages).reduce((n, g) => n + g.children.size, 0);
    if (rest > 0) parts.push(text`${rest} more with other issues`);
    return {
      status: worst?.status === "Unknown" ? "Unknown" : this.#badStatus(),
      reason: worst?.reason ?? "Unknown",
      message: parts.join("; ") as SafeText,
      total,
      good,
    };
  }

  #take(child: string, old: Contribution): void {
    if (this.#isGood(old.status)) {
      this.#good -= 1;
      return;
    }
    const key = groupKey(old);
    const group = this.#groups.get(key);
    group?.children.delete(child);
    if (group?.children.size === 0) this.#groups.delete(key);
  }

  #goodStatus(): ConditionStatus {
    return this.#options.polarity === "negative" ? "False" : "True";
  }
  #badStatus(): ConditionStatus {
    return this.#options.polarity === "negative" ? "True" : "False";
  }
  #isGood(status: ConditionStatus): boolean {
    return status === this.#goodStatus();
  }
}

const groupKey = (c: Contribution): string => `${c.status}\u0000${c.reason}\u0000${c.message}`;

/** Issues before unknowns, many before few, then by text: no two replicas can disagree. */
function byWeight(a: Group, b: Group): number {
  const unknown = Number(a.status === "Unknown") - Number(b.status === "Unknown");
  if (unknown !== 0) return unknown;
  if (a.children.size !== b.children.size) return b.children.size - a.children.size;
  return groupKey(a) < groupKey(b) ? -1 : 1;
}

function describe(group: Group, maxNames: number): SafeText {
  const shown = group.children.first(maxNames);
  const more = group.children.size - shown.length;
  const who = more > 0 ? text`${names(shown, { max: maxNames })}, and ${more} more` : names(shown, { max: maxNames });
  return text`${group.message === "" ? group.reason : group.message} (${who})`;
}
