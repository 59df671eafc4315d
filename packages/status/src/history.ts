// The rules that only a sequence can break: what a status may become after what it was, and who may write it when. Pure:
// the writer, the simulation and tests all ask here.
import { type Condition, declarationOf, deepEqual, type Instant, type Kind, type KubeObject, parseTime, refuseMove } from "@telltale/kinds";
import { findCondition } from "./condition.ts";
import { isRecord, type Loose, readPath } from "./path.ts";
import type { Violation } from "./violation.ts";

type Versioned = KubeObject & { status?: unknown };

/** What may move a transition time although the status stays, or set it to an older moment. All three are declared. */
export interface Exceptions {
  /** Types that a reset or an unpause restarted in this step. */
  readonly restamped?: readonly string[];
}

/** What is wrong with one step in the life of one object, as the server saw it. Rules 15-28, 42, 53, 60, 69, 82. */
export function checkStep(kind: Kind, before: Versioned, after: Versioned, exceptions: Exceptions = {}): Violation[] {
  const found: Violation[] = [];
  const say = (rule: number, at: string, problem: string) => found.push({ rule, at, problem });
  if (before.metadata?.uid !== after.metadata?.uid) return found; // another object
  const old = record(before.status);
  const next = record(after.status);
  checkGeneration(before, after, kind.phases?.final(old) === true, say);
  checkPhase(kind, old, next, say);
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
      if ("present" in declared && declared.present === "always") say(20, was.type, "was removed");
      continue;
    }
    checkTime(was, is, declared.form === "mirrored" || declared.form === "family", exceptions, say);
    checkSucceeded(kind, was, is, say);
  }
  const foreign = (list: readonly Condition[]) => list.filter((c) => declarationOf(kind.conditions, c.type) === undefined);
  const order = (list: readonly Condition[]) => foreign(list).map((c) => c.type);
  if (!deepEqual(order(before_), order(after_).filter((type) => order(before_).includes(type)))) {
    say(60, "conditions", "conditions of others were put into another order");
  }
  return found;
}

type Say = (rule: number, at: string, problem: string) => void;

const record = (value: unknown): Loose => (isRecord(value) ? value : {});
const conditions = (status: Loose): readonly Condition[] =>
  Array.isArray(status["conditions"]) ? (status["conditions"] as Condition[]) : [];

function checkGeneration(before: Versioned, after: Versioned, final: boolean, say: Say): void {
  const old = record(before.status);
  const next = record(after.status);
  const was = old["observedGeneration"];
  const is = next["observedGeneration"];
  const generation = after.metadata?.generation ?? 0;
  if (typeof is === "number" && is > generation) say(26, "observedGeneration", `is ${is}, the generation is ${generation}`);
  if (typeof was === "number" && typeof is === "number" && is < was) say(27, "observedGeneration", `went from ${was} to ${is}`);
  for (const c of conditions(next)) {
    if ((c.observedGeneration ?? 0) > generation) say(25, c.type, `speaks of generation ${c.observedGeneration}, the object has ${generation}`);
    const earlier = findCondition(conditions(old), c.type)?.observedGeneration;
    if (earlier !== undefined && c.observedGeneration !== undefined && c.observedGeneration < earlier) {
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
  else if (was !== undefined && !reachable(machine, was, is)) say(78, "phase", refuseMove(machine, was, is) ?? `went from ${was} to ${is}`);
}

/** One write may take several arrows at once: a pass goes on as far as it can. */
function reachable(machine: NonNullable<Kind["phases"]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  const queue = [from];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const arrow of machine.arrows.get(next) ?? []) {
      if (arrow.to === to) return true;
      if (!seen.has(arrow.to)) {
        seen.add(arrow.to);
        queue.push(arrow.to);
      }
    }
  }
  return false;
}

function checkTime(was: Condition, is: Condition, keepsOthersTime: boolean, exceptions: Exceptions, say: Say): void {
  const moved = was.lastTransitionTime !== is.lastTransitionTime;
  const flipped = was.status !== is.status;
  if (keepsOthersTime) return;
  if (moved && !flipped && !exceptions.restamped?.includes(is.type)) {
    say(15, is.type, `moved its transition time although it stayed ${is.status}`);
  }
  if (flipped && !moved && (parseTime(was.lastTransitionTime) ?? 0) < (parseTime(is.lastTransitionTime) ?? 0)) {
    say(15, is.type, `flipped to ${is.status} and kept its transition time`);
  }
  if ((parseTime(is.lastTransitionTime) ?? 0) < (parseTime(was.lastTransitionTime) ?? 0)) {
    say(17, is.type, `went back in time from ${was.lastTransitionTime} to ${is.lastTransitionTime}`);
  }
}

function checkSucceeded(kind: Kind, was: Condition, is: Condition, say: Say): void {
  if (kind.conditions.top !== "Succeeded" || was.type !== "Succeeded") return;
  if (was.status !== "Unknown" && is.status !== was.status) say(53, "Succeeded", `was ${was.status} and became ${is.status}`);
}

/** One status write, as a trace records it. */
export interface Write {
  readonly at: Instant;
  readonly writer: string;
  /** Who held the lease at that moment; undefined where there is no election. */
  readonly leader: string | undefined;
  /** The pass that it belongs to, for counting. */
  readonly pass: string;
  readonly checkpoint?: boolean;
  /** The uid that the pass read, and the one that was written to. */
  readonly readUid: string;
  readonly uid: string;
  /** The resourceVersion that the pass read, and that of this writer's last write to the object before. */
  readonly readVersion: number;
  readonly ownLastVersion?: number;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is wrong with a trace of status writes: rules 16, 63, 64, 67, 68, 69. */
export function checkWrites(writes: readonly Write[]): Violation[] {
  const found: Violation[] = [];
  const perPass = new Map<string, number>();
  for (const w of writes) {
    if (deepEqual(w.before, w.after)) found.push({ rule: 64, at: w.pass, problem: "a write changed nothing (rule 16)" });
    if (w.leader !== undefined && w.leader !== w.writer) {
      found.push({ rule: 67, at: w.pass, problem: `${w.writer} wrote while ${w.leader} held the lease` });
    }
    if (w.readUid !== w.uid) found.push({ rule: 68, at: w.pass, problem: `read ${w.readUid} and wrote to ${w.uid}` });
    if (w.ownLastVersion !== undefined && w.readVersion < w.ownLastVersion) {
      found.push({ rule: 69, at: w.pass, problem: `computed from version ${w.readVersion}, older than its own write ${w.ownLastVersion}` });
    }
    if (w.checkpoint !== true) {
      const n = (perPass.get(`${w.pass} ${w.uid}`) ?? 0) + 1;
      perPass.set(`${w.pass} ${w.uid}`, n);
      if (n === 2) found.push({ rule: 63, at: w.pass, problem: "wrote the status of one object twice" });
    }
  }
  return found;
}

/** Whether a process may still write: it holds the lease, in the epoch in which the draft was begun (rule 67). */
export function mayWrite(begun: { readonly holder: string; readonly epoch: number } | undefined, now: { readonly holder: string; readonly epoch: number; readonly expires: Instant }, self: string, at: Instant): boolean {
  return begun === undefined || (now.holder === self && begun.holder === self && now.epoch === begun.epoch && at < now.expires);
}
