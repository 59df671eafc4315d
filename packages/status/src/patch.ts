// From a finished draft to a request: a JSON Patch with guards on exactly what the draft depended on, or an apply document
// with everything that we own. Nothing is made when nothing changed (rules 16, 64).
import { declarationOf, deepEqual, type Kind, type KubeObject } from "@telltale/kinds";
import type { Finished } from "./draft.ts";
import { itemEdits } from "./list-patch.ts";
import { isRecord, type Loose } from "./path.ts";

export type PatchOperation =
  | { readonly op: "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

const observed = "observedGeneration";

type Read = KubeObject & { readonly status?: unknown };

/**
 * The difference to the status that was read, as one JSON Patch for `/status`. It first tests the object's uid (rule 68), that it is
 * on its way out where it was, the generation that was last observed (so that a late write brings back no older one, rule 27), every
 * list or item that it replaces (so that a foreign condition is never lost, rule 60) and every stored value that the kind declares
 * as memory (so that a stale draft undoes no latch). A failed test answers 422, and the draft is derived anew.
 */
export function jsonPatch(kind: Kind, read: Read, finished: Pick<Finished, "status" | "changed">): PatchOperation[] {
  if (!finished.changed) return [];
  const before = isRecord(read.status) ? read.status : undefined;
  const tests = new Map<string, unknown>();
  const changes: PatchOperation[] = [];
  const { uid, deletionTimestamp } = read.metadata ?? {};
  if (uid !== undefined) tests.set("/metadata/uid", uid);
  // What is said on the way out is not for one that is not: its deletion may be gone with a server that was put back.
  if (deletionTimestamp !== undefined) tests.set("/metadata/deletionTimestamp", deletionTimestamp);
  if (before === undefined) {
    // On the real server a member that is not there equals null.
    tests.set("/status", null);
    changes.push({ op: "add", path: "/status", value: finished.status });
  } else {
    for (const path of [observed, ...kind.memory]) remember(before, path, tests);
    difference("/status", before, finished.status as Loose, tests, changes);
  }
  return [...[...tests].map(([path, value]): PatchOperation => ({ op: "test", path, value })), ...changes];
}

function difference(
  at: string,
  before: Loose,
  after: Loose,
  tests: Map<string, unknown>,
  changes: PatchOperation[],
): void {
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(after, name) && after[name] !== undefined) continue;
    const path = `${at}/${pointerStep(name)}`;
    if (Array.isArray(before[name])) tests.set(path, before[name]);
    changes.push({ op: "remove", path });
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const path = `${at}/${pointerStep(name)}`;
    const old = before[name];
    if (!Object.hasOwn(before, name)) {
      if (Array.isArray(value)) tests.set(path, null);
      changes.push({ op: "add", path, value });
    } else if (value !== old && !deepEqual(old, value)) {
      if (isRecord(old) && isRecord(value)) difference(path, old, value, tests, changes);
      else if (!replaceItems(path, old, value, tests, changes)) {
        if (Array.isArray(old)) tests.set(path, old);
        changes.push({ op: "replace", path, value });
      }
    }
  }
}

/** Whether a list could be changed item by item. Conditions never are: others have theirs among them. */
function replaceItems(
  path: string,
  before: unknown,
  after: unknown,
  tests: Map<string, unknown>,
  changes: PatchOperation[],
): boolean {
  const isLists = Array.isArray(before) && Array.isArray(after) && path !== "/status/conditions";
  const edits = isLists ? itemEdits(before, after) : undefined;
  if (edits === undefined) return false;
  if (!tests.has(path)) for (const [at, value] of edits.tests) tests.set(`${path}/${at}`, value);
  for (const { at, ...change } of edits.changes) changes.push({ ...change, path: `${path}/${at}` });
  return true;
}

/** Tests the stored value of one memory path; where a parent is missing, that the parent is missing. */
function remember(status: Loose, path: string, tests: Map<string, unknown>): void {
  const names = path.startsWith("conditions.") ? ["conditions"] : path.split(".");
  let at: unknown = status;
  let pointer = "/status";
  for (const [i, name] of names.entries()) {
    pointer += `/${pointerStep(name)}`;
    at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    if (at === undefined || i === names.length - 1) {
      tests.set(pointer, at ?? null);
      return;
    }
  }
}

/** One step of a JSON Pointer. */
function pointerStep(name: string): string {
  return name.includes("~") || name.includes("/") ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name;
}

/**
 * The apply document: the complete set of fields that we own, since one that is left out is deleted (rule 66), with the
 * resourceVersion that the draft was computed from. Undefined when it would change nothing: an apply does not put a list back
 * into order that others have mixed up. `owned` names the top-level status fields of this writer; conditions of others are
 * no part of it (rule 60), unless the list can only be replaced as a whole: then they are in it as they were read.
 */
export function applyDocument(
  kind: Kind,
  read: Read,
  finished: Pick<Finished, "status" | "changed">,
  owned?: readonly string[],
): (KubeObject & { readonly status: Loose }) | undefined {
  if (!finished.changed) return undefined;
  const kept = ownedOf(kind, finished.status as Loose, owned);
  const before = ownedOf(kind, isRecord(read.status) ? read.status : {}, owned);
  if (!isAtomicIn(kind) && deepEqual(unordered(before), unordered(kept))) return undefined;
  const { name, namespace, resourceVersion, uid } = read.metadata ?? {};
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(uid === undefined ? {} : { uid }),
    },
    status: kept,
  };
}

const isAtomicIn = (kind: Kind): boolean => kind.conditions.shape === "capiV1beta1";

/** The fields of a status that a writer owns. */
function ownedOf(kind: Kind, status: Loose, owned: readonly string[] | undefined): Loose {
  const kept: Loose = {};
  const isAtomic = isAtomicIn(kind);
  for (const [name, value] of Object.entries(status)) {
    if (value === undefined || (owned !== undefined && !owned.includes(name))) continue;
    const isShared = name === "conditions" && Array.isArray(value) && !isAtomic;
    kept[name] = isShared ? value.filter((c) => isOurs(kind, c)) : value;
  }
  return kept;
}

/** Conditions by their type. */
function unordered({ conditions, ...rest }: Loose): Loose {
  if (!Array.isArray(conditions)) return { ...rest, conditions };
  const sorted = [...conditions].sort((a, b) => (String(a?.type) < String(b?.type) ? -1 : 1));
  return { ...rest, conditions: sorted };
}

function isOurs(kind: Kind, condition: unknown): boolean {
  if (!isRecord(condition) || typeof condition["type"] !== "string") return false;
  return declarationOf(kind.conditions, condition["type"]) !== undefined;
}
