// What may stand in a log line. A text is taken for one from outside: credentials go, lengths are bounded; an object of
// Kubernetes is named, never shown.
import { type Profile, Secret, sanitize } from "@telltale/status";
import type { Fields } from "../log.ts";

/** The fields of a line as they are written. `reserved` are the line's own names: a field of that name gets a `_` behind it. */
export function safeFields(fields: Fields, reserved: ReadonlySet<string>): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    safe[reserved.has(name) ? `${name}_` : name] = safeMember(name, value, 0);
  }
  return safe;
}

const text: Profile = { max: 4_096 };
const deepest = 3;
const most = 32;

/** Names whose values are never written. `secret` alone is what people call the name of a Secret. */
const credential =
  /pass(word|wd|phrase)|\bpwd\b|token|credential|cookie|authorization|(api|access|private|secret)[_-]?key|.secret$/i;

function safeMember(name: string, value: unknown, depth: number): unknown {
  if (credential.test(name) && typeof value === "string") return "[redacted]";
  return safeValue(value, depth);
}

function safeValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return sanitize(value, text);
    case "number":
    case "boolean":
      return value;
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : safeObject(value, depth);
    default:
      return undefined; // functions and symbols say nothing
  }
}

function safeObject(value: object, depth: number): unknown {
  if (value instanceof Error) return safeError(value, depth);
  if (value instanceof Secret) return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "no date" : value.toISOString();
  if (depth >= deepest) return Array.isArray(value) ? `[${value.length} items]` : "[object]";
  if (Array.isArray(value)) {
    const shown = value.slice(0, most).map((it: unknown) => safeValue(it, depth + 1));
    return value.length > most ? [...shown, `and ${value.length - most} more`] : shown;
  }
  return named(value) ?? members(value, depth);
}

/** An object as a person would name it. Its content may be anything, a Secret's data included. */
function named(value: object): object | undefined {
  const { kind, metadata } = value as { kind?: unknown; metadata?: unknown };
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { namespace, name, uid } = metadata as { namespace?: unknown; name?: unknown; uid?: unknown };
  if (typeof name !== "string") return undefined;
  return { kind: textOf(kind), namespace: textOf(namespace), name, uid: textOf(uid) };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function members(value: object, depth: number): object {
  const all = Object.entries(value);
  const shown = all.slice(0, most).map(([name, it]) => [name, safeMember(name, it, depth + 1)]);
  return Object.fromEntries(all.length > most ? [...shown, ["…", `${all.length - most} more`]] : shown);
}

/** What it is, what it says, where it came from, and what caused it. */
function safeError(error: Error, depth: number): object {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: sanitize(error, text),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    stack: framesOf(error),
    ...(cause === undefined || depth >= deepest ? {} : { cause: safeValue(cause, depth + 1) }),
  };
}

const frame = /^ {4}at .{1,500}(?::\d+:\d+\)?|<anonymous>\)?|native\)?)$/;

/** Only places in code: what else is in a stack is the message once more, not sanitised. */
function framesOf(error: Error): readonly string[] {
  const { stack } = error;
  if (typeof stack !== "string") return [];
  const start = stack.indexOf(error.message);
  const after = start < 0 ? stack : stack.slice(start + error.message.length);
  return after
    .split("\n", 200)
    .filter((line) => frame.test(line))
    .slice(0, 20)
    .map((line) => line.trim());
}
