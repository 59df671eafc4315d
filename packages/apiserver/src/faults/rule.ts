// A rule as JSON has it, checked to the last member: a fault that is misspelt would be no fault, and nobody would notice.

import { JsonError, parseJson } from "../decode/json.ts";
import { isObject, type Json, type JsonObject, stringify } from "../json.ts";
import { badRequest } from "../status.ts";
import type { FaultRule } from "./faults.ts";

/** What is wrong with a value, as what it must be; undefined when nothing is. */
type Check = (value: Json) => string | undefined;
type Members = Readonly<Record<string, Check>>;

const text: Check = (value) => (typeof value === "string" ? undefined : "a text");
const yes: Check = (value) => (value === true ? undefined : "true");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");
const count: Check = (value) => (Number.isInteger(value) && Number(value) >= 0 ? undefined : "a whole number from 0");
const ordinal: Check = (value) => (Number.isInteger(value) && Number(value) >= 1 ? undefined : "a whole number from 1");
const share: Check = (value) =>
  typeof value === "number" && value >= 0 && value <= 1 ? undefined : "a number from 0 to 1";
const status: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599 ? undefined : "a status from 200 to 599";
const duration: Check = (value) => {
  const isOne = (it: Json | undefined) => typeof it === "number" && it >= 0;
  if (isOne(value)) return undefined;
  const isRange =
    Array.isArray(value) && value.length === 2 && value.every(isOne) && Number(value[0]) <= Number(value[1]);
  return isRange ? undefined : "milliseconds from 0, or [least, most]";
};
const ms: Check = (value) => (typeof value === "number" && value >= 0 ? undefined : "milliseconds from 0");
const phase: Check = (value) => (value === "before" || value === "after" ? undefined : "before or after");
const texts: Check = (value) =>
  Array.isArray(value) && value.every((it) => typeof it === "string") ? undefined : "a list of texts";
const headers: Check = (value) =>
  isObject(value) && Object.entries(value).every(([name, it]) => name === name.toLowerCase() && typeof it === "string")
    ? undefined
    : "texts by a header's name in lower case";
const pattern: Check = (value) => {
  if (typeof value !== "string") return "a regular expression as a text";
  try {
    new RegExp(value);
    return undefined;
  } catch (error) {
    return `a regular expression (${error instanceof Error ? error.message : String(error)})`;
  }
};

const stale: Members = { lagRevisions: count, lagMs: ms };
const watch: Members = {
  dropAfterEvents: count,
  partialWrite: flag,
  delayMs: ms,
  duplicate: flag,
  skipBookmarks: flag,
  reorderAcrossKeys: flag,
  stallAfterEvents: count,
  expireNow: flag,
  missEvery: ordinal,
};
const object: Check = (value) => (isObject(value) ? undefined : "an object");

/** The members of each effect, by the one that makes it. */
const effects: Readonly<Record<string, Members>> = {
  latencyMs: { latencyMs: duration, phase },
  status: { status, reason: text, message: text, retryAfterSeconds: count, body: text, commit: flag },
  timeout: { timeout: yes, commit: flag },
  resetConnection: { resetConnection: yes, commit: flag, afterBytes: count },
  staleRead: { staleRead: object },
  conflictOnce: { conflictOnce: yes },
  watch: { watch: object },
};

const match: Members = {
  verbs: texts,
  group: text,
  resource: text,
  subresource: text,
  namespace: text,
  name: text,
  user: text,
  userAgent: pattern,
  path: pattern,
  headers,
  afterRevision: count,
  nth: ordinal,
  probability: share,
};

const example = '{"match":{"verbs":["update"]},"effect":{"status":503}}';

/** Throws a 400 that names the member, its value and what it must be. */
export function readRule(body: Uint8Array): FaultRule {
  const value = jsonOf(body);
  if (!isObject(value) || !isObject(value["effect"]))
    throw badRequest(`a fault is an object with an "effect", for example ${example}`);
  check("", value, { id: text, match: object, times: ordinal, effect: object });
  const { effect } = value;
  const kinds = Object.keys(effect).filter((name) => Object.hasOwn(effects, name));
  const [kind = ""] = kinds;
  const members = effects[kind];
  if (members === undefined || kinds.length > 1) {
    const known = Object.keys(effects).join(", ");
    throw badRequest(`effect: ${stringify(effect)}: use exactly one of ${known}, for example ${example}`);
  }
  check("effect.", effect, members);
  for (const [name, inner] of [
    ["staleRead", stale],
    ["watch", watch],
  ] as const)
    if (isObject(effect[name])) check(`effect.${name}.`, effect[name], inner);
  if (isObject(value["match"])) check("match.", value["match"], match);
  return { ...value, match: patterns(isObject(value["match"]) ? value["match"] : {}) } as unknown as FaultRule;
}

function jsonOf(body: Uint8Array): Json {
  try {
    return parseJson(body).value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw badRequest(`the body is no JSON: ${error.message}; a fault looks like ${example}`);
  }
}

function check(path: string, value: JsonObject, members: Members): void {
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    const wanted = known === undefined ? `unknown; use ${Object.keys(members).join(", ")}` : known(inner);
    if (wanted === undefined) continue;
    throw badRequest(`${path}${name}: ${stringify(inner)}: ${known === undefined ? wanted : `must be ${wanted}`}`);
  }
}

/** What is a pattern in the library is a text here. */
function patterns(from: JsonObject): Record<string, unknown> {
  const made: Record<string, unknown> = { ...from };
  for (const name of ["userAgent", "path"]) if (typeof made[name] === "string") made[name] = new RegExp(made[name]);
  return made;
}
