// The rules that only a sequence can break: what a status may become after what it was. Pure: the simulation, tests and the
// webhook of the runtime all ask here.
import {
  type Condition,
  declarationOf,
  deepEqual,
  formatTime,
  type Instant,
  type Kind,
  type KubeObject,
  parseTime,
  reachablePhases,
  refuseMove,
} from "@telltale/kinds";
import { findCondition } from "./condition.ts";
import { alwaysThere } from "./lint.ts";
import { isRecord, type Loose, readPath } from "./path.ts";
import type { Progress } from "./progress.ts";
import type { Violation } from "./violation.ts";

type Versioned = KubeObject & { status?: unknown };

/** What is known about a step besides what was stored. */
export interface Known {
  /** Types that a reset or an unpause restarted in this step: their time moves although their status stays. */
  readonly restamped?: readonly string[];
  /** When the step was made; without it a flip that kept its old time is not seen. */
  readonly at?: Instant;
  /** The generation that the pass read; without it that of the object after the step. */
  readonly readGeneration?: number;
  /** Where the kind shows progress, if it does. */
  readonly progress?: (status: Loose) => Progress | undefined;
}

/** What is wrong with one step in the life of one object, as the server saw it: rules 15-20, 25-28, 42, 53, 60, 78, 82. */
export function checkStep(kind: Kind, before: Versioned, after: Versioned, known: Known = {}): Violation[] {
  const found: Violation[] = [];
  const say = (rule: number, at: string, problem: string) => found.push({ rule, at, problem });
  if (before.metadata?.uid !== after.metadata?.uid) return found; // another object
  const old = record(before.status);
  const next = record(after.status);
  const final = kind.phases?.final(old) === true;
  checkGeneration(before, after, final, known, say);
  checkPhase(kind, old, next, say);
  if (final) checkFrozen(kind, old, next, say);
  checkTop(kind, conditions(old), conditions(next), known, say);
  checkProgress(known.progress?.(old), known.progress?.(next), say);
  for (const path of kind.latches) {
    if (readPath(old, path) === true && readPath(next, path) !== true) say(53, path, "was true and is not any more");
  }
  for (const path of kind.once) {
    const was = readPath(old, path);
    if (was !== undefined && !deepEqual(was, readPath(next, path))) say(53, path, "was written once and has changed");
  }
  const before_ = conditions(old);
  const after_ = conditions(next);
  for (const was of before_) {
    const is = findCondition(after_, was.type);
    const declared = declarationOf(kind.conditions, was.type);
    if (declared === undefined) {
      if (!deepEqual(was, is)) say(60, was.type, "belongs to somebody else and was changed or removed");
      continue;
    }
    if (is === undefined) {
      if (alwaysThere(declared)) say(20, was.type, "was removed");
      continue;
    }
    checkTime(was, is, declared.form === "mirrored" || declared.form === "family", known, say);
    checkSucceeded(kind, was, is, say);
  }
  const foreign = (list: readonly Condition[]) =>
    list.filter((c) => declarationOf(kind.conditions, c.type) === undefined);
  const order = (list: readonly Condition[]) => foreign(list).map((c) => c.type);
  if (
    !deepEqual(
      order(before_),
      order(after_).filter((type) => order(before_).includes(type)),
    )
  ) {
    say(60, "conditions", "conditions of others were put into another order");
  }
  return found;
}

type Say = (rule: number, at: string, problem: string) => void;

const record = (value: unknown): Loose => (isRecord(value) ? value : {});
const conditions = (status: Loose): readonly Condition[] =>
  Array.isArray(status["conditions"]) ? (status["conditions"] as Condition[]) : [];

function checkGeneration(before: Versioned, after: Versioned, final: boolean, known: Known, say: Say): void {
  const old = record(before.status);
  const next = record(after.status);
  const was = old["observedGeneration"];
  const is = next["observedGeneration"];
  const generation = known.readGeneration ?? after.metadata?.generation ?? 0;
  if (typeof is === "number" && is > generation)
    say(26, "observedGeneration", `is ${is}, the generation is ${generation}`);
  // What the object has not reached was never ours: to put it right is to go back.
  if (typeof was === "number" && typeof is === "number" && is < was && was <= generation)
    say(27, "observedGeneration", `went from ${was} to ${is}`);
  for (const c of conditions(next)) {
    if (deepEqual(c, findCondition(conditions(old), c.type))) continue;
    if ((c.observedGeneration ?? 0) > generation)
      say(25, c.type, `speaks of generation ${c.observedGeneration}, the object that was read has ${generation}`);
    const earlier = findCondition(conditions(old), c.type)?.observedGeneration;
    const isBack = earlier !== undefined && c.observedGeneration !== undefined && c.observedGeneration < earlier;
    if (isBack && earlier <= generation) {
      say(27, c.type, `went from generation ${earlier} back to ${c.observedGeneration}`);
    }
  }
  const moved = typeof was === "number" && typeof is === "number" && is > was && was >= 0;
  const speaks = conditions(next).some((c) => c.observedGeneration === is);
  const stamped = conditions(next).some((c) => c.observedGeneration !== undefined);
  if (moved && !final && stamped && !speaks && before.metadata?.generation === after.metadata?.generation) {
    say(28, "observedGeneration", `moved to ${is}, but no condition speaks of that generation`);
  }
}

function checkPhase(kind: Kind, old: Loose, next: Loose, say: Say): void {
  const machine = kind.phases;
  if (machine === undefined) return;
  const was = typeof old["phase"] === "string" ? old["phase"] : undefined;
  const is = next["phase"];
  if (typeof is !== "string" || is === was) return;
  if (machine.final(old)) say(53, "phase", `left the final phase ${was} for ${is}`);
  // One write may take several arrows at once: a pass goes on as far as it can.
  else if (!reachablePhases(machine, was === undefined ? machine.initial : [was]).has(is)) {
    say(78, "phase", refuseMove(machine, was, is) ?? `went from ${was} to ${is}`);
  }
}

/** Once final, only what the kind thaws may change. Leaving the phase itself is said by `checkPhase`. */
function checkFrozen(kind: Kind, old: Loose, next: Loose, say: Say): void {
  const thaw = kind.phases?.thaw ?? [];
  for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
    if (name === "phase" || name === "conditions" || deepEqual(old[name], next[name])) continue;
    if (!thaw.some((path) => path === name || path.startsWith(`${name}.`)))
      say(53, name, "changed after a final phase");
  }
  for (const { type } of [
    ...conditions(old),
    ...conditions(next).filter((c) => !findCondition(conditions(old), c.type)),
  ]) {
    if (declarationOf(kind.conditions, type) === undefined || thaw.includes(`conditions.${type}`)) continue;
    if (!deepEqual(findCondition(conditions(old), type), findCondition(conditions(next), type))) {
      say(53, type, "changed after a final phase");
    }
  }
}

/** A step in which nothing speaks for it does not touch the top condition. Its generation may move. */
function checkTop(kind: Kind, old: readonly Condition[], next: readonly Condition[], known: Known, say: Say): void {
  const { top = "", types } = kind.conditions;
  const was = findCondition(old, top);
  const is = findCondition(next, top);
  if (was === undefined || is === undefined || types[top]?.form === "mirrored" || known.restamped?.includes(top))
    return;
  const says = (c: Condition | undefined) => [c?.status, c?.reason, c?.message];
  const declared = types[top];
  const sameInputs =
    declared?.form === "derived" &&
    declared.from.every((type) => deepEqual(says(findCondition(old, type)), says(findCondition(next, type))));
  if (deepEqual(says(was), says(is)) ? was.lastTransitionTime !== is.lastTransitionTime : sameInputs) {
    say(42, top, "was touched although nothing that it depends on has changed");
  }
}

function checkProgress(was: Progress | undefined, is: Progress | undefined, say: Say): void {
  if (was === undefined || is === undefined || was.epoch !== is.epoch || is.done >= was.done) return;
  say(82, "progress", `ran back from ${was.done} to ${is.done} within ${is.epoch}`);
}

function checkTime(was: Condition, is: Condition, keepsOthersTime: boolean, known: Known, say: Say): void {
  const moved = was.lastTransitionTime !== is.lastTransitionTime;
  const flipped = was.status !== is.status;
  if (keepsOthersTime) return;
  if (moved && !flipped && !known.restamped?.includes(is.type)) {
    say(15, is.type, `moved its transition time although it stayed ${is.status}`);
  }
  const second = known.at === undefined ? undefined : parseTime(formatTime(known.at));
  if (flipped && !moved && (parseTime(is.lastTransitionTime) ?? 0) < (second ?? 0)) {
    say(15, is.type, `flipped to ${is.status} and kept its transition time`);
  }
  if ((parseTime(is.lastTransitionTime) ?? 0) < (parseTime(was.lastTransitionTime) ?? 0)) {
    say(17, is.type, `went back in time from ${was.lastTransitionTime} to ${is.lastTransitionTime}`);
  }
}

function checkSucceeded(kind: Kind, was: Condition, is: Condition, say: Say): void {
  if (kind.conditions.top !== "Succeeded" || was.type !== "Succeeded") return;
  if (was.status !== "Unknown" && is.status !== was.status)
    say(53, "Succeeded", `was ${was.status} and became ${is.status}`);
}
