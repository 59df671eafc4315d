// What came out of a patch, read as an object of its kind: a patch may change the type of anything, the kind itself included.
import { canonicalJson, deepEqual } from "@telltale/kinds";
import { JsonError } from "../decode/json.ts";
import { messageName } from "../decode/message-name.ts";
import { normalize } from "../decode/normalize.ts";
import { internalType, isRegistered, readTypeMeta, scheme, splitVersion } from "../decode/parse-body.ts";
import { CannotBeHandled, decodeMessage } from "../decode/typed.ts";
import { ValueError } from "../decode/values.ts";
import { isObject, type Json, type JsonObject, put, stringify } from "../json.ts";
import { internal } from "../status.ts";
import type { FieldValidation, Resource } from "./resource.ts";

/** What a patched object is read as: a resource, or the Scale of one. */
export type PatchedKind = Pick<Resource, "group" | "apiVersion" | "kind" | "builtin" | "message" | "redecode">;

export interface Read {
  readonly object: JsonObject;
  readonly unknown: readonly string[];
  /** Why it is no object of the kind, in the words of Go's decoder. */
  readonly refused?: string;
}

export function readPatched(r: PatchedKind, patched: JsonObject, validation: FieldValidation): Read {
  const read = readAs(r, patched, validation);
  if (read.refused !== undefined || read.unknown.length === 0 || validation !== "Strict") return read;
  return { ...read, refused: `strict decoding error: ${read.unknown.map((u) => `unknown field "${u}"`).join(", ")}` };
}

function readAs(r: PatchedKind, patched: JsonObject, validation: FieldValidation): Read {
  const refuse = (refused: string): Read => ({ object: {}, unknown: [], refused });
  try {
    const type = readTypeMeta(patched);
    const [group, version] = splitVersion(type.apiVersion) ?? [];
    if (group === undefined || version === undefined)
      return refuse(`unexpected GroupVersion string: ${type.apiVersion}`);
    if (!r.builtin) {
      if (type.kind === "") return refuse(`Object 'Kind' is missing in '${canonicalJson(patched)}'`);
      if (type.apiVersion === "") throw internal("Object 'apiVersion' is missing in 'object has no apiVersion field'");
      return r.redecode(patched, validation);
    }
    if (type.apiVersion === "") return { object: {}, unknown: unversioned(patched) };
    const kind = type.kind === "" ? r.kind : type.kind;
    if (type.apiVersion !== r.apiVersion || kind !== r.kind) return refuse(otherType(r, patched, group, version, kind));
    return r.redecode({ ...patched, kind }, validation);
  } catch (error) {
    if (error instanceof CannotBeHandled) return refuse(error.why);
    if (error instanceof JsonError) return refuse(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
}

/** Without a version it is taken for an object that has only a type. */
const unversioned = (patched: JsonObject): string[] =>
  Object.keys(patched)
    .filter((name) => name !== "apiVersion" && name !== "kind")
    .sort();

/** It is decoded as what it says it is, and then found to be something else. */
function otherType(r: PatchedKind, patched: JsonObject, group: string, version: string, kind: string): string {
  if (!isRegistered(group, version, kind)) {
    return `no kind "${kind}" is registered for version "${group === "" ? version : `${group}/${version}`}" in scheme "${scheme}"`;
  }
  const message = messageName(group, version, kind);
  try {
    if (message !== undefined) decodeMessage(patched, message);
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
  return `converting (${version}.${kind}) to (${internalType(r.group, r.kind)}): unknown conversion`;
}

/**
 * The JSON that an answer shows. Go keeps what a patch did not touch as it was written, in the order of its structs, and sorts the
 * members of what it did. Custom resources have no structs.
 */
export function shownPatched(r: PatchedKind, live: JsonObject, patched: JsonObject): string {
  if (!r.builtin) return canonicalJson(patched);
  return stringify(inGoOrder(r.message === undefined ? live : normalize(live, r.message), patched));
}

function inGoOrder(before: Json | undefined, after: Json): Json {
  if (!isObject(after)) return after;
  if (before !== undefined && deepEqual(before, after)) return before;
  const out: JsonObject = {};
  for (const name of Object.keys(after).sort())
    put(out, name, inGoOrder(isObject(before) ? before[name] : undefined, after[name] ?? null));
  return out;
}
