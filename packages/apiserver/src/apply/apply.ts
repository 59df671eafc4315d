// Server-side apply, and who owns what after any other write. Pure: defaulting, validation, admission and storage are the server's.
import { deepEqual } from "@telltale/kinds";
import { at, isDeeper, type Json, type JsonObject, text } from "../json.ts";
import { badRequest, conflict, type GroupResource, raw, StatusError } from "../status.ts";
import { type Conflict, conflictError } from "./conflict.ts";
import { FieldSet } from "./fieldset.ts";
import { allowedByLastApplied, withLastApplied } from "./last-applied.ts";
import {
  capped,
  decodeManagers,
  identity,
  isReset,
  type Manager,
  type Managers,
  managersOf,
  withManagers,
  withoutManagers,
} from "./managers.ts";
import { merge } from "./merge.ts";
import { pruned, settle, underPresentSchema, unowned, type Versions } from "./ownership.ts";
import { problemText, validateTyped } from "./validate.ts";
import { toFieldSet } from "./value.ts";

export { revertTimestamps } from "./managers.ts";
export { scaleToParent, toScale } from "./scale.ts";

/** Who writes, through which door, when. */
export interface Writer extends Versions {
  readonly manager: string;
  readonly subresource: string;
  /** Fields that this door ignores: they are neither owned nor in conflict. */
  readonly reset: FieldSet;
  readonly now: string;
}

export interface Apply extends Writer {
  /** In the request's version; undefined when the apply creates the object. */
  readonly live: JsonObject | undefined;
  readonly config: JsonObject;
  readonly force: boolean;
  readonly resource: GroupResource & { readonly kind: string };
}

/** The live object with the configuration applied, not yet defaulted. Refuses with a StatusError. */
export function applyConfig(o: Apply): JsonObject {
  checkConfig(o);
  const config = withoutManagers(o.config);
  const live = withoutManagers(o.live ?? { apiVersion: o.apiVersion, kind: o.resource.kind });
  const before = o.live === undefined ? new Map<string, Manager>() : trackedManagers(o, o.live);
  const applied = applyAs(o, live, config, before);
  const managers = capped(stripped(applied.managers, applied.id));
  const object = o.manager === "kubectl" ? withLastApplied(applied.object, live, config) : applied.object;
  return withManagers(object, managers);
}

function checkConfig(o: Apply): void {
  if (tooDeep(o.config)) throw badRequest("exceeded max depth");
  const [apiVersion, kind] = [text(o.config["apiVersion"]), text(o.config["kind"])];
  if (apiVersion !== o.apiVersion || kind !== o.resource.kind)
    throw badRequest(`invalid object type: ${shownType(apiVersion, kind)}`);
  const entries = at(o.config, "metadata", "managedFields");
  if (entries !== undefined && entries !== null) throw badRequest("metadata.managedFields must be nil");
  const uid = text(at(o.config, "metadata", "uid"));
  if (o.live === undefined && uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(o.resource, text(at(o.config, "metadata", "name")), why);
  }
  const problems = validateTyped(o.config, o.schema);
  if (problems.length > 0)
    throw raw(`failed to create typed patch object ${shownObject(o.config)}: ${problemText(problems)}`);
}

/** The managers of the live object. All that an untracked object holds is taken to be there from before the first apply. */
function trackedManagers(o: Apply, live: JsonObject): Managers {
  const object = withoutManagers(live);
  const problems = validateTyped(object, o.schema, "allowed");
  if (problems.length > 0)
    throw raw(`failed to create typed live object ${shownObject(live)}: ${problemText(problems)}`);
  const managers = underPresentSchema(o, managersOf(live));
  if (managers.size > 0) return managers;
  return updated({ ...o, manager: "before-first-apply" }, managers, emptyObject(o, object), object);
}

interface Applied {
  readonly object: JsonObject;
  readonly managers: Managers;
  readonly id: string;
}

function applyAs(o: Apply, live: JsonObject, config: JsonObject, before: Managers): Applied {
  const owner = { name: o.manager, operation: "Apply", apiVersion: o.apiVersion, subresource: o.subresource } as const;
  const id = identity(owner);
  const last = before.get(id);
  const set = toFieldSet(config, o.schema).recursiveDifference(o.reset);
  const managers = new Map(before).set(id, { ...owner, set, time: last?.time });
  const object = pruned(o, merge(live, config, o.schema) as JsonObject, managers, last);
  const settled = settle(o, managers, id, live, object, o.reset);
  refuseConflicts(o, live, settled.conflicts);
  const after = new Map(settled.managers);
  // Only a change of the object gives the entry a new time.
  if (!deepEqual(live, object)) after.set(id, { ...owner, set, time: o.now });
  return { object, managers: after, id };
}

function refuseConflicts(o: Apply, live: JsonObject, conflicts: readonly Conflict[]): void {
  if (o.force || conflicts.length === 0) return;
  if (o.manager !== "kubectl") throw conflictError(conflicts);
  const allowed = allowedByLastApplied(live, o.schema);
  const left = conflicts
    .map(({ manager, fields }) => ({ manager, fields: fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
  if (left.length > 0) throw conflictError(left);
}

export interface Update extends Writer {
  readonly live: JsonObject | undefined;
  readonly next: JsonObject;
  readonly create: boolean;
  readonly builtin: boolean;
}

/** The next object with its managedFields after a create, update or patch. Never fails: what cannot be tracked is not tracked. */
export function trackUpdate(o: Update): JsonObject {
  try {
    if (tooDeep(o.next)) return withoutManagers(o.next);
    return withManagers(o.next, managersAfter(o));
  } catch (error) {
    if (error instanceof StatusError) return withoutManagers(o.next);
    throw error;
  }
}

function managersAfter(o: Update): Managers {
  const next = withoutManagers(o.next);
  if (o.create || o.live === undefined) return updated(o, new Map(), emptyObject(o, next), next);
  const before = managersBefore(o, o.live);
  if (before.size === 0) return before; // not tracked, or not any more
  const live = withoutManagers(o.live);
  // What is not of its type cannot be tracked, and what was known is forgotten [S02].
  const typed = [next, live].every((object) => validateTyped(object, o.schema, "allowed").length === 0);
  return typed ? updated(o, underPresentSchema(o, before), live, next) : new Map();
}

/** From the request if it says something sensible, else from the live object: clients drop what they do not know. */
function managersBefore(o: Update, live: JsonObject): Managers {
  if (o.subresource !== "") return managersOf(live);
  const entries = at(o.next, "metadata", "managedFields");
  if (isReset(entries, o.builtin)) return new Map();
  const sent = decodeManagers(entries);
  return sent === undefined || sent.size === 0 ? managersOf(live) : sent;
}

/** The writer owns what it changed, on top of what it owned. */
function updated(w: Writer, before: Managers, live: JsonObject, next: JsonObject): Managers {
  const owner = { name: w.manager, operation: "Update", apiVersion: w.apiVersion, subresource: w.subresource } as const;
  const id = identity(owner);
  const { managers, comparison } = settle(w, before, "", live, next, w.reset);
  const taken = comparison.modified.union(comparison.added).difference(unowned);
  if (taken.isEmpty) return capped(managers);
  const set = taken.union(managers.get(id)?.set ?? FieldSet.empty);
  return capped(new Map(managers).set(id, { ...owner, set, time: w.now }));
}

function stripped(managers: Managers, id: string): Managers {
  const mine = managers.get(id);
  if (mine === undefined) return managers;
  const set = mine.set.difference(unowned);
  const out = new Map(managers);
  if (set.isEmpty) out.delete(id);
  else out.set(id, { ...mine, set });
  return out;
}

/** What a new object starts from: what the server's own type holds anyway belongs to nobody. */
function emptyObject(v: Versions, object: JsonObject): JsonObject {
  const zero = v.schema.of === "map" ? v.schema.zero() : {};
  return { ...zero, apiVersion: object["apiVersion"] ?? "", kind: object["kind"] ?? "" };
}

/** `ns/name; group/version, Kind=Kind` in brackets. */
const shownObject = (object: JsonObject): string =>
  `(${text(at(object, "metadata", "namespace"))}/${text(at(object, "metadata", "name"))}; ${shownType(text(object["apiVersion"]), text(object["kind"]))})`;

const shownType = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;

/** Beyond this the walks over values could run out of stack. No real object comes near. */
const deepest = 1_000;

const tooDeep = (value: Json): boolean => isDeeper(value, deepest);
