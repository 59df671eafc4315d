// Pruning: what the schema does not declare is dropped, and said where it was. Section 12.3.
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import { itemsOf, propertyOf, type Schema, typeMembers, valuesOf } from "./schema.ts";

export interface Pruned {
  readonly value: Json;
  /** `spec.l[0].q`, as warnings name them, sorted. */
  readonly dropped: string[];
}

/** The value without undeclared members. A root counts as an embedded resource: apiVersion, kind and metadata stay. */
export function prune(schema: Schema, value: Json, root: boolean): Pruned {
  const dropped: string[] = [];
  const kept = pruneNode(root ? { ...schema, "x-kubernetes-embedded-resource": true } : schema, value, "", dropped);
  return { value: kept, dropped: dropped.sort() };
}

function pruneNode(schema: Schema | undefined, value: Json, path: string, dropped: string[]): Json {
  if (Array.isArray(value)) {
    const keep = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
    const items = itemsOf(schema);
    // Items of a list that keeps everything are kept the same way, whatever their own schema says.
    const each = keep && items !== undefined ? { ...items, "x-kubernetes-preserve-unknown-fields": true } : items;
    return keep && each === undefined
      ? value
      : share(value, (item, i) => pruneNode(each, item, `${path}[${i}]`, dropped));
  }
  return isObject(value) ? pruneObject(schema, value, path, dropped) : value;
}

function pruneObject(schema: Schema | undefined, value: JsonObject, path: string, dropped: string[]): JsonObject {
  const free = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  const resource = schema?.["x-kubernetes-embedded-resource"] === true;
  const map = schema?.additionalProperties !== undefined;
  const out: JsonObject = {};
  let changed = false;
  for (const [name, member] of Object.entries(value)) {
    const here = path === "" ? name : `${path}.${name}`;
    const property = propertyOf(schema, name);
    if (resource && typeMembers.has(name)) put(out, name, member);
    else if (property !== undefined || map) {
      const kept = pruneNode(property ?? valuesOf(schema), member, here, dropped);
      changed ||= kept !== member;
      put(out, name, kept);
    } else if (free) put(out, name, member);
    else {
      changed = true;
      dropped.push(here);
    }
  }
  return changed ? out : value;
}

/** A list after a change of its items; the same list when none changed. */
function share(list: Json[], change: (item: Json, index: number) => Json): Json[] {
  const out = list.map(change);
  return out.some((item, i) => item !== list[i]) ? out : list;
}
