// JSON values as the server handles them. Objects that are stored or handed out are never changed in place.

export type Json = string | number | bigint | boolean | null | Json[] | JsonObject;
export type JsonObject = { [member: string]: Json };

/** A Kubernetes object: JSON whose outside we know. */
export type ApiObject = JsonObject;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member of an object, or undefined; prototype members are not members. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value at a path of members. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  let here = value;
  for (const name of path) here = member(here, name);
  return here;
}

/** Sets a member so that `__proto__` is a name like any other. */
export function put(object: JsonObject, name: string, value: Json): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}

/** A copy that shares nothing. */
export function clone<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => clone(item)) as T;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const inner = value[name];
    if (inner !== undefined) put(copy, name, clone(inner));
  }
  return copy as T;
}

/** Containers with so many values are remembered when nothing is below them: reading their values again takes as long as a write. */
const wide = 256;
/** How many levels such a container has: one, or two where it holds empty objects. */
const levelsOf = new WeakMap<object, number>();

/** So many levels an object has, as its maker knows: it is not looked through again. It must not change any more. */
export function rememberLevels(object: object, levels: 1 | 2): void {
  levelsOf.set(object, levels);
}

/** Whether a value has more levels than this. Does not recurse itself. */
export function isDeeper(root: unknown, most: number): boolean {
  let level: object[] = typeof root === "object" && root !== null ? [root] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > most) return true;
    const next: object[] = [];
    for (const here of level) {
      const known = levelsOf.get(here);
      if (known !== undefined) {
        if (depth + known - 1 > most) return true;
        continue;
      }
      const from = next.length;
      const values: readonly unknown[] = Object.values(here);
      // The sets of fields of an object share their leaves: what is beside itself is looked at once.
      let last: unknown;
      for (const inner of values) {
        if (typeof inner !== "object" || inner === null || inner === last) continue;
        next.push(inner);
        last = inner;
      }
      if (values.length < wide) continue;
      if (next.length === from) levelsOf.set(here, 1);
      else if (next.slice(from).every(isEmptyContainer)) levelsOf.set(here, 2);
    }
    level = next;
  }
  return false;
}

function isEmptyContainer(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** A text that equal values share, whatever the order of their members: a key to find them by. */
export function identity(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(identity).join(",")}]`;
  if (!isObject(value)) return typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "");
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${identity(value[name])}`).join(",")}}`;
}

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** `JSON.rawJSON` is in the engine and not yet in the compiler's library. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

/** JSON with integers beyond 2^53 written exactly. */
export function stringify(value: Json, indent?: string): string {
  try {
    return JSON.stringify(value, undefined, indent); // several times as fast without a replacer
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it refuses a bigint
    return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? rawJSON(String(v)) : v), indent);
  }
}
