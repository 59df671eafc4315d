// The order of a merged list: items that the patch names in the order of the patch, and the others where they were among them.
import { deepEqual } from "@telltale/kinds";
import { isObject, type Json } from "../json.ts";

/** Merged items in order: `wanted` is the order of the patch, `live` that of the live list. */
export function ordered(merged: readonly Json[], wanted: readonly Json[], live: readonly Json[], key: string | undefined): Json[] {
  const named = merged.filter((item) => indexIn(wanted, item, key) >= 0).sort((a, b) => indexIn(wanted, a, key) - indexIn(wanted, b, key));
  const others = merged.filter((item) => indexIn(wanted, item, key) < 0).sort((a, b) => indexIn(live, a, key) - indexIn(live, b, key));
  return interleave(others, named, live, key);
}

/** Of two that are next, the live-only one goes first where it stood before the other in the live list. */
function interleave(others: readonly Json[], named: readonly Json[], live: readonly Json[], key: string | undefined): Json[] {
  const out: Json[] = [];
  let i = 0;
  let j = 0;
  while (i < others.length || j < named.length) {
    const other = others[i];
    const next = named[j];
    if (next === undefined || (other !== undefined && before(other, next, live, key))) {
      out.push(other as Json);
      i += 1;
    } else {
      out.push(next);
      j += 1;
    }
  }
  return out;
}

function before(a: Json, b: Json, live: readonly Json[], key: string | undefined): boolean {
  const at = indexIn(live, a, key);
  const other = indexIn(live, b, key);
  return at >= 0 && other >= 0 && at < other;
}

function indexIn(list: readonly Json[], item: Json, key: string | undefined): number {
  return list.findIndex((other) =>
    key === undefined ? deepEqual(other, item) : isObject(other) && isObject(item) && deepEqual(other[key], item[key]),
  );
}
