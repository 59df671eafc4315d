// What was made, deleted and edited in a run, by the operator and by others: how two runs are told to have gone the same way.
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { isEnd, resourceIn } from "./facts.ts";
import { type Change, isNoise } from "./history.ts";
import type { Reference } from "./reference.ts";

/** How often, by `group/resource`. */
type Counts = ReadonlyMap<string, number>;

export interface Tally {
  /** By the operator. */
  readonly made: Counts;
  readonly deleted: Counts;
  readonly writes: number;
  readonly theirs: Theirs;
}

/** By others. */
interface Theirs {
  readonly made: Counts;
  readonly deleted: Counts;
  readonly edits: Counts;
  readonly all: number;
  /** What each object asked for when it was first made, by its place. */
  readonly asked: ReadonlyMap<string, unknown>;
}

export function tally(changes: readonly Change[]): Tally {
  const [made, deleted, theirMade, theirDeleted, edits] = [0, 1, 2, 3, 4].map(() => new Map<string, number>());
  const asked = new Map<string, unknown>();
  let [writes, all] = [0, 0];
  for (const change of changes) {
    if (isNoise(change.key)) continue;
    const isOurs = change.author !== undefined;
    const resource = resourceIn(change.key);
    if (change.type === "ADDED") {
      count(isOurs ? made : theirMade, resource);
      if (!isOurs && !asked.has(change.key)) asked.set(change.key, specOf(change.after));
    } else if (isEnd(change)) count(isOurs ? deleted : theirDeleted, resource);
    else if (!isOurs && !isStatusOnly(change)) count(edits, resource);
    if (isOurs) writes += 1;
    else all += 1;
  }
  const none: Counts = new Map();
  return {
    made: made ?? none,
    deleted: deleted ?? none,
    writes,
    theirs: { made: theirMade ?? none, deleted: theirDeleted ?? none, edits: edits ?? none, all, asked },
  };
}

const specOf = (object: KubeObject): unknown => (object as { readonly spec?: unknown }).spec;

const known = new WeakMap<Reference, Tally>();

export function tallyOf(reference: Reference): Tally {
  const there = known.get(reference) ?? tally(reference.changes);
  known.set(reference, there);
  return there;
}

function count(counts: Map<string, number> | undefined, resource: string): void {
  counts?.set(resource, (counts.get(resource) ?? 0) + 1);
}

function isStatusOnly({ before, after }: Change): boolean {
  return before !== undefined && deepEqual(body(before), body(after));
}

function body(object: KubeObject): unknown {
  const { status: _status, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: _version, managedFields: _fields, ...meta } = metadata ?? {};
  return { ...rest, metadata: meta };
}

/** Whether others did the same to what is declared in both runs: then the operator had the same to do. */
export function isAlike(a: Tally, b: Tally, declared: readonly string[]): boolean {
  const same = (x: Counts, y: Counts) =>
    declared.every((resource) => (x.get(resource) ?? 0) === (y.get(resource) ?? 0));
  const isAsked = [...b.theirs.asked].every(
    ([key, spec]) =>
      !declared.includes(resourceIn(key)) || !a.theirs.asked.has(key) || deepEqual(a.theirs.asked.get(key), spec),
  );
  const isDone = same(a.theirs.made, b.theirs.made) && same(a.theirs.deleted, b.theirs.deleted);
  return deepEqual([...a.theirs.edits].sort(), [...b.theirs.edits].sort()) && isDone && isAsked;
}
