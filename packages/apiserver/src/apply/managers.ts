// metadata.managedFields: the entries of an object as managers with their sets of fields, and back.
import { deepEqual, parseTime } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, member, text } from "../json.ts";
import { FieldSet } from "./fieldset.ts";

export type Operation = "Apply" | "Update";

/** Who owns fields, through which door, in which version. */
export interface Manager {
  readonly name: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** Managers by identity. */
export type Managers = ReadonlyMap<string, Manager>;

/** An applier is the same one in every version, an updater is not. */
export function identity(m: Omit<Manager, "set" | "time">): string {
  return JSON.stringify([m.name, m.operation, m.operation === "Apply" ? "" : m.apiVersion, m.subresource]);
}

/** The managers of an object's entries; undefined when one of them makes no sense. */
export function decodeManagers(entries: Json | undefined): Managers | undefined {
  const found = new Map<string, Manager>();
  if (entries === undefined || entries === null) return found;
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries) {
    const manager = decodeEntry(entry);
    if (manager === undefined) return undefined;
    found.set(identity(manager), manager);
  }
  return found;
}

function decodeEntry(entry: Json): Manager | undefined {
  const operation = member(entry, "operation");
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (member(entry, "fieldsType") !== "FieldsV1") return undefined;
  const fields = member(entry, "fieldsV1");
  const set = fields === undefined || fields === null ? FieldSet.empty : FieldSet.parse(fields);
  if (set === undefined) return undefined;
  return {
    name: text(member(entry, "manager")),
    operation,
    apiVersion: text(member(entry, "apiVersion")),
    subresource: text(member(entry, "subresource")),
    time: text(member(entry, "time")) || undefined,
    set,
  };
}

export const managersOf = (object: JsonObject | undefined): Managers =>
  decodeManagers(at(object, "metadata", "managedFields")) ?? new Map();

/** Whether a request asks to forget who owns what. */
export function isReset(entries: Json | undefined, builtin: boolean): boolean {
  if (!Array.isArray(entries)) return false;
  const [only] = entries;
  if (only === undefined) return builtin; // an empty list of a custom resource counts as left out
  return entries.length === 1 && isObject(only) && Object.keys(only).length === 0;
}

/** The object with these managers as its entries. */
export function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const { managedFields: _, ...rest } = metadataOf(object);
  const entries = encodeManagers(managers.values());
  if (entries.length === 0 && !isObject(object["metadata"])) return object;
  return { ...object, metadata: entries.length === 0 ? rest : { ...rest, managedFields: entries } };
}

export function withoutManagers(object: JsonObject): JsonObject {
  if (at(object, "metadata", "managedFields") === undefined) return object;
  const { managedFields: _, ...rest } = metadataOf(object);
  return { ...object, metadata: rest };
}

const metadataOf = (object: JsonObject): JsonObject => {
  const metadata = object["metadata"];
  return isObject(metadata) ? metadata : {};
};

/** Entries in their order: appliers first, the oldest first. */
export function encodeManagers(managers: Iterable<Manager>): JsonObject[] {
  return [...managers].sort(byAge).map(encodeEntry);
}

function encodeEntry(m: Manager): JsonObject {
  return {
    manager: m.name,
    operation: m.operation,
    apiVersion: m.apiVersion,
    ...(m.time === undefined ? {} : { time: m.time }),
    fieldsType: "FieldsV1",
    fieldsV1: m.set.toJson(),
    ...(m.subresource === "" ? {} : { subresource: m.subresource }),
  };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function byAge(a: Manager, b: Manager): number {
  return (
    order(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    order(a.name, b.name) ||
    order(a.apiVersion, b.apiVersion) ||
    order(a.subresource, b.subresource)
  );
}

function secondsOf(m: Manager): number {
  return m.time === undefined ? 0 : Math.floor((parseTime(m.time) ?? 0) / 1000);
}

const mostUpdaters = 10;

/** With too many updaters the oldest are put together under one name, version by version. */
export function capped(managers: Managers): Managers {
  const updaters = [...managers].filter(([, m]) => m.operation === "Update");
  let count = updaters.length;
  if (count <= mostUpdaters) return managers;
  updaters.sort(([, a], [, b]) => byAge(a, b));
  const out = new Map(managers);
  const firsts = new Map<string, readonly [string, Manager]>();
  for (const [id, m] of updaters) {
    if (count <= mostUpdaters) break;
    const first = firsts.get(m.apiVersion);
    if (first === undefined) {
      firsts.set(m.apiVersion, [id, m]);
      continue;
    }
    const name = { name: "ancient-changes", operation: "Update", apiVersion: m.apiVersion, subresource: "" } as const;
    const bucket = identity(name);
    const held = out.get(bucket) ?? first[1];
    if (!out.has(bucket)) out.delete(first[0]);
    out.delete(id);
    out.set(bucket, { ...name, time: m.time, set: held.set.union(m.set) });
    count -= 1;
  }
  return out;
}

/**
 * A write that changes nothing but times changes nothing: the next object with the old times when that is all that differs,
 * so that applying the same thing again is no write.
 */
export function revertTimestamps(old: JsonObject, next: JsonObject): JsonObject {
  const before = at(old, "metadata", "managedFields");
  const after = at(next, "metadata", "managedFields");
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return next;
  if (deepEqual(before, after)) return next;
  const untimed = (entries: readonly Json[]): Json[] =>
    entries.map((entry) => {
      if (!isObject(entry)) return entry;
      const { time: _, ...rest } = entry;
      return rest;
    });
  if (!deepEqual(untimed(before), untimed(after)) || !deepEqual(withoutManagers(old), withoutManagers(next)))
    return next;
  return { ...next, metadata: { ...metadataOf(next), managedFields: before } };
}
