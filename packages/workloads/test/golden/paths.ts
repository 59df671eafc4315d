// A state as paths and values, so that a difference can be said in a line.
import { isList, isObject, type Json, text } from "./json.ts";

export interface Gap {
  readonly path: string;
  readonly ours: Json | undefined;
  readonly theirs: Json | undefined;
}

/** Where two values differ. Conditions are compared by their type, whatever their order. */
export function gaps(ours: Json, theirs: Json): readonly Gap[] {
  const [a, b] = [leaves(ours), leaves(theirs)];
  const found = [...new Set([...a.keys(), ...b.keys()])]
    .filter((path) => JSON.stringify(a.get(path)) !== JSON.stringify(b.get(path)))
    .map((path) => ({ path, ours: a.get(path), theirs: b.get(path) }));
  return withWholeConditions(found, a, b);
}

export function told({ path, ours, theirs }: Gap): string {
  return `${path}: ours ${shown(ours)}, recorded ${shown(theirs)}`;
}

/** A state in few words: what differs from the one before; times are left out. */
export function change(before: Json | undefined, after: Json): string {
  const all = gaps(after, before ?? {})
    .filter(({ path, ours }) => ours !== "<time>" && path !== "")
    .filter(({ path }) => before !== undefined || path.startsWith("status"))
    .map(({ path, ours }) => `${path}=${shown(ours)}`);
  return all.length > 24 ? `${all.slice(0, 24).join(" ")} (and ${all.length - 24} more)` : all.join(" ");
}

function shown(value: Json | undefined): string {
  const all = value === undefined ? "absent" : JSON.stringify(value);
  return all.length > 160 ? `${all.slice(0, 157)}...` : all;
}

/** Every value that holds no other, by its path; empty objects and lists count as values. */
export function leaves(value: Json): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  const walk = (it: Json, path: string, key: string): void => {
    if (isList(it) && it.length > 0) {
      for (const [i, item] of it.entries()) {
        const type = key === "conditions" ? text(item, "type") : "";
        walk(item, `${path}[${type === "" ? i : type}]`, "");
      }
    } else if (isObject(it) && Object.keys(it).length > 0) {
      for (const [name, inner] of Object.entries(it)) {
        const step = /^[\w-]+$/.test(name) ? `.${name}` : `["${name}"]`;
        walk(inner, path === "" ? step.replace(/^\./, "") : `${path}${step}`, name);
      }
    } else found.set(path, it);
  };
  walk(value, "", "");
  return found;
}

type Leaves = ReadonlyMap<string, Json>;

/** A condition that only one side has is one gap, not six. */
function withWholeConditions(found: readonly Gap[], a: Leaves, b: Leaves): readonly Gap[] {
  const said = new Set<string>();
  return found.flatMap((gap) => {
    const where = /^(.*conditions\[\D[^\]]*\])\.\w+$/.exec(gap.path)?.[1];
    if (where === undefined || (a.has(`${where}.type`) && b.has(`${where}.type`))) return [gap];
    if (said.has(where)) return [];
    said.add(where);
    return [{ path: where, ours: condition(a, where), theirs: condition(b, where) }];
  });
}

function condition(all: Leaves, where: string): Json | undefined {
  if (!all.has(`${where}.type`)) return undefined;
  const words = ["status", "reason", "message"].flatMap((key) => all.get(`${where}.${key}`) ?? []);
  return words.join(" ");
}
