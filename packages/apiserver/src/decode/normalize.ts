// What Go would write for an object of a built-in kind: empty things left out, and what is always written put in.
import type { FieldType } from "@telltale/kinds/core";
import { isObject, type Json, type JsonObject, put, rememberLevels } from "../json.ts";
import { fieldsOf, formOf, type JsonField } from "./fields.ts";

/** What was stored as protobuf does not know an empty list from none; what a client has just given does, and so do its managers. */
export type EmptyLists = "as stored" | "as given";

export function normalize(object: JsonObject, messageName: string, lists: EmptyLists = "as stored"): JsonObject {
  if (isNormal(object, messageName)) return object;
  const out: JsonObject = {};
  let isPlain = true;
  for (const name of ["kind", "apiVersion"]) {
    const value = object[name];
    if (typeof value === "string" && value !== "" && !fieldsOf(messageName).has(name)) out[name] = value;
  }
  for (const [name, known] of fieldsOf(messageName)) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    const written = writtenField(value ?? null, known, lists);
    if (written === undefined) continue;
    put(out, name, written);
    isPlain &&= isPlainValue(written, known.field.type);
  }
  if (isPlain) normal.set(out, messageName);
  return out;
}

/**
 * What came out of here, and what it was read as. Most of an object is the same after a write as before it, and neither reading nor
 * writing it makes anything else of it.
 */
const normal = new WeakMap<object, string>();

export const isNormal = (object: JsonObject, messageName: string): boolean => normal.get(object) === messageName;

/** Whether it would be read and written as it is, down to the bottom. */
function isPlainValue(value: Json, type: FieldType): boolean {
  if (value === null) return false;
  // An empty list is as it was given, and not as it is stored.
  if (type.of === "list")
    return Array.isArray(value) && value.length > 0 && value.every((item) => isPlainValue(item, type.item));
  if (type.of === "map")
    return isObject(value) && (isNormalMap(value) || Object.values(value).every((it) => isPlainValue(it, type.value)));
  if (type.of !== "message") return true;
  return isObject(value) ? isNormal(value, type.message) : formOf(type.message) !== "struct";
}

/** The fields of structs that Go leaves out when they are zero, though a struct is never empty to its encoder. */
const leftOutWhenZero: ReadonlySet<string> = new Set(["meta.ObjectMeta.creationTimestamp"]);

/** Pointers that Go writes as null. */
const nullWhenAbsent: ReadonlySet<string> = new Set(["authentication.TokenRequestSpec.boundObjectRef"]);

function writtenField(value: Json, { field, of }: JsonField, lists: EmptyLists): Json | undefined {
  const { type } = field;
  if (type.of === "message") {
    if (value === null) {
      if (nullWhenAbsent.has(`${of}.${field.name}`)) return null;
      if (field.pointer || leftOutWhenZero.has(`${of}.${field.name}`)) return undefined;
      return absent(type.message);
    }
    return writtenValue(value, type, lists);
  }
  if (value === null) {
    if (!field.always || field.pointer) return undefined;
    return type.of === "scalar" ? zeroScalar(type.scalar) : null;
  }
  if (!field.always && !field.pointer && isEmpty(value)) return undefined;
  const emptied = field.always && Array.isArray(value) && value.length === 0 && lists === "as stored";
  if (emptied && !of.startsWith("apiextensions.")) return null; // CRDs are stored as JSON
  return writtenValue(value, type, lists);
}

function writtenValue(value: Json, type: FieldType, lists: EmptyLists): Json {
  if (type.of === "list" && Array.isArray(value)) return value.map((item) => writtenValue(item, type.item, lists));
  if (type.of === "map" && isObject(value)) return isNormalMap(value) ? value : writtenMap(value, type.value, lists);
  if (type.of === "message" && isObject(value) && formOf(type.message) === "struct")
    return normalize(value, type.message, lists);
  if (type.of === "message" && formOf(type.message).startsWith("or-")) {
    if (isObject(value)) return normalize(value, schema);
    if (Array.isArray(value)) return value.map((item) => (isObject(item) ? normalize(item, schema) : item));
  }
  return value;
}

function writtenMap(value: JsonObject, type: FieldType, lists: EmptyLists): JsonObject {
  const keys = Object.keys(value);
  const out: JsonObject = {};
  let isPlain = type.of === "scalar";
  for (const key of keys.sort()) {
    const written = writtenValue(value[key] ?? null, type, lists);
    put(out, key, written);
    isPlain &&= written !== null;
  }
  if (isPlain && keys.length > 0) rememberNormal(out);
  return out;
}

function rememberNormal(map: JsonObject): void {
  normalMaps.add(map);
  rememberLevels(map, 1);
}

/** Whether a map that was just read holds texts only. Most have their keys in order: what is known of them then is kept. */
export function isTexts(map: JsonObject): boolean {
  const keys = Object.keys(map);
  let isInOrder = keys.length > 0;
  let before = "";
  for (const key of keys) {
    if (typeof map[key] !== "string") return false;
    isInOrder &&= before <= key;
    before = key;
  }
  if (isInOrder) rememberNormal(map);
  return true;
}

/** Maps of scalars that came out of here, in their order and without null. An object that changes still holds them as they were. */
const normalMaps = new WeakSet<JsonObject>();

const isNormalMap = (value: JsonObject): boolean => normalMaps.has(value);

/** Of a map that came out of here it is known. */
export const isEmptyMap = (value: JsonObject): boolean => !isNormalMap(value) && Object.keys(value).length === 0;

const schema = "apiextensions.JSONSchemaProps";

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return isEmptyMap(value);
  return value === "" || value === 0 || value === 0n || value === false;
}

const zeroScalar = (scalar: string): Json =>
  scalar === "string" ? "" : scalar === "bool" ? false : scalar === "bytes" ? null : 0;

/** A message that is not there but always written. */
function absent(message: string): Json {
  const form = formOf(message);
  if (form === "struct") return normalize({}, message);
  return form === "quantity" ? "0" : form === "int-or-string" ? 0 : null;
}
