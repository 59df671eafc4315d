// The order of a merged list: items that the patch names in the order of the patch, and the others where they were among them.
import { identity, isObject, type Json } from "../json.ts";

/** Merged items in order: `wanted` is the order of the patch, `live` that of the live list. */
export function ordered(
  merged: readonly Json[],
  wanted: readonly Json[],
  live: readonly Json[],
  key: string | undefined,
): Json[] {
  const inPatch = places(wanted, key);
  const inLive = places(live, key);
  const named = merged.filter((item) => inPatch(item) >= 0).sort((a, b) => inPatch(a) - inPatch(b));
  const others = merged.filter((item) => inPatch(item) < 0).sort((a, b) => inLive(a) - inLive(b));
  return interleave(others, named, inLive);
}

/** Of two that are next, the live-only one goes first where it stood before the other in the live list. */
function interleave(others: readonly Json[], named: readonly Json[], inLive: (item: Json) => number): Json[] {
  const out: Json[] = [];
  let i = 0;
  let j = 0;
  while (i < others.length || j < named.length) {
    const other = others[i];
    const next = named[j];
    if (next === undefined || (other !== undefined && before(inLive(other), inLive(next)))) {
      out.push(other as Json);
      i += 1;
    } else {
      out.push(next);
      j += 1;
    }
  }
  return out;
}

const before = (a: number, b: number): boolean => a >= 0 && b >= 0 && a < b;

/** Where an item first stands in a list, by its key or as a whole; -1: nowhere. Looked up, as lists come in any length. */
function places(list: readonly Json[], key: string | undefined): (item: Json) => number {
  const idOf = (item: Json) => (key === undefined ? identity(item) : isObject(item) ? identity(item[key]) : undefined);
  const found = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    const id = idOf(item);
    if (id !== undefined && !found.has(id)) found.set(id, i);
  }
  return (item) => {
    const id = idOf(item);
    return id === undefined ? -1 : (found.get(id) ?? -1);
  };
}
