// Sets of fields, as tries: who owns what. Written and read as the `fieldsV1` of a managedFields entry.
import { isObject, type Json, type JsonObject, put, rememberLevels, stringify } from "../json.ts";

/** A step of a path as `fieldsV1` spells it: `f:name`, `k:{"name":"a"}`, `v:"x"` or `i:0`. */
export type Step = string;
export type Path = readonly Step[];

export const fieldStep = (name: string): Step => `f:${name}`;
export const keyStep = (key: JsonObject): Step => `k:${stringify(sortedMembers(key))}`;
export const valueStep = (value: Json): Step => `v:${stringify(value)}`;

/** The set of these paths of field names: `fieldSetOf(["status"], ["metadata", "name"])`. */
export function fieldSetOf(...paths: string[][]): FieldSet {
  return FieldSet.of(paths.map((path) => path.map(fieldStep)));
}

/** A node of the trie. Sets are values: every operation answers with a new one. */
export class FieldSet {
  static readonly empty: FieldSet = new FieldSet(false, new Map());
  /** Just the path that leads here: what most nodes are. */
  static readonly leaf: FieldSet = new FieldSet(true, FieldSet.empty.children);

  /** Whether the path that leads here is in the set. */
  readonly own: boolean;
  readonly children: ReadonlyMap<Step, FieldSet>;
  #json: JsonObject | undefined;

  private constructor(own: boolean, children: ReadonlyMap<Step, FieldSet>) {
    this.own = own;
    this.children = children;
  }

  /** A node; children without any member are left out. */
  static node(own: boolean, children: Iterable<readonly [Step, FieldSet]>): FieldSet {
    const kept = new Map<Step, FieldSet>();
    for (const [step, child] of children) if (!child.isEmpty) kept.set(step, child);
    if (kept.size === 0) return own ? FieldSet.leaf : FieldSet.empty;
    return new FieldSet(own, kept);
  }

  /** The same, of children that each have a member. */
  static withChildren(own: boolean, children: ReadonlyMap<Step, FieldSet>): FieldSet {
    return new FieldSet(own, children);
  }

  static of(paths: Iterable<Path>): FieldSet {
    const collected = new Collector();
    for (const path of paths) collected.insert(path);
    return collected.set();
  }

  get isEmpty(): boolean {
    return !this.own && this.children.size === 0;
  }

  /** What is below a step; the empty set where nothing is. */
  child(step: Step): FieldSet {
    return this.children.get(step) ?? FieldSet.empty;
  }

  has(path: Path): boolean {
    let here: FieldSet = this;
    for (const step of path) here = here.child(step);
    return here.own;
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty) return other;
    if (other.isEmpty || this === other) return this;
    const children = new Map(this.children);
    for (const [step, theirs] of other.children)
      children.set(step, (children.get(step) ?? FieldSet.empty).union(theirs));
    return FieldSet.node(this.own || other.own, children);
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return FieldSet.empty;
    return this.each(this.own && other.own, (mine, step) => mine.intersection(other.child(step)));
  }

  /** Without the members of the other set; what is below them stays. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return this.each(this.own && !other.own, (mine, step) => mine.difference(other.child(step)));
  }

  /** Whether all members of the other set are members. */
  includes(other: FieldSet): boolean {
    if (this === other) return true;
    if (other.own && !this.own) return false;
    for (const [step, theirs] of other.children) if (!this.child(step).includes(theirs)) return false;
    return true;
  }

  /** Without the members of the other set and all that is below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.own) return FieldSet.empty;
    if (this.isEmpty || other.isEmpty) return this;
    return this.each(this.own, (mine, step) => mine.recursiveDifference(other.child(step)));
  }

  /** Only the members with no member below them. */
  leaves(): FieldSet {
    return this.each(this.own && this.children.size === 0, (mine) => mine.leaves());
  }

  /** With something else in the place of each child. A set that stays as it is, is the same one: most of them do. */
  each(own: boolean, other: (child: FieldSet, step: Step) => FieldSet): FieldSet {
    let kept: Map<Step, FieldSet> | undefined;
    for (const [step, child] of this.children) {
      const now = other(child, step);
      if (now === child) continue;
      kept ??= new Map(this.children);
      if (now.isEmpty) kept.delete(step);
      else kept.set(step, now);
    }
    if (kept === undefined && own === this.own) return this;
    const children = kept ?? this.children;
    if (children.size === 0) return own ? FieldSet.leaf : FieldSet.empty;
    return new FieldSet(own, children);
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.own !== other.own || this.children.size !== other.children.size) return false;
    for (const [step, mine] of this.children) {
      const theirs = other.children.get(step);
      if (theirs === undefined || !mine.equals(theirs)) return false;
    }
    return true;
  }

  /** All paths; the members of a node come before those of its children. */
  paths(): Path[] {
    const found: Path[] = [];
    const below = (set: FieldSet, path: Path): void => {
      const steps = [...set.children].sort(([a], [b]) => compareSteps(a, b));
      for (const [step, child] of steps) if (child.own) found.push([...path, step]);
      for (const [step, child] of steps) below(child, [...path, step]);
    };
    below(this, []);
    return found;
  }

  /** The `fieldsV1` of this set, in canonical order. */
  toJson(): JsonObject {
    this.#json ??= this.#written();
    return this.#json;
  }

  #written(): JsonObject {
    const out: JsonObject = {};
    if (this.own && this.children.size > 0) out["."] = {};
    let areLeaves = true;
    // Most are in order already.
    const children = isSorted(this.children.keys())
      ? this.children
      : [...this.children].sort(([a], [b]) => compareSteps(a, b));
    for (const [step, child] of children) {
      put(out, step, child.toJson());
      areLeaves &&= child === FieldSet.leaf;
    }
    if (areLeaves && this.children.size > 0) rememberLevels(out, 2);
    return out;
  }

  /** Reads a `fieldsV1`; undefined when it is none. */
  static parse(json: Json | undefined): FieldSet | undefined {
    if (!isObject(json)) return undefined;
    const known = parsed.get(json);
    if (known !== undefined) return known;
    try {
      const set = parseNode(json, false, 0);
      parsed.set(json, set);
      return set;
    } catch (error) {
      if (error instanceof Malformed) return undefined;
      throw error;
    }
  }
}

/** What was read before: a stored object is written to again and again, and most of its managers stay. */
const parsed = new WeakMap<JsonObject, FieldSet>();

/** Collects paths one by one. */
export class Collector {
  #own = false;
  #children: Map<Step, Collector | FieldSet> | undefined;
  /** A set has the children: they must not change any more. */
  #isTaken = false;

  insert(path: Path): void {
    let here: Collector = this;
    for (const [i, step] of path.entries()) {
      if (i === path.length - 1) here.#mark(step);
      else here = here.#child(step);
    }
    // Nobody owns the object as a whole.
  }

  /** Most children are leaves: nothing is made for them. */
  #mark(step: Step): void {
    const children = this.#open();
    const found = children.get(step);
    if (found === undefined) children.set(step, FieldSet.leaf);
    else if (found instanceof Collector) found.#own = true;
  }

  #child(step: Step): Collector {
    const children = this.#open();
    const found = children.get(step);
    if (found instanceof Collector) return found;
    const made = new Collector();
    made.#own = found !== undefined;
    children.set(step, made);
    return made;
  }

  #open(): Map<Step, Collector | FieldSet> {
    this.#children = this.#isTaken ? new Map(this.#children) : (this.#children ?? new Map());
    this.#isTaken = false;
    return this.#children;
  }

  set(): FieldSet {
    if (this.#children === undefined) return this.#own ? FieldSet.leaf : FieldSet.empty;
    if (areSets(this.#children)) {
      this.#isTaken = true;
      return FieldSet.withChildren(this.#own, this.#children);
    }
    const children = new Map<Step, FieldSet>();
    for (const [step, child] of this.#children) children.set(step, child instanceof Collector ? child.set() : child);
    return FieldSet.withChildren(this.#own, children);
  }
}

function areSets(children: ReadonlyMap<Step, Collector | FieldSet>): children is ReadonlyMap<Step, FieldSet> {
  for (const child of children.values()) if (child instanceof Collector) return false;
  return true;
}

/** A path as messages show it: `.spec.containers[name="a"].image`, `.metadata.finalizers[="x"]`. */
export const shownPath = (path: Path): string => path.map(shownStep).join("");

export function shownStep(step: Step): string {
  const rest = step.slice(2);
  if (step.startsWith("f:")) return `.${rest}`;
  if (step.startsWith("v:")) return `[=${rest}]`;
  if (step.startsWith("i:")) return `[${rest}]`;
  const key = JSON.parse(rest) as JsonObject;
  return `[${Object.keys(key)
    .map((name) => `${name}=${JSON.stringify(key[name])}`)
    .join(",")}]`;
}

class Malformed extends Error {}

/** Deeper than any object that the server takes. */
const deepest = 2_000;

function parseNode(json: JsonObject, own: boolean, depth: number): FieldSet {
  if (depth > deepest) throw new Malformed();
  const names = Object.keys(json);
  if (names.length === 0) return own ? FieldSet.leaf : FieldSet.empty;
  const children = new Map<Step, FieldSet>();
  let here = false;
  for (const name of names) {
    const inner = json[name];
    if (!isObject(inner)) throw new Malformed();
    if (name === ".") {
      here = own;
      continue;
    }
    const step = canonicalStep(name);
    children.set(step, (children.get(step) ?? FieldSet.empty).union(parseNode(inner, true, depth + 1)));
  }
  return FieldSet.node(here, children);
}

function canonicalStep(name: string): Step {
  const rest = name.slice(2);
  switch (name.slice(0, 2)) {
    case "f:":
      return name;
    case "i:":
      if (!/^-?\d+$/.test(rest)) throw new Malformed();
      return `i:${Number(rest)}`;
    case "v:":
      return valueStep(jsonOf(rest));
    case "k:": {
      const key = jsonOf(rest);
      if (!isObject(key)) throw new Malformed();
      return keyStep(key);
    }
    default:
      throw new Malformed();
  }
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Malformed();
  }
}

function sortedMembers(key: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const name of Object.keys(key).sort()) put(out, name, key[name] ?? null);
  return out;
}

const kinds = "fkvi";

/** Field names before keys, values and indexes; then by what they hold. */
function isSorted(steps: Iterable<Step>): boolean {
  let before: Step | undefined;
  for (const step of steps) {
    if (before !== undefined && compareSteps(before, step) > 0) return false;
    before = step;
  }
  return true;
}

function compareSteps(a: Step, b: Step): number {
  if (a[0] !== b[0]) return kinds.indexOf(a[0] ?? "") - kinds.indexOf(b[0] ?? "");
  if (a.startsWith("f:")) return a < b ? -1 : a > b ? 1 : 0;
  return compareJson(JSON.parse(a.slice(2)) as Json, JSON.parse(b.slice(2)) as Json);
}

/** Numbers before strings before booleans before the rest. */
function compareJson(a: Json, b: Json): number {
  const byKind = rank(a) - rank(b);
  if (byKind !== 0) return byKind;
  if (isObject(a) && isObject(b)) return compareKeys(a, b);
  if (Array.isArray(a) || Array.isArray(b)) return compareJson(stringify(a), stringify(b));
  if (a === null || b === null || isObject(a) || isObject(b)) return 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const [left, right] = [Object.keys(a), Object.keys(b)];
  for (const [i, name] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    const order = name === other ? compareJson(a[name] ?? null, b[name] ?? null) : name < other ? -1 : 1;
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function rank(value: Json): number {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}
