// JSON Patch as the API server understands it, which is not quite RFC 6902: `replace` of a missing member adds it, `copy` of
// one copies null, a `test` of one against null passes, `-1` counts from the end, and a pointer without its slash loses its
// first step. Libraries refuse all of these, which is why this is written here.
import { deepEqual } from "@telltale/kinds";
import { parseJson } from "../decode/json.ts";
import { maxBodyDepth } from "../decode/parse-body.ts";
import { clone, isObject, type Json, type JsonObject, put, stringify } from "../json.ts";
import { badRequest, StatusError, tooLarge } from "../status.ts";

export interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: Json;
}

const maxOperations = 10_000;
/** What the copies of one patch may add: twenty that double would be a million. */
const maxCopied = 3 * 1024 * 1024;
const tooMuchCopied = (size: number): string =>
  `Unable to complete the copy, the accumulated size increase of copy is ${size}, exceeding the limit ${maxCopied}`;

/** The operations of a request body. */
export function decodeJsonPatch(bytes: Uint8Array): Operation[] {
  let value: Json;
  try {
    value = parseJson(bytes, { maxDepth: maxBodyDepth }).value;
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(value)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goType(value)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (value.length > maxOperations) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${value.length}`);
  }
  return value.map((operation) => {
    if (!isObject(operation)) {
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${goType(operation)} into Go value of type handlers.jsonPatchOp`,
      );
    }
    const word = (name: string) => (typeof operation[name] === "string" ? operation[name] : "");
    return { op: word("op"), path: word("path"), from: word("from"), value: operation["value"] ?? null };
  });
}

/** How Go calls the type of a JSON value. */
export function goType(value: Json): string {
  if (Array.isArray(value)) return "array";
  if (isObject(value)) return "object";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "number" : typeof value;
}

/** Thrown by any operation that cannot be done; the client is not told which. */
const rejected = () =>
  new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {});

/** Why an operation failed, for those who are told: webhooks. */
export class PatchFailed extends Error {}

export function applyJsonPatch(document: JsonObject, operations: readonly Operation[]): JsonObject {
  try {
    return patched(document, operations);
  } catch (error) {
    if (error instanceof PatchFailed) throw rejected();
    throw error;
  }
}

/** Like `applyJsonPatch`, but a failure says why. */
export function patched(document: JsonObject, operations: readonly Operation[]): JsonObject {
  const root: JsonObject = { doc: clone(document) };
  const budget = { left: maxCopied };
  for (const operation of operations) step(root, operation, budget);
  const result = root["doc"];
  if (!isObject(result)) throw new PatchFailed("the result is not an object");
  return result;
}

function step(root: JsonObject, o: Operation, budget: { left: number }): void {
  const [parent, key] = locate(root, o.path, o.op);
  switch (o.op) {
    case "add":
      insert(parent, key, clone(o.value), o);
      return;
    case "replace":
      if (Array.isArray(parent)) parent[index(parent, key, o)] = clone(o.value);
      else put(parent, key, clone(o.value));
      return;
    case "remove":
      take(parent, key, o);
      return;
    case "test":
      if (!deepEqual(read(parent, key, o) ?? null, o.value))
        throw new PatchFailed(`testing path ${o.path} failed: test failed`);
      return;
    case "move": {
      const [source, name] = locate(root, o.from, o.op);
      const value = take(source, name, o);
      const [target, place] = locate(root, o.path, o.op);
      insert(target, place, value, o);
      return;
    }
    case "copy": {
      const [source, name] = locate(root, o.from, o.op);
      const value = read(source, name, o) ?? null;
      budget.left -= stringify(value).length;
      if (budget.left < 0) throw new PatchFailed(tooMuchCopied(maxCopied - budget.left));
      insert(parent, key, clone(value), o);
      return;
    }
    default:
      throw new PatchFailed(`Unexpected kind: ${o.op}`);
  }
}

type Parent = JsonObject | Json[];

/** The container that a pointer leads to, and the last step within it. */
function locate(root: JsonObject, pointer: string, op: string): [Parent, string] {
  if (pointer === "") return [root, "doc"];
  const steps = pointer
    .split("/")
    .slice(1)
    .map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = steps.pop() ?? "";
  let at: Json | undefined = root["doc"];
  for (const name of steps) {
    if (Array.isArray(at)) at = at[Number(name)];
    else at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  if (!isObject(at) && !Array.isArray(at))
    throw new PatchFailed(`error in ${op} for path: '${pointer}': missing path: missing value`);
  return [at, last];
}

function index(list: readonly Json[], key: string, o: Operation): number {
  const n = /^-?\d+$/.test(key) ? Number(key) : Number.NaN;
  const i = n < 0 ? n + list.length : n;
  if (Number.isInteger(i) && i >= 0 && i < list.length) return i;
  throw new PatchFailed(
    `error in ${o.op} for path: '${o.path}': Unable to access invalid index: ${key}: invalid index referenced`,
  );
}

function insert(parent: Parent, key: string, value: Json, o: Operation): void {
  if (!Array.isArray(parent)) put(parent, key, value);
  else if (key === "-" || key === String(parent.length)) parent.push(value);
  else parent.splice(index(parent, key, o), 0, value);
}

function take(parent: Parent, key: string, o: Operation): Json {
  if (Array.isArray(parent)) return parent.splice(index(parent, key, o), 1)[0] ?? null;
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (value === undefined) {
    throw new PatchFailed(
      `error in ${o.op} for path: '${o.path}': Unable to remove nonexistent key: ${key}: missing value`,
    );
  }
  delete parent[key];
  return value;
}

function read(parent: Parent, key: string, o: Operation): Json | undefined {
  if (Array.isArray(parent)) return parent[index(parent, key, o)];
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}
