// The draft of a status: what one pass has to say about one object. It collects statements; `finish` merges them with what
// is stored, once, under all the rules. Nothing is written here.
import {
  type Condition,
  type ConditionStatus,
  type ConditionsOf,
  type ConditionTypes,
  declarationOf,
  deepEqual,
  formatTime,
  type GuardOf,
  type Instant,
  type Kind,
  type KubeObject,
  type PhaseOf,
  type ReasonFor,
  type Resource,
  refuseMove,
  type SettableType,
  type StatusOf,
} from "@telltale/kinds";
import { usage } from "@telltale/kinds/usage";
import { type ChildCondition, mergeChildren } from "./children.ts";
import { findCondition, type MergeOptions, type NewCondition } from "./condition.ts";
import { type Effect, effectOf, type Failure } from "./failure.ts";
import { finishConditions, type Statement, unexplained } from "./finish-conditions.ts";
import { limit, within } from "./limits.ts";
import { contradictions } from "./lint.ts";
import { isRecord, type Loose, readPath, withPath } from "./path.ts";
import { type Significance, significance } from "./significance.ts";
import type { Message } from "./text.ts";
import { StatusViolation, type Violation } from "./violation.ts";

type Word<S extends ConditionStatus | boolean> = S extends true ? "True" : S extends false ? "False" : S;

/** What a finished draft came to. */
export interface Finished<K extends Kind = Kind> {
  /** The whole status. The stored one itself, when nothing changed. */
  readonly status: NonNullable<Resource<K>["status"]>;
  readonly changed: boolean;
  readonly significance: Significance;
  readonly violations: readonly Violation[];
  /** What the failure of this pass asks for, where it failed. */
  readonly effect?: Effect;
  /** The nearest moment at which time alone will change the status. */
  readonly wakeAt?: Instant;
}

export interface Draft<K extends Kind> {
  /** The declared memory: the only part of the stored status that derivation may read. */
  memory<P extends string>(path: P): unknown;
  /** Enters a phase. A guarded arrow needs its guard. */
  phase(to: PhaseOf<K>, guard?: GuardOf<K>): this;
  /** States a condition. The last statement about a type counts. */
  condition<T extends SettableType<ConditionsOf<K>>, S extends ConditionStatus | boolean, const M extends string>(
    type: T,
    status: S,
    reason: ReasonFor<ConditionsOf<K>, T, Word<S>>,
    message: Message<M>,
    options?: MergeOptions & { severity?: string },
  ): this;
  /** States a condition that is already at hand, such as a mirror or a summary. */
  state(condition: NewCondition<SettableType<ConditionsOf<K>>>, options?: MergeOptions): this;
  /** Says that the stored condition still holds for the generation that was read. Not of one that only somebody else can have written. */
  keep(...types: SettableType<ConditionsOf<K>>[]): this;
  /** Takes a condition away that is not always there. */
  without(...types: SettableType<ConditionsOf<K>>[]): this;
  /** Replaces the whole family: children that are not named are gone. */
  children(family: FamilyOf<ConditionsOf<K>>, list: readonly ChildCondition[]): this;
  /** Sets fields. What is not named stays. */
  set(fields: Partial<StatusOf<K>>): this;
  unset(...fields: Extract<keyof StatusOf<K>, string>[]): this;
  /** Says that the pass failed; the kind's table decides what that does. */
  fail(failure: Failure): this;
  /** Says that this pass did not look at the spec, as while an object is paused: the observed generation stays. */
  aside(): this;
  /** Asks for another pass at a moment. */
  wake(at: Instant | undefined): this;
  /** The status that follows. Ends the draft. */
  finish(): Finished<K>;
}

type FamilyOf<C extends ConditionTypes> = {
  [T in Extract<keyof C, string>]: C[T]["form"] extends "family" ? T : never;
}[Extract<keyof C, string>];

export interface DraftOptions {
  /** Throw on a broken rule instead of reporting it. For tests and simulation. */
  readonly strict?: boolean;
}

/** Begins a draft for an object as it was read. `now` is the time of the whole pass (rule 18). */
export function draft<K extends Kind>(
  kind: K,
  object: Resource<K>,
  now: Instant,
  options: DraftOptions = {},
): Draft<K> {
  // The builder below knows kinds at run time only; the interface above is what the compiler holds callers to.
  return new StatusDraft(kind, object, now, options) as unknown as Draft<K>;
}

class StatusDraft {
  readonly #kind: Kind;
  readonly #object: KubeObject;
  readonly #stored: Loose;
  readonly #now: Instant;
  readonly #strict: boolean;
  readonly #statements = new Map<string, Statement>();
  readonly #children = new Map<string, readonly ChildCondition[]>();
  readonly #violations: Violation[] = [];
  #fields: Loose;
  #phase: string | undefined;
  #effect: Effect | undefined;
  #wakeAt: Instant | undefined;
  #isAside = false;
  #finished = false;

  constructor(kind: Kind, object: KubeObject & { status?: unknown }, now: Instant, options: DraftOptions) {
    this.#kind = kind;
    this.#object = object;
    this.#stored = isRecord(object.status) ? object.status : {};
    this.#fields = this.#stored;
    this.#now = now;
    this.#strict = options.strict ?? false;
    const phase = this.#stored["phase"];
    this.#phase = typeof phase === "string" && phase !== "" ? phase : undefined;
  }

  memory(path: string): unknown {
    if (!this.#kind.memory.includes(path)) {
      this.#broken(56, path, `${path} is not declared as memory of ${this.#kind.kind}`);
    }
    return readPath(this.#stored, path);
  }

  phase(to: string, guard?: string): this {
    const machine = this.#kind.phases;
    if (machine === undefined || machine.final(this.#stored)) return this; // a final phase is never left
    const refused = refuseMove(machine, this.#phase, to, guard);
    if (refused !== undefined) this.#broken(78, "phase", refused);
    this.#phase = to;
    return this;
  }

  condition(
    type: string,
    status: ConditionStatus | boolean,
    reason: string,
    message: string,
    options: MergeOptions & { severity?: string } = {},
  ): this {
    const word = typeof status === "boolean" ? (status ? "True" : "False") : status;
    const { severity, ...merge } = options;
    return this.state({ type, status: word, reason, message, ...(severity === undefined ? {} : { severity }) }, merge);
  }

  state(condition: NewCondition, options: MergeOptions = {}): this {
    if (this.#statements.get(condition.type)?.say === "without") {
      this.#broken(20, condition.type, "is taken away and set again in one pass");
    }
    this.#statements.set(condition.type, { say: "set", condition, options });
    return this;
  }

  keep(...types: string[]): this {
    for (const type of types) {
      const old = findCondition(this.#stored["conditions"] as Condition[] | undefined, type);
      const declared = declarationOf(this.#kind.conditions, type);
      const isForeign = old !== undefined && declared !== undefined && unexplained(declared, old) !== undefined;
      if (old !== undefined && !isForeign) this.#statements.set(type, { say: "set", condition: old, options: {} });
    }
    return this;
  }

  without(...types: string[]): this {
    for (const type of types) {
      if (this.#statements.get(type)?.say === "set") this.#broken(20, type, "is set and taken away in one pass");
      this.#statements.set(type, { say: "without" });
    }
    return this;
  }

  children(family: string, list: readonly ChildCondition[]): this {
    this.#children.set(family, list);
    return this;
  }

  set(fields: Loose): this {
    const next = { ...this.#fields };
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) delete next[name];
      else next[name] = value;
    }
    this.#fields = next;
    return this;
  }

  unset(...fields: string[]): this {
    return this.set(Object.fromEntries(fields.map((name) => [name, undefined])));
  }

  fail(failure: Failure): this {
    const effect = effectOf(this.#kind, failure);
    this.#effect = effect;
    if (effect.phase !== "keep") this.#enter(effect.phase);
    if (effect.condition !== undefined) this.state(effect.condition);
    if (effect.failureFields) this.set({ failureReason: failure.reason, failureMessage: failure.message });
    if (effect.message !== undefined) this.set({ message: effect.message });
    return this;
  }

  /** A failure of the very first pass goes through the first phase. */
  #enter(phase: string): void {
    const first = this.#kind.phases?.initial[0];
    if (this.#phase === undefined && first !== undefined && !this.#kind.phases?.initial.includes(phase))
      this.phase(first);
    this.phase(phase);
  }

  aside(): this {
    this.#isAside = true;
    return this;
  }

  wake(at: Instant | undefined): this {
    if (at !== undefined && (this.#wakeAt === undefined || at < this.#wakeAt)) this.#wakeAt = at;
    return this;
  }

  finish(): Finished {
    if (this.#finished) throw new Error(`${this.#kind.kind}: a draft is finished once (rule 63); begin a new one`);
    this.#finished = true;
    const next = this.#effect?.write === false ? this.#stored : this.#merge();
    const changed = next !== this.#stored;
    usage().status(this.#kind, next);
    if (this.#strict && this.#violations.length > 0) {
      throw new StatusViolation(this.#kind.kind, this.#object.metadata?.name ?? "", this.#violations);
    }
    return {
      status: next as Finished["status"],
      changed,
      significance: changed ? significance(this.#kind, this.#stored, next) : "none",
      violations: this.#violations,
      ...(this.#effect === undefined ? {} : { effect: this.#effect }),
      ...(this.#wakeAt === undefined ? {} : { wakeAt: this.#wakeAt }),
    };
  }

  #merge(): Loose {
    const kind = this.#kind;
    let next: Loose = this.#remembered(this.#fields);
    if (this.#phase !== undefined && kind.phases !== undefined) next = { ...next, phase: this.#phase };
    const generation = this.#object.metadata?.generation ?? 0;
    const before = this.#stored["conditions"];
    const list = finishConditions({
      kind,
      before: Array.isArray(before) ? (before as Condition[]) : [],
      statements: mergeChildren(kind, this.#children, this.#statements, Array.isArray(before) ? before : []),
      families: new Set(this.#children.keys()),
      generation,
      created: this.#object.metadata?.creationTimestamp,
      firstVisit: !Array.isArray(before) || before.length === 0,
      now: formatTime(this.#now),
      broken: (rule, at, problem) => this.#broken(rule, at, problem),
    });
    if (Object.keys(kind.conditions.types).length > 0 || Array.isArray(before)) next = { ...next, conditions: list };
    next = this.#observed(next, list, generation);
    const final = kind.phases?.final(this.#stored) === true;
    if (final) next = this.#thawed(next);
    const broken = (rule: number, at: string, problem: string) => this.#broken(rule, at, problem);
    next = canonical(kind, this.#stored, limit(kind, next, this.#stored, broken));
    if (next === this.#stored) return next;
    // What is said aside speaks for no generation that was not spoken for before.
    const spoken = this.#isAside ? Number(this.#stored["observedGeneration"] ?? -1) : generation;
    if (!final) for (const v of contradictions(kind, list, spoken)) this.#violations.push(v);
    return canonical(kind, this.#stored, within(kind, next, broken));
  }

  /** Latches and write-once fields keep what is stored, whatever the pass says. */
  #remembered(fields: Loose): Loose {
    let next = fields;
    for (const path of this.#kind.once) {
      const old = readPath(this.#stored, path);
      if (old !== undefined && !deepEqual(readPath(next, path), old)) next = withPath(next, path, old);
    }
    for (const path of this.#kind.latches) {
      if (readPath(this.#stored, path) === true && readPath(next, path) !== true) next = withPath(next, path, true);
    }
    return next;
  }

  /** A final object changes only where its kind says that it may. */
  #thawed(next: Loose): Loose {
    let kept = this.#stored;
    for (const path of this.#kind.phases?.thaw ?? []) {
      if (!path.startsWith("conditions.")) {
        const value = readPath(next, path);
        if (!deepEqual(value, readPath(kept, path))) kept = withPath(kept, path, value);
        continue;
      }
      const type = path.slice("conditions.".length);
      if (deepEqual(readPath(next, path), readPath(kept, path))) continue;
      const list = (Array.isArray(kept["conditions"]) ? kept["conditions"] : []) as Condition[];
      const moved = findCondition(next["conditions"] as Condition[], type);
      const others = list.filter((c) => c.type !== type);
      const at = list.findIndex((c) => c.type === type);
      if (moved !== undefined) others.splice(at < 0 ? others.length : at, 0, moved);
      kept = { ...kept, conditions: others };
    }
    return kept;
  }

  /**
   * Moves `observedGeneration`, together with the conditions that speak for it (rules 26-29). A stored one that the object has
   * not reached is somebody else's, or from before the server was put back: left there, it would speak for a spec to come.
   */
  #observed(next: Loose, list: readonly Condition[], generation: number): Loose {
    const stored = this.#stored["observedGeneration"];
    const old = typeof stored === "number" ? stored : undefined;
    // What failed for good is conclusive for its generation; otherwise a reset by an edit could not be told (rule 31).
    const inconclusive = this.#effect !== undefined && this.#effect.requeue.in !== "never";
    if (this.#isAside || (this.#kind.generation === "onSuccess" && inconclusive)) return next;
    const top = this.#kind.conditions.top;
    const final = this.#kind.phases?.final(this.#stored) === true;
    if (!final && top !== undefined && old !== generation && !this.#speaksFor(top)) {
      const stale = findCondition(list, top);
      if (stale?.status === "True" && stale.observedGeneration !== generation) {
        this.#broken(
          29,
          top,
          `is True for an older generation, and the pass over generation ${generation} does not say whether it still holds`,
        );
        return next; // nobody may read "current"
      }
    }
    return { ...next, observedGeneration: generation };
  }

  #speaksFor(top: string): boolean {
    return this.#statements.has(top) || this.#kind.conditions.types[top]?.form === "derived";
  }

  #broken(rule: number, at: string, problem: string): void {
    this.#violations.push({ rule, at, problem });
  }
}

/**
 * Members in the order of the schema, unknown ones after them, and every value that is equal to the stored one taken from
 * there: equal worlds give equal bytes, and an unchanged status is the stored object itself.
 */
function canonical(kind: Kind, stored: Loose, next: Loose): Loose {
  let changed = Object.keys(stored).length !== Object.keys(next).length;
  const out: Loose = {};
  const put = (name: string) => {
    const value = next[name];
    const old = stored[name];
    if (value === old || (Object.hasOwn(stored, name) && deepEqual(value, old))) out[name] = old;
    else {
      out[name] = value;
      changed = true;
    }
  };
  const declared = kind.schema.status?.properties ?? {};
  for (const name in declared) if (next[name] !== undefined) put(name);
  for (const name of Object.keys(next)) if (!Object.hasOwn(declared, name) && next[name] !== undefined) put(name);
  return changed ? out : stored;
}
