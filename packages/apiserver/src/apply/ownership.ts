// Who owns what after a change: the rules that applies and updates share.
import type { JsonObject } from "../json.ts";
import { raw } from "../status.ts";
import { type Comparison, compare } from "./compare.ts";
import type { Conflict } from "./conflict.ts";
import { FieldSet, fieldSetOf } from "./fieldset.ts";
import { identity, type Manager, type Managers } from "./managers.ts";
import type { TypedSchema } from "./schema.ts";
import { problemText, validateTyped } from "./validate.ts";
import { reconciled, removeItems, toFieldSet, withNamedFields } from "./value.ts";

/** An object in one of its versions, with the schema of that version. */
export interface Typed {
  readonly object: JsonObject;
  readonly schema: TypedSchema;
}

/** The versions of a kind, seen from the one that a request is in. */
export interface Versions {
  readonly apiVersion: string;
  readonly schema: TypedSchema;
  /** The object in another version; undefined when there is no such version (any more). */
  readonly convert?: ((object: JsonObject, apiVersion: string) => JsonObject | undefined) | undefined;
  readonly schemaOf?: ((apiVersion: string) => TypedSchema | undefined) | undefined;
}

/** Without the means to convert, all versions are taken to be alike. Refuses what is not of its type there. */
function converted(v: Versions, object: JsonObject, from: string, to: string, what: string): Typed | undefined {
  const schema = schemaIn(v, to);
  if (schema === undefined) return undefined;
  if (from === to || v.convert === undefined) return { object, schema };
  const there = v.convert(object, to);
  if (there === undefined) return undefined;
  const problems = validateTyped(there, schema, "allowed");
  if (problems.length > 0) throw raw(`failed to convert ${what}: ${problemText(problems)}`);
  return { object: there, schema };
}

const schemaIn = (v: Versions, apiVersion: string): TypedSchema | undefined =>
  apiVersion === v.apiVersion || v.schemaOf === undefined ? v.schema : v.schemaOf(apiVersion);

export interface Settled {
  readonly managers: Managers;
  readonly comparison: Comparison;
  /** What others own and the change touches. */
  readonly conflicts: readonly Conflict[];
}

/** Everybody but `self` loses what the change touches or removes; managers of versions that are gone, and empty ones, go. */
export function settle(
  v: Versions,
  managers: Managers,
  self: string,
  old: JsonObject,
  next: JsonObject,
  reset: FieldSet,
): Settled {
  const comparisons = new Map<string, Comparison | undefined>();
  const inside = (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion)) comparisons.set(apiVersion, comparedIn(v, old, next, reset, apiVersion));
    return comparisons.get(apiVersion);
  };
  const left = new Map<string, Manager>();
  const conflicts: Conflict[] = [];
  for (const [id, manager] of managers) {
    if (id === self) {
      left.set(id, manager);
      continue;
    }
    const change = inside(manager.apiVersion);
    if (change === undefined) continue;
    const taken = manager.set.intersection(change.modified.union(change.added));
    if (!taken.isEmpty) conflicts.push({ manager, fields: taken });
    const set = manager.set.difference(taken).difference(change.removed);
    if (!set.isEmpty) left.set(id, { ...manager, set });
  }
  const comparison = inside(v.apiVersion) ?? {
    added: FieldSet.empty,
    modified: FieldSet.empty,
    removed: FieldSet.empty,
  };
  return { managers: left, comparison, conflicts };
}

function comparedIn(
  v: Versions,
  old: JsonObject,
  next: JsonObject,
  reset: FieldSet,
  apiVersion: string,
): Comparison | undefined {
  const before = converted(v, old, v.apiVersion, apiVersion, "old object");
  const after = converted(v, next, v.apiVersion, apiVersion, "new object");
  if (before === undefined || after === undefined) return undefined;
  const { added, modified, removed } = compare(before.object, after.object, after.schema);
  return {
    added: added.recursiveDifference(reset),
    modified: modified.recursiveDifference(reset),
    removed: removed.recursiveDifference(reset),
  };
}

/** The managers' sets as they are under the schemas of today. */
export function underPresentSchema(v: Versions, managers: Managers): Managers {
  const out = new Map<string, Manager>();
  for (const [id, m] of managers) {
    const schema = schemaIn(v, m.apiVersion);
    out.set(id, schema === undefined ? m : { ...m, set: reconciled(m.set, schema) });
  }
  return out;
}

/**
 * The merged object without what the applier owned before and nobody owns now. `managers` hold the applier's new set already,
 * `last` is the one before.
 */
export function pruned(v: Versions, merged: JsonObject, managers: Managers, last: Manager | undefined): JsonObject {
  if (last === undefined || last.set.isEmpty) return merged;
  const now = managers.get(identity(last));
  if (now?.apiVersion === last.apiVersion && now.set.includes(last.set)) return merged;
  const whole = converted(v, merged, v.apiVersion, last.apiVersion, "merged object to last applied version");
  if (whole === undefined) return merged;
  const gone = withNamedFields(last.set, whole.schema);
  let rest = without(whole, gone);
  rest = withOwned(v, whole, rest, last.apiVersion, managers);
  // What was never the applier's stays, even when what it stood in went.
  const lost = fieldsOf(whole)
    .difference(fieldsOf({ ...whole, object: rest }))
    .intersection(gone);
  rest = without(whole, lost);
  return converted(v, rest, last.apiVersion, v.apiVersion, "pruned object")?.object ?? merged;
}

const fieldsOf = (t: Typed): FieldSet => withNamedFields(toFieldSet(t.object, t.schema), t.schema);

function without(t: Typed, set: FieldSet): JsonObject {
  const rest = removeItems(t.object, set, t.schema);
  return rest === null ? {} : (rest as JsonObject);
}

/** Puts back what somebody owns: in the version of `whole` first, conversions may need those fields. */
function withOwned(v: Versions, whole: Typed, rest: JsonObject, version: string, managers: Managers): JsonObject {
  const owned = new Map<string, FieldSet>();
  for (const m of managers.values()) owned.set(m.apiVersion, (owned.get(m.apiVersion) ?? FieldSet.empty).union(m.set));
  let kept = rest;
  for (const apiVersion of [version, ...[...owned.keys()].filter((other) => other !== version)]) {
    const set = owned.get(apiVersion);
    if (set === undefined) continue;
    const there = converted(v, whole.object, version, apiVersion, "merged object");
    const keptThere = converted(v, kept, version, apiVersion, "pruned object");
    if (there === undefined || keptThere === undefined) continue;
    const stays = fieldsOf(keptThere).union(withNamedFields(set, there.schema));
    const back = without(there, fieldsOf(there).difference(stays));
    kept = converted(v, back, apiVersion, version, "pruned object")?.object ?? kept;
  }
  return kept;
}

/** Fields that every write sets and nobody is to own. */
export const unowned: FieldSet = fieldSetOf(
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["metadata", name]),
);
