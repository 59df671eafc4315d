// Puts symbols for what varies from run to run, so that what a server did can be compared with what was recorded.
import type { Change } from "./environment.ts";
import { at, isList, isObject, type Json, type JsonObject, list, same, text } from "./json.ts";
import { unshuffled } from "./ordered.ts";
import { listed, type Recording, type State, type Told } from "./recording.ts";
import type { Scenario } from "./scenario.ts";
import type { Mark } from "./steps.ts";

export interface Observed extends Recording {
  /** `Kind/name#n` in the order of revisions. */
  readonly order: readonly string[];
  /** Of each Event, the last action before it was seen first. */
  readonly eventSteps: readonly number[];
}

/** What every namespace has: part of a recording only where the scenario is about namespaces. */
const furniture = new Set(["Namespace/<ns>", "ServiceAccount/default", "ConfigMap/kube-root-ca.crt"]);

export function observed(
  changes: readonly Change[],
  marks: readonly Mark[],
  namespace: string,
  { podNumbering, namespaceObjects = false }: Pick<Scenario, "podNumbering" | "namespaceObjects">,
): Observed {
  const put = symbolsOf(changes, namespace, podNumbering);
  const objects = new Map<string, State[]>();
  const events = new Map<string, Told>();
  const eventSteps: number[] = [];
  const order: string[] = [];
  for (const { revision, type, object } of changes) {
    const step = marks.findLast((mark) => mark.behind < revision)?.step ?? 0;
    const name = `${text(object, "kind")}/${put.text(text(object, "metadata", "name"))}`;
    if (object["kind"] === "Event") {
      const told = toldBy(object, put.text);
      if (events.has(JSON.stringify(told))) continue;
      events.set(JSON.stringify(told), told);
      eventSteps.push(step);
      continue;
    }
    if (furniture.has(name) && !namespaceObjects) continue;
    const states = listed(objects, name);
    const body = bodyOf(object, type, put.value);
    const before = states.at(-1);
    if (type === "MODIFIED" && same(before?.body, body)) continue;
    order.push(`${name}#${states.length}`);
    states.push({ step, event: type, body });
  }
  return { objects, varied: new Map(), events: [...events.values()], eventsVaried: [], order, eventSteps };
}

function bodyOf(object: JsonObject, type: Change["type"], put: (value: Json, key: string) => Json): JsonObject {
  const { apiVersion: _, kind, metadata, ...rest } = object;
  const kept: Record<string, Json> = { metadata: put(metadata ?? {}, "metadata") };
  if (type === "DELETED") return kept;
  for (const [key, value] of Object.entries(rest)) kept[key] = put(value, key);
  if (kind === "ConfigMap" && text(metadata, "name") === "kube-root-ca.crt") kept["data"] = {};
  return kept;
}

function toldBy(event: JsonObject, put: (value: string) => string): Told {
  const about = at(event, "involvedObject") ?? at(event, "regarding");
  return {
    regarding: `${text(about, "kind")}/${put(text(about, "name"))}`,
    type: text(event, "type"),
    reason: text(event, "reason"),
    message: put(text(event, "message") || text(event, "note")),
    component: text(event, "source", "component") || text(event, "reportingComponent"),
  };
}

interface Symbols {
  text(value: string): string;
  value(value: Json, key: string): Json;
}

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const left = new Set(["managedFields", "endpoints.kubernetes.io/last-change-trigger-time"]);

function symbolsOf(changes: readonly Change[], namespace: string, numbering: Scenario["podNumbering"]): Symbols {
  const words = new Map<string, string>([[namespace, "<ns>"]]);
  const count = counter();
  for (const { object } of changes) hashesOf(object, words, count);
  const hashed = replacer(words);
  for (const [kindAndPrefix, names] of generated(changes, numbering)) {
    const prefix = kindAndPrefix.slice(kindAndPrefix.indexOf("/") + 1);
    for (const [i, name] of names.entries()) words.set(name, `${hashed(prefix)}<rand:${i + 1}>`);
  }
  const named = replacer(words);
  const addresses = new Map<string, string>();
  for (const { object } of changes) {
    const me = `${text(object, "kind")}/${named(text(object, "metadata", "name"))}`;
    words.set(text(object, "metadata", "uid"), `<uid:${me}>`);
    const address = text(object, "status", "podIP") || text(object, "spec", "clusterIP");
    if (/\d/.test(address)) addresses.set(address, `<ip:${me}>`);
  }
  const all = replacer(words);
  const put = (value: string): string => {
    if (time.test(value)) return "<time>";
    const address = addresses.get(value);
    if (address !== undefined) return address;
    return all(value)
      .replaceAll(uuid, "<uid>")
      .replaceAll(/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<rand>")
      .replaceAll(/(pods "[^"]*-)[a-z0-9]{5}"/g, '$1<rand>"');
  };
  const walk = (value: Json, key: string): Json => {
    if (isList(value))
      return unshuffled(
        key,
        value.map((item) => walk(item, "")),
      );
    if (isObject(value)) {
      const entries = Object.entries(value).filter(
        ([name]) => !left.has(name) && !(name === "resourceVersion" && key === "metadata"),
      );
      return Object.fromEntries(entries.map(([name, inner]) => [name, walk(inner, name)]));
    }
    if (key === "nodePort" && value !== 0) return "<node-port>";
    if (typeof value !== "string") return value;
    if (key === "resourceVersion") return "<rv>";
    if (key === "kubernetes.io/description") return "<description>";
    return put(value);
  };
  return {
    text: put,
    value(value, key) {
      const walked = walk(value, key);
      return key === "metadata" && isObject(walked) ? withoutEmpty(walked, "annotations") : walked;
    },
  };
}

/** An annotation that is left out may have been the only one. */
function withoutEmpty(metadata: JsonObject, key: string): JsonObject {
  const { [key]: inner, ...rest } = metadata;
  return isObject(inner) && Object.keys(inner).length === 0 ? rest : metadata;
}

/** What hashes an object brings: of a pod template, of a revision, or the minutes of a scheduled Job. */
function hashesOf(object: JsonObject, words: Map<string, string>, count: (what: string) => number): void {
  const hash = text(object, "metadata", "labels", "pod-template-hash");
  if (hash !== "" && !words.has(hash)) words.set(hash, `<hash:${count("hash")}>`);
  const name = text(object, "metadata", "name");
  const tail = name.slice(name.lastIndexOf("-") + 1);
  if (object["kind"] === "ControllerRevision" && !words.has(tail)) words.set(tail, `<revhash:${count("revhash")}>`);
  const owner = list(object, "metadata", "ownerReferences").find((it) => text(it, "kind") === "CronJob");
  if (object["kind"] === "Job" && owner !== undefined && /^\d{8,}$/.test(tail)) words.set(tail, "<scheduled-minutes>");
}

/** Generated names by kind and prefix, in the order in which they are numbered. */
function generated(
  changes: readonly Change[],
  numbering: Scenario["podNumbering"],
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  const goneAs = new Map<string, number>();
  for (const [i, { type, object }] of changes.entries()) {
    const prefix = text(object, "metadata", "generateName");
    const name = text(object, "metadata", "name");
    if (prefix === "" || !name.startsWith(prefix) || !/^[a-z0-9]{5}$/.test(name.slice(prefix.length))) continue;
    const group = listed(names, `${text(object, "kind")}/${prefix}`);
    if (!group.includes(name)) group.push(name);
    const isGoing = type === "DELETED" || at(object, "metadata", "deletionTimestamp") !== undefined;
    if (numbering === "canonical" && object["kind"] === "Pod" && isGoing && !goneAs.has(name)) goneAs.set(name, i);
  }
  for (const group of names.values()) group.sort((a, b) => (goneAs.get(a) ?? -1) - (goneAs.get(b) ?? -1));
  return names;
}

function counter(): (what: string) => number {
  const counts = new Map<string, number>();
  return (what) => {
    const n = (counts.get(what) ?? 0) + 1;
    counts.set(what, n);
    return n;
  };
}

/** Replaces whole words, the longest first. */
function replacer(words: ReadonlyMap<string, string>): (value: string) => string {
  const literals = [...words.keys()].filter((word) => word !== "").sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![a-z0-9])(?:${literals.map(escaped).join("|")})(?![a-z0-9])`, "g");
  return (value) => value.replaceAll(pattern, (word) => words.get(word) ?? word);
}

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
