// Traffic, changes and passes in the words of the trace. Made when somebody reads it.
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { nameOf } from "./facts.ts";
import type { Change } from "./history.ts";
import type { Line, LineVerdict, Sent, Verdict } from "./network.ts";
import type { Pass } from "./pass.ts";

/** `Shop default/corner@12` */
export const versioned = (object: KubeObject): string => `${nameOf(object)}@${object.metadata?.resourceVersion ?? "?"}`;

/** What the server did: `MODIFIED Shop default/corner@12 by operator-1 #3: status.tills 1 -> 2`. */
export function changeText({ type, before, after, author, sent }: Change): string {
  const by = author === undefined ? "" : ` by ${author}${sent?.write === undefined ? "" : ` #${sent.write}`}`;
  const told = type === "MODIFIED" ? differenceText(before, after) : type === "ADDED" ? ownersText(after) : "";
  return `${type} ${versioned(after)}${by}${told === "" ? "" : `: ${told}`}`;
}

const ownersText = ({ metadata }: KubeObject): string => {
  const owners = (metadata?.ownerReferences ?? []).map(({ kind, name, uid }) => `${kind} ${name} (${uid.slice(0, 8)})`);
  return `uid ${metadata?.uid?.slice(0, 8)}${owners.length === 0 ? "" : `, owned by ${owners.join(", ")}`}`;
};

/** Most that is said of one change. */
const mostFields = 8;
const mostText = 60;

/** What became of the fields of an object. */
export function differenceText(before: unknown, after: unknown): string {
  const found: string[] = [];
  compare("", before, after, found);
  const more = found.length > mostFields ? [`and ${found.length - mostFields} more`] : [];
  return [...found.slice(0, mostFields), ...more].join(", ");
}

/** What changes with every write. */
const silent: ReadonlySet<string> = new Set(["metadata.managedFields", "metadata.resourceVersion"]);

function compare(at: string, before: unknown, after: unknown, found: string[]): void {
  if (deepEqual(before, after) || silent.has(at)) return;
  const [a, b] = [named(before), named(after)];
  if (a === undefined || b === undefined) {
    found.push(said(at, before, after));
    return;
  }
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
    compare(at === "" ? name : `${at}.${name}`, a[name], b[name], found);
}

function said(at: string, before: unknown, after: unknown): string {
  if (before === undefined) return `${at} = ${short(after)}`;
  return after === undefined ? `${at} is gone` : `${at} ${short(before)} -> ${short(after)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > mostText ? `${text.slice(0, mostText)}...` : text;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields by name; items of a list by their type or name, where all have one. */
function named(value: unknown): Fields | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return value as Fields;
  const keys = value.map((it: unknown) => keyIn(it));
  return keys.includes(undefined) ? undefined : Object.fromEntries(keys.map((key, i) => [key, value[i]] as const));
}

function keyIn(item: unknown): string | undefined {
  const { type, name } = (typeof item === "object" && item !== null ? item : {}) as { type?: unknown; name?: unknown };
  return [type, name].find((it) => typeof it === "string");
}

/** What a process asks: `#3 PATCH shops default/corner status`. */
export function requestText({ method, target, request, write }: Sent): string {
  const { resource, namespace, name, subresource, isWatch } = target;
  const number = write === undefined ? "" : `#${write} `;
  const place = [...(namespace === undefined ? [] : [namespace]), ...(name === undefined ? [] : [name])].join("/");
  const what = [resource, place, subresource].filter((it) => it !== undefined && it !== "").join(" ");
  if (!isWatch) return `${number}${method} ${what}`;
  const from = /[?&]resourceVersion=([^&]+)/.exec(request.path)?.[1];
  return `watches ${what}${from === undefined ? "" : ` from ${from}`}`;
}

/** What the server said: `200`, `409 Conflict: ...`, `200, 3 items`. */
export function answerText(status: number, body: string | undefined): string {
  const said = body === undefined ? {} : (parsed(body) as Answer);
  if (status >= 300) return `${status} ${said.reason ?? ""}: ${said.message ?? ""}`;
  return said.items === undefined
    ? `${status}`
    : `${status}, ${said.items.length} items at ${said.metadata?.resourceVersion}`;
}

interface Answer {
  readonly reason?: string;
  readonly message?: string;
  readonly items?: readonly unknown[];
  readonly metadata?: { readonly resourceVersion?: string };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

/** `sees MODIFIED Shop default/corner@12` */
export function eventText(line: string): string {
  const { type, object } = parsed(line) as Line;
  return type === "ERROR" ? `is told ${line.trim()}` : `sees ${type} ${versioned(object)}`;
}

/** What becomes of a request, before anybody else can tell. Undefined: its end tells, or it is not worth a line. */
export function verdictText(verdict: Verdict): string | undefined {
  if (verdict.do === "slow") {
    const takes = (verdict.before ?? 0) + (verdict.after ?? 0);
    return takes < 1000 ? undefined : `takes ${takes / 1000} s ${verdict.before === undefined ? "back" : "there"}`;
  }
  return verdict.do === "elsewhere" ? "goes to another server" : undefined;
}

/** What becomes of an event: `MODIFIED Shop default/corner@12 comes 30 s late`. */
export function lineText(line: string, verdict: LineVerdict): string {
  const { type, object } = parsed(line) as Line;
  const what = `${type} ${versioned(object)}`;
  if (verdict.do === "delay") return `${what} comes ${verdict.by / 1000} s late, and what follows it`;
  if (verdict.do === "expire") return `a 410 comes in place of ${what}, after ${(verdict.after ?? 0) / 1000} s`;
  if (verdict.do === "cut") return `the watch is cut ${verdict.inside === true ? "within" : "before"} ${what}`;
  if (verdict.do === "stall") return `the watch falls silent before ${what}`;
  return verdict.do === "twice" ? `${what} comes twice` : `${what} does not come`;
}

/** `begins a pass over Shop default/corner@12 (generation 1); knows ConfigMap default/corner@13, no Service`. */
export function passText({ controller, object }: Pass, known: Known): string {
  const { kind } = controller.kind;
  const { generation, deletionTimestamp } = object.metadata ?? {};
  const leaving = deletionTimestamp === undefined ? "" : ", on its way out";
  const parts = [...known].map(([of, list]) =>
    list.length === 0 ? `no ${of}` : list.map((it) => versioned({ ...it, kind: of })).join(", "),
  );
  const knows = parts.length === 0 ? "" : `; knows ${parts.join(", ")}`;
  return `begins a pass over ${versioned({ ...object, kind })} (generation ${generation ?? "?"}${leaving})${knows}`;
}

/** `ends the pass over Shop default/corner: success` */
export const passedText = ({ object, controller, result }: Pass): string =>
  `ends the pass over ${nameOf({ ...object, kind: controller.kind.kind })}: ${result}`;

/** The children of an object that a process knows, by kind. */
export type Known = ReadonlyMap<string, readonly KubeObject[]>;

export function knownTo({ process, controller, object }: Pass): Known {
  const { uid } = object.metadata ?? {};
  const owned = new Set(controller.inputs.filter(({ as }) => as === "owns").map(({ kind }) => kind.kind));
  const found = new Map<string, readonly KubeObject[]>();
  for (const { kind, store } of process.manager.cache.held()) {
    if (!owned.has(kind.kind)) continue;
    const mine = [...store.values()].filter(({ metadata }) => metadata?.ownerReferences?.some((it) => it.uid === uid));
    found.set(kind.kind, [...(found.get(kind.kind) ?? []), ...mine]);
  }
  return found;
}
