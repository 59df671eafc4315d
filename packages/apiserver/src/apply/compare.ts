// What changed between two values of one type, as sets of fields.
import { deepEqual } from "@telltale/kinds";
import { isObject, type Json, type JsonObject, member } from "../json.ts";
import { Collector, type FieldSet, fieldStep, type Path, type Step } from "./fieldset.ts";
import { deducedSchema, type ListSchema, type MapSchema, type TypedSchema } from "./schema.ts";
import { type Atom, atomOf, grouped, memberSchema } from "./value.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Containers that are on one side only are in the sets as well as what is in them. */
export function compare(old: Json, next: Json, schema: TypedSchema): Comparison {
  const walk = new Walk();
  walk.both(old, next, schema, []);
  return { added: walk.added.set(), modified: walk.modified.set(), removed: walk.removed.set() };
}

type Side = Json | undefined;

class Walk {
  readonly added = new Collector();
  readonly modified = new Collector();
  readonly removed = new Collector();

  both(old: Side, next: Side, schema: TypedSchema, path: Path): void {
    if (old === next) return; // objects share what does not change
    const [before, after] = [atomOf(schema, old), atomOf(schema, next)];
    // A missing side has no form of its own.
    if (next === undefined) this.#as(before, old, next, path);
    else if (old === undefined || before === after) this.#as(after, old, next, path);
    else {
      this.#as(before, old, next, path);
      this.#as(after, old, next, path);
    }
  }

  #as(atom: Atom, old: Side, next: Side, path: Path): void {
    if (atom.of === "scalar") this.#leaf(old, next, path);
    else if (atom.of === "list") this.#list(atom, old, next, path);
    else this.#map(atom, old, next, path);
  }

  #leaf(old: Side, next: Side, path: Path): void {
    if (old === undefined) this.added.insert(path);
    else if (next === undefined) this.removed.insert(path);
    else if (!deepEqual(old, next)) this.modified.insert(path);
  }

  /** A container on one side only. */
  #appeared(old: Side, next: Side, path: Path): void {
    if (old === undefined) this.added.insert(path);
    else if (next === undefined) this.removed.insert(path);
  }

  #list(list: ListSchema, old: Side, next: Side, path: Path): void {
    const before = Array.isArray(old) ? old : [];
    const after = Array.isArray(next) ? next : [];
    // Null and empty stay different things when there is nothing inside to tell of.
    if (list.merge === "atomic" || (before.length === 0 && after.length === 0)) {
      this.#leaf(old, next, path);
      return;
    }
    const [left, right] = [grouped(before, list), grouped(after, list)];
    for (const step of new Set([...left.keys(), ...right.keys()])) {
      this.#items(list, left.get(step) ?? [], right.get(step) ?? [], [...path, step]);
    }
    this.#appeared(old, next, path);
  }

  #items(list: ListSchema, before: readonly Json[], after: readonly Json[], path: Path): void {
    if (before.length <= 1 && after.length <= 1) this.both(before[0], after[0], list.item(), path);
    // Several items under one key, which live objects may have: a block.
    else if (before.length === 0) this.added.insert(path);
    else if (after.length === 0) this.removed.insert(path);
    else if (!deepEqual(before, after)) this.modified.insert(path);
  }

  #map(map: MapSchema, old: Side, next: Side, path: Path): void {
    const before: JsonObject = isObject(old) ? old : {};
    const after: JsonObject = isObject(next) ? next : {};
    const names = Object.keys(after);
    const owned = names.length;
    const hasBefore = old !== undefined;
    if (hasBefore) for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) names.push(name);
    if (map.atomic || names.length === 0) {
      this.#leaf(old, next, path);
      return;
    }
    // One path for all: whoever keeps one, copies it.
    const here: Step[] = [...path, fieldStep("")];
    for (const [i, name] of names.entries()) {
      here[path.length] = fieldStep(name);
      const schema = memberSchema(map, name) ?? deducedSchema;
      this.both(hasBefore ? member(before, name) : undefined, i < owned ? after[name] : undefined, schema, here);
    }
    this.#appeared(old, next, path);
  }
}
