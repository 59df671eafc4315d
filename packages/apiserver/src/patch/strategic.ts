// Strategic merge patch: a merge patch that knows the types. Lists of objects are merged by a key, lists of scalars united,
// and directives in the patch say where that is not wanted.

import { deepEqual } from "@telltale/kinds";
import { type Field, type FieldType, message, type Scalar } from "@telltale/kinds/core";
import { identity, isObject, type Json, type JsonObject, put } from "../json.ts";
import type { FieldValidation } from "../registry/resource.ts";
import { badRequest, invalid, raw, type StatusError } from "../status.ts";
import { goPrint } from "./go-print.ts";
import { parsed, tellDuplicates } from "./merge-patch.ts";
import { ordered } from "./order.ts";

export function decodeStrategicPatch(
  bytes: Uint8Array,
  validation: FieldValidation,
  warn: (text: string) => void,
): JsonObject {
  const { value, duplicates } = parsed(bytes, "");
  tellDuplicates(duplicates, validation, warn);
  return value;
}

/** The document with the patch applied; `messageName` names its type in the type table. */
export function applyStrategicPatch(document: JsonObject, patch: JsonObject, messageName: string): JsonObject {
  checkShape(patch, { of: "message", message: messageName }, patch);
  return mergeMap(document, patch, { of: "message", message: messageName });
}

const directive = "$patch";
const retainKeys = "$retainKeys";
const setOrder = "$setElementOrder/";
const deletePrimitives = "$deleteFromPrimitiveList/";

type Type = FieldType | undefined;

function mergeMap(live: JsonObject, patch: JsonObject, type: Type): JsonObject {
  const order = patch[directive];
  if (order === "replace") return withoutKey(patch, directive);
  if (order === "delete") return {};
  if (order !== undefined && order !== "merge")
    throw raw(`unknown patch type: ${goPrint(order)} in map: ${goPrint(patch)}`);
  const out = retained(live, patch);
  for (const [name, value] of Object.entries(patch)) {
    if (name === directive || name === retainKeys || name.startsWith(setOrder)) continue;
    if (name.startsWith(deletePrimitives)) {
      removePrimitives(out, name.slice(deletePrimitives.length), value);
      continue;
    }
    if (value === null) {
      delete out[name];
      continue;
    }
    const field = fieldOf(type, name);
    const old = Object.hasOwn(out, name) ? out[name] : undefined;
    put(out, name, mergeValue(old, value, field, patch[`${setOrder}${name}`]));
  }
  return reordered(out, live, patch, type);
}

function mergeValue(old: Json | undefined, value: Json, field: Known, order: Json | undefined): Json {
  if (isObject(value) && isObject(old)) return mergeMap(old, value, field.type);
  if (Array.isArray(value) && Array.isArray(old) && (field.mergeKey !== undefined || field.mergeList)) {
    return mergeList(old, value, field, order);
  }
  return bare(value, field);
}

/** Lists that only their order is told of, without items to merge. */
function reordered(out: JsonObject, live: JsonObject, patch: JsonObject, type: Type): JsonObject {
  for (const [name, order] of Object.entries(patch)) {
    if (!name.startsWith(setOrder) || !Array.isArray(order)) continue;
    const field = name.slice(setOrder.length);
    const list = out[field];
    if (patch[field] !== undefined || !Array.isArray(list)) continue;
    const { mergeKey } = fieldOf(type, field);
    const before = live[field];
    put(out, field, ordered(list, order, Array.isArray(before) ? before : [], mergeKey));
  }
  return out;
}

function mergeList(live: readonly Json[], patch: readonly Json[], field: Known, order: Json | undefined): Json[] {
  const key = field.mergeKey;
  if (key === undefined) {
    const known = new Set(live.map(identity));
    const merged = [...live];
    for (const item of patch) {
      const id = identity(item);
      if (!known.has(id)) merged.push(item);
      known.add(id);
    }
    return ordered(merged, Array.isArray(order) ? order : patch, live, undefined);
  }
  if ([...live, ...patch].some((item) => !isObject(item)) && patch.length > 0) {
    throw raw(`list element types are not identical: ${goPrint([[...live], [...patch]])}`);
  }
  if (Array.isArray(order)) checkOrder(patch, order, key);
  const { base, rest, replaced } = specialItems(live.filter(isObject), patch.filter(isObject), key);
  if (replaced) return rest;
  const item = field.type?.of === "list" ? field.type.item : undefined;
  const merged: JsonObject[] = [...base];
  const places = new Map(merged.map((m, i) => [identity(m[key]), i] as const).reverse()); // the first of the same key
  for (const change of rest) {
    const id = identity(change[key]);
    const at = places.get(id) ?? merged.length;
    const found = merged[at];
    merged[at] = found === undefined ? (bare(change, { type: item }) as JsonObject) : mergeMap(found, change, item);
    places.set(id, at);
  }
  return ordered(merged, Array.isArray(order) ? order : rest, live, key);
}

/** Items of the patch that delete, or that say that the list is replaced. */
function specialItems(live: readonly JsonObject[], patch: readonly JsonObject[], key: string) {
  const gone = new Set<string>();
  const rest: JsonObject[] = [];
  let replaced = false;
  for (const item of patch) {
    const order = item[directive];
    if (order === undefined) {
      if (!Object.hasOwn(item, key)) throw raw(`map: ${goPrint(item)} does not contain declared merge key: ${key}`);
      rest.push(item);
    } else if (order === "delete") {
      if (!Object.hasOwn(item, key)) throw raw(`map: ${goPrint(item)} does not contain declared merge key: ${key}`);
      gone.add(identity(item[key]));
    } else if (order === "replace") replaced = true;
    else if (order === "merge") rest.push(withoutKey(item, directive));
    else throw raw(`unknown patch type: ${goPrint(order)} in map: ${goPrint(item)}`);
  }
  const base = gone.size === 0 ? live : live.filter((b) => !gone.has(identity(b[key])));
  return { base, rest, replaced };
}

/** The items of the patch have to stand in the order list, in that order. */
function checkOrder(patch: readonly Json[], order: readonly Json[], key: string): void {
  const keyOf = (item: Json) => (isObject(item) ? item[key] : item);
  const wanted = patch.filter((item) => !(isObject(item) && item[directive] === "delete")).map(keyOf);
  let at = 0;
  for (const item of order) if (at < wanted.length && deepEqual(keyOf(item), wanted[at])) at += 1;
  if (at < wanted.length) {
    throw raw(
      `The order in patch list:\n${goPrint([...patch])}\n doesn't match $setElementOrder list:\n${goPrint([...order])}\n`,
    );
  }
}

/** Only the listed members of the live object stay. */
function retained(live: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[retainKeys];
  if (keys === undefined) return { ...live };
  if (!Array.isArray(keys)) throw badRequest("invalid patch format of retainKeys");
  const known = new Set(keys.map(String));
  for (const name of Object.keys(patch)) {
    if (!name.startsWith("$") && patch[name] !== null && !known.has(name))
      throw badRequest("invalid patch format of retainKeys");
  }
  return Object.fromEntries(Object.entries(live).filter(([name]) => known.has(name)));
}

function removePrimitives(out: JsonObject, name: string, values: Json): void {
  const list = out[name];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  const gone = new Set(values.map(identity));
  put(
    out,
    name,
    list.filter((item) => !gone.has(identity(item))),
  );
}

/** A value that meets nothing of the same kind in the live object: it is taken as it is, without its directives. */
function bare(value: Json, field: Known): Json {
  if (Array.isArray(value)) {
    const item = field.type?.of === "list" ? field.type.item : undefined;
    if (field.mergeKey !== undefined) {
      for (const entry of value) {
        if (isObject(entry) && !Object.hasOwn(entry, field.mergeKey) && entry[directive] === undefined) {
          throw raw(`map: ${goPrint(entry)} does not contain declared merge key: ${field.mergeKey}`);
        }
      }
    }
    return value
      .filter((entry) => !(isObject(entry) && entry[directive] !== undefined && entry[directive] !== "merge"))
      .map((entry) => bare(entry, { type: item }));
  }
  if (!isObject(value)) return value;
  return mergeMap({}, value[directive] === undefined ? value : withoutKey(value, directive), field.type);
}

interface Known {
  readonly type: Type;
  readonly mergeKey?: string | undefined;
  readonly mergeList?: boolean | undefined;
}

/** What the type table says about a member. */
function fieldOf(type: Type, name: string): Known {
  if (type?.of === "map") return { type: type.value };
  if (type?.of !== "message") return { type: undefined };
  const field = findField(type.message, name);
  return field === undefined
    ? { type: undefined }
    : { type: field.type, mergeKey: field.mergeKey, mergeList: field.mergeList };
}

function findField(messageName: string, name: string): Field | undefined {
  for (const field of message(messageName)?.fields ?? []) {
    if (field.inline && field.type.of === "message") {
      const inner = findField(field.type.message, name);
      if (inner !== undefined) return inner;
    } else if (field.name === name) return field;
  }
  return undefined;
}

/** 422 for a patch whose result is no object of the kind; the patch is shown. */
export function refusedPatch(patch: JsonObject, why: string): StatusError {
  return invalid("", "", "", [
    { type: "FieldValueInvalid", field: "patch", body: `Invalid value: ${JSON.stringify(goPrint(patch))}: ${why}` },
  ]);
}

/** A patch whose shape cannot be that of the type is refused before anything is merged. */
function checkShape(value: Json, type: Type, whole: JsonObject): void {
  const refuse = (why: string): never => {
    throw refusedPatch(whole, why);
  };
  if (value === null || type === undefined) return;
  if (type.of === "list" && !Array.isArray(value))
    refuse(isObject(value) ? "cannot restore slice from map" : `cannot restore slice from ${goKind(value)}`);
  if (type.of === "message" && structured(type.message) && !isObject(value))
    refuse(`cannot restore struct from: ${goKind(value)}`);
  if (type.of === "scalar" && !fits(value, type.scalar)) refuse(`unrecognized type: ${type.scalar}`);
  if (Array.isArray(value) && type.of === "list") for (const item of value) checkShape(item, type.item, whole);
  if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const { type: inner, mergeKey } = fieldOf(type, name);
      const unmergeable = mergeKey !== undefined && Array.isArray(member) && !member.every(isObject); // told by the merge itself
      if (!name.startsWith("$") && !unmergeable) checkShape(member, inner, whole);
    }
  }
}

/** Messages that are written as an object; a quantity or a time is not. */
function structured(name: string): boolean {
  const fields = message(name)?.fields ?? [];
  return (
    fields.length > 0 &&
    fields.every((f) => !f.wireOnly && f.name !== "-") &&
    !/^(resource\.Quantity|meta\.(Micro)?Time|meta\.Duration|intstr\.IntOrString|runtime\.RawExtension|meta\.FieldsV1)$/.test(
      name,
    )
  );
}

function fits(value: Json, scalar: Scalar): boolean {
  if (scalar === "bytes") return true; // base64 is looked at where it is decoded
  if (scalar === "string") return typeof value === "string";
  if (scalar === "bool") return typeof value === "boolean";
  return typeof value === "number" || typeof value === "bigint";
}

const goKind = (value: Json): string =>
  typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : Array.isArray(value) ? "slice" : "int64";

function withoutKey(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = object;
  return rest;
}
