// A value seen through its schema: which fields it has, and what is left when some are taken away.
import { isObject, type Json, type JsonObject, member, put } from "../json.ts";
import { Collector, FieldSet, fieldStep, keyStep, type Path, type Step, valueStep } from "./fieldset.ts";
import { deducedSchema, type ListSchema, type MapSchema, type ScalarSchema, type TypedSchema } from "./schema.ts";

export type Atom = ScalarSchema | ListSchema | MapSchema;

const deducedMap: MapSchema = {
  of: "map",
  atomic: false,
  value: () => deducedSchema,
  fields: () => none,
  zero: () => ({}),
};
const deducedWhole: MapSchema = { ...deducedMap, atomic: true };
const none: ReadonlyMap<string, TypedSchema> = new Map();
const deducedList: ListSchema = { of: "list", merge: "atomic", item: () => deducedSchema };
const deducedScalar: ScalarSchema = { of: "scalar", scalar: "untyped" };

/** What the schema says about this value; a deduced one takes the form of the value. */
export function atomOf(schema: TypedSchema, value: Json | undefined): Atom {
  if (schema.of !== "deduced") return schema;
  if (value === undefined || value === null || isObject(value)) return schema.atomic ? deducedWhole : deducedMap;
  return Array.isArray(value) ? deducedList : deducedScalar;
}

/** The schema of a member; undefined when it is not declared. */
export function memberSchema(map: MapSchema, name: string): TypedSchema | undefined {
  return map.fields().get(name) ?? map.value?.();
}

/** What tells an item of a set or list-map from the others; undefined when it cannot be told. */
export function itemStep(list: ListSchema, item: Json): Step | undefined {
  if (list.merge === "set") {
    return item === null || typeof item === "object" ? undefined : valueStep(item);
  }
  if (list.merge !== "map" || !isObject(item)) return undefined;
  const key: JsonObject = {};
  for (const name of list.keys) {
    const value = member(item, name) ?? member(list.keyDefaults(), name);
    if (Object.hasOwn(item, name)) put(key, name, item[name] ?? null);
    else if (value !== undefined) put(key, name, value);
  }
  return keyStep(key);
}

/** The fields that a value has: what its applier comes to own. */
export function toFieldSet(value: Json, schema: TypedSchema): FieldSet {
  const found = new Collector();
  collect(value, schema, [], found);
  return found.set();
}

function collect(value: Json, schema: TypedSchema, path: Path, found: Collector): void {
  const atom = atomOf(schema, value);
  if (atom.of === "scalar") {
    found.insert(path);
  } else if (atom.of === "list") {
    if (atom.merge === "atomic") found.insert(path);
    else if (Array.isArray(value)) collectItems(value, atom, path, found);
  } else if (atom.atomic) {
    found.insert(path);
  } else if (isObject(value)) {
    collectMembers(value, atom, path, found);
  }
}

function collectItems(items: readonly Json[], list: ListSchema, path: Path, found: Collector): void {
  for (const [step, same] of grouped(items, list)) {
    const below = [...path, step];
    found.insert(below);
    const [only] = same;
    if (same.length === 1 && only !== undefined) collect(only, list.item(), below, found);
  }
}

function collectMembers(value: JsonObject, map: MapSchema, path: Path, found: Collector): void {
  for (const name of Object.keys(value)) {
    const inner = value[name];
    if (inner === undefined) continue;
    const below = [...path, fieldStep(name)];
    const hollow = inner === null || (isObject(inner) && Object.keys(inner).length === 0);
    if (hollow || !map.fields().has(name)) found.insert(below);
    const schema = memberSchema(map, name);
    if (schema !== undefined) collect(inner, schema, below, found);
  }
}

/** Items by what tells them apart, in the order of their first appearance. */
export function grouped(items: readonly Json[], list: ListSchema): Map<Step, Json[]> {
  const groups = new Map<Step, Json[]>();
  for (const item of items) {
    const step = itemStep(list, item);
    if (step === undefined) continue;
    const same = groups.get(step);
    if (same === undefined) groups.set(step, [item]);
    else same.push(item);
  }
  return groups;
}

/** The value without the fields in the set. A container that loses everything becomes null, as on the real server. */
export function removeItems(value: Json, set: FieldSet, schema: TypedSchema): Json {
  const atom = atomOf(schema, value);
  if (atom.of === "list" && Array.isArray(value)) return orNull(withoutItems(value, set, atom));
  if (atom.of === "map" && isObject(value)) return orNull(withoutMembers(value, set, atom));
  return value;
}

const orNull = (container: Json[] | JsonObject): Json => (Object.keys(container).length === 0 ? null : container);

function withoutItems(items: readonly Json[], set: FieldSet, list: ListSchema): Json[] {
  const kept: Json[] = [];
  for (const item of items) {
    const step = itemStep(list, item);
    const below = step === undefined ? FieldSet.empty : set.child(step);
    if (below.own) continue;
    kept.push(below.isEmpty ? item : removeItems(item, below, list.item()));
  }
  return kept;
}

function withoutMembers(value: JsonObject, set: FieldSet, map: MapSchema): JsonObject {
  const kept: JsonObject = {};
  for (const name of Object.keys(value)) {
    const inner = value[name];
    const below = set.child(fieldStep(name));
    if (inner === undefined || below.own) continue;
    put(kept, name, below.isEmpty ? inner : removeItems(inner, below, memberSchema(map, name) ?? deducedSchema));
  }
  return kept;
}

/** The set with every declared field on the way to a member a member itself: a struct field is there when something in it is. */
export function withNamedFields(set: FieldSet, schema: TypedSchema): FieldSet {
  return set.each(set.own, (child, step) => {
    const below = withNamedFields(child, schemaBelow(schema, step));
    return child.children.size > 0 && isDeclared(schema, step) ? FieldSet.node(true, below.children) : below;
  });
}

const isDeclared = (schema: TypedSchema, step: Step): boolean =>
  schema.of === "map" && step.startsWith("f:") && schema.fields().has(step.slice(2));

function schemaBelow(schema: TypedSchema, step: Step): TypedSchema {
  if (schema.of === "list") return schema.item();
  if (schema.of === "map" && step.startsWith("f:")) return memberSchema(schema, step.slice(2)) ?? deducedSchema;
  return deducedSchema;
}

/**
 * A set as it is under the present schema: what has become atomic since is owned as a whole.
 * What has become granular stays owned at its root only.
 */
export function reconciled(set: FieldSet, schema: TypedSchema): FieldSet {
  if (schema.of === "deduced" || schema.of === "scalar" || set.children.size === 0) return set;
  const atomic = schema.of === "list" ? schema.merge === "atomic" : schema.atomic;
  if (atomic) return FieldSet.node(true, []);
  return set.each(set.own, (child, step) => reconciled(child, schemaBelow(schema, step)));
}
