// Reading an object that anybody may have written: every reader is total, and null counts as absent.

export type Fields = Readonly<Record<string, unknown>>;

/** A condition as found. Fields that the writer left out are empty. */
export interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object under a name, or an empty one. */
export function fields(from: Fields, name: string): Fields {
  const value = from[name];
  return isFields(value) ? value : {};
}

export function present(from: Fields, name: string): boolean {
  return from[name] !== undefined && from[name] !== null;
}

export function integer<Otherwise>(from: Fields, name: string, otherwise: Otherwise): number | Otherwise {
  const value = from[name];
  return typeof value === "number" && Number.isInteger(value) ? value : otherwise;
}

export function text<Otherwise>(from: Fields, name: string, otherwise: Otherwise): string | Otherwise {
  const value = from[name];
  return typeof value === "string" ? value : otherwise;
}

/** The list under a name, empty when absent, or undefined when it is something else. */
export function list(from: Fields, name: string): readonly unknown[] | undefined {
  const value = from[name] ?? [];
  return Array.isArray(value) ? value : undefined;
}

/** The conditions of a status, or undefined when they cannot be read. One bad entry spoils them all: it could be Ready. */
export function conditionsOf(status: Fields): readonly SeenCondition[] | undefined {
  const entries = list(status, "conditions");
  if (entries === undefined) return undefined;
  const seen: SeenCondition[] = [];
  for (const entry of entries) {
    const condition = seenCondition(entry ?? {});
    if (condition === undefined) return undefined;
    seen.push(condition);
  }
  return seen;
}

function seenCondition(entry: unknown): SeenCondition | undefined {
  if (!isFields(entry)) return undefined;
  const readable = ["type", "status", "reason", "message"].every(
    (name) => !present(entry, name) || typeof entry[name] === "string",
  );
  if (!readable) return undefined;
  return {
    type: text(entry, "type", ""),
    status: text(entry, "status", ""),
    reason: text(entry, "reason", ""),
    message: text(entry, "message", ""),
  };
}
