// The configuration laid over the live object: the configuration wins, what it does not mention stays.
import { isObject, type Json, type JsonObject, member, put } from "../json.ts";
import type { Step } from "./fieldset.ts";
import { deducedSchema, type ListSchema, type MapSchema, type TypedSchema } from "./schema.ts";
import { atomOf, grouped, itemStep, memberSchema } from "./value.ts";

export function merge(live: Json, config: Json, schema: TypedSchema): Json {
  const atom = atomOf(schema, config);
  if (atom.of === "list" && atom.merge !== "atomic") return mergeLists(live, config, atom);
  if (atom.of === "map" && !atom.atomic) return mergeMaps(live, config, atom);
  return config;
}

function mergeMaps(live: Json, config: Json, map: MapSchema): Json {
  const before: JsonObject = isObject(live) ? live : {};
  const after: JsonObject = isObject(config) ? config : {};
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  if (names.size === 0) return config;
  const out: JsonObject = {};
  for (const name of names) {
    const [old, next] = [member(before, name), member(after, name)];
    if (next === undefined) put(out, name, old ?? null);
    else put(out, name, old === undefined ? next : merge(old, next, memberSchema(map, name) ?? deducedSchema));
  }
  return out;
}

/**
 * Items of the configuration keep its order; those that only the live list has stay before or after the same shared items.
 * Both lists are walked at once: a live item that comes later in the configuration waits for its turn there.
 */
function mergeLists(live: Json, config: Json, list: ListSchema): Json {
  const before = Array.isArray(live) ? live : [];
  const after = Array.isArray(config) ? config : [];
  if (before.length === 0 && after.length === 0) return config;
  const olds = grouped(before, list);
  const wanted = grouped(after, list);
  const shared = [...wanted.keys()].filter((step) => olds.has(step));
  const out: Json[] = [];
  let turn = 0; // which shared item comes next in the configuration
  const takeConfig = (item: Json): void => {
    const step = itemStep(list, item);
    const [old, ...more] = step === undefined ? [] : (olds.get(step) ?? []);
    // Several live items under one key give way as a block.
    out.push(old === undefined || more.length > 0 ? item : merge(old, item, list.item()));
    if (step !== undefined && step === shared[turn]) turn += 1;
  };
  let next = 0;
  for (const item of before) {
    const step: Step | undefined = itemStep(list, item);
    if (step === undefined || !wanted.has(step)) {
      out.push(item);
      continue;
    }
    if (step !== shared[turn]) continue;
    for (const here = turn; turn === here && next < after.length; ) {
      const mine = after[next];
      next += 1;
      if (mine !== undefined) takeConfig(mine);
    }
  }
  for (const item of after.slice(next)) takeConfig(item);
  return out;
}
