// Dotted paths into a status: `progress.loadStartTime`, and `conditions.Ready` for one condition.
import type { Condition } from "@telltale/kinds";
import { findCondition } from "./condition.ts";

export type Loose = Record<string, unknown>;

export function isRecord(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What stands at a path, or undefined. */
export function readPath(status: Loose | undefined, path: string): unknown {
  if (status === undefined) return undefined;
  if (path.startsWith("conditions.")) {
    return findCondition(status["conditions"] as readonly Condition[] | undefined, path.slice("conditions.".length));
  }
  let at: unknown = status;
  for (const name of path.split(".")) {
    if (!isRecord(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** A copy with another value at a path; the parents are made where they are missing. Undefined takes the member away. */
export function withPath(status: Loose, path: string, value: unknown): Loose {
  const [head = "", ...rest] = path.split(".");
  const copy = { ...status };
  const member = rest.length === 0 ? value : withPath(isRecord(copy[head]) ? copy[head] : {}, rest.join("."), value);
  if (member === undefined) delete copy[head];
  else copy[head] = member;
  return copy;
}
