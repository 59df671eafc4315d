// How urgent a difference is, and when it may be written. A transition goes at once; a detail at most once a second for
// each object; what changes all the time is collected. The last value always arrives.
import { type Condition, deepEqual, type Instant, type Kind, type Ms, plus } from "@telltale/kinds";
import { isRecord, type Loose, readPath } from "./path.ts";

export type Significance =
  | "none" // nothing changed
  | "transition" // a phase or a condition flipped, or the kind calls it urgent
  | "detail" // a message or a field
  | "volatile"; // only what the kind calls volatile

export function significance(kind: Kind, old: Loose, next: Loose): Significance {
  if (kind.urgent === undefined ? flipped(old, next) : kind.urgent.some((path) => differs(old, next, path)))
    return "transition";
  if (kind.volatile.length === 0) return deepEqual(old, next) ? "none" : "detail";
  return onlyVolatile(kind, old, next);
}

function flipped(old: Loose, next: Loose): boolean {
  if (old["phase"] !== next["phase"]) return true;
  const before = conditionsOf(old);
  const after = conditionsOf(next);
  if (before === after) return false;
  if (before.length !== after.length) return true;
  const status = new Map(before.map((c) => [c.type, c.status]));
  return after.some((c) => status.get(c.type) !== c.status);
}

function conditionsOf(status: Loose): readonly Condition[] {
  return Array.isArray(status["conditions"]) ? status["conditions"] : [];
}

function differs(old: Loose, next: Loose, path: string): boolean {
  const a = readPath(old, path);
  const b = readPath(next, path);
  if (!path.startsWith("conditions.")) return !deepEqual(a, b);
  return (a as Condition | undefined)?.status !== (b as Condition | undefined)?.status;
}

function onlyVolatile(kind: Kind, old: Loose, next: Loose): Significance {
  let changed = false;
  for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
    if (deepEqual(old[name], next[name])) continue;
    changed = true;
    if (!isVolatile(kind, name, old[name], next[name])) return "detail";
  }
  return changed ? "volatile" : "none";
}

function isVolatile(kind: Kind, at: string, old: unknown, next: unknown): boolean {
  if (kind.volatile.includes(at)) return true;
  if (!kind.volatile.some((path) => path.startsWith(`${at}.`))) return false;
  const a = members(old);
  const b = members(next);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(
    (name) => deepEqual(a[name], b[name]) || isVolatile(kind, `${at}.${name}`, a[name], b[name]),
  );
}

/** The members of a value by name; conditions by their type. */
function members(value: unknown): Loose {
  if (Array.isArray(value)) return Object.fromEntries(value.map((c: Condition) => [c.type, c]));
  return isRecord(value) ? value : {};
}

export interface Spacing {
  readonly detail: Ms;
  readonly volatile: Ms;
}

export const standardSpacing: Spacing = { detail: 1_000, volatile: 15_000 };

/** When a difference may be written, given when this object was last written. */
export function dueAt(
  s: Significance,
  lastWrite: Instant | undefined,
  now: Instant,
  spacing: Spacing = standardSpacing,
): Instant {
  if (s === "transition" || s === "none" || lastWrite === undefined) return now;
  const due = plus(lastWrite, s === "detail" ? spacing.detail : spacing.volatile);
  return due > now && lastWrite <= now ? due : now;
}
