// Small facts about objects, changes and requests that several invariants ask for.
import type { Condition, Kind, KubeObject } from "@telltale/kinds";
import type { Change } from "./history.ts";
import type { Sent } from "./network.ts";
import type { Process } from "./process.ts";
import type { Target } from "./target.ts";

/** The kind that a scenario declares for an object, in whatever version it is stored. */
export const kindOf = (kinds: readonly Kind[], { apiVersion, kind }: KubeObject): Kind | undefined =>
  kinds.find((it) => it.kind === kind && it.group === apiVersion?.split("/")[0]);

export type Status = Readonly<Record<string, unknown>>;

export const statusOf = (object: KubeObject | undefined): Status =>
  (object as { readonly status?: Status } | undefined)?.status ?? {};

export function conditionsOf(object: KubeObject | undefined): readonly Condition[] {
  const list = statusOf(object)["conditions"];
  return Array.isArray(list) ? (list as readonly Condition[]) : [];
}

/** `group/resource` of a place in the server's store. */
export function resourceIn(key: string): string {
  return key.split("/", 3).slice(1).join("/");
}

/** Whether a change began the end of an object, or was it. */
export const isEnd = ({ type, before, after }: Change): boolean =>
  before?.metadata?.deletionTimestamp === undefined &&
  (type === "DELETED" || after.metadata?.deletionTimestamp !== undefined);

export const versionOf = (object: KubeObject | undefined): number => Number(object?.metadata?.resourceVersion ?? 0);

/** How a person names an object: `Shop default/corner`. */
export function nameOf({ kind, metadata }: KubeObject): string {
  const { namespace, name } = metadata ?? {};
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** What a process knows of an object. Undefined: it does not watch such objects, or only some, of which this is none. */
export function viewOf(
  process: Process | undefined,
  { group, resource, namespace, name = "" }: Target,
): View | undefined {
  for (const { kind, select, store } of process?.manager.cache.held() ?? []) {
    if (kind.group !== group || kind.plural !== resource) continue;
    const object = store.get({ name, ...(namespace === undefined ? {} : { namespace }) });
    if (object !== undefined) return { object };
    if (select.label === undefined && select.field === undefined) return {};
  }
  return undefined;
}

export interface View {
  /** Left out: it knows of none. */
  readonly object?: KubeObject;
}

/** What a request carries, where that is JSON. */
export function bodyOf({ request: { body } }: Sent): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}
