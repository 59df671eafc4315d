// A checked expression as something that can be run: nodes become closures once, running them counts the work.
import { type Expr, type Loop, qualifiedName } from "./ast.ts";
import { type Checked, typeNames } from "./check.ts";
import { fits, type Overload } from "./function.ts";
import { sortBy } from "./library/lists.ts";
import { BuiltMap, CelError, kindOf, List, Mapping, Optional, TypeValue, Uint, type Value } from "./values.ts";

export type Run = (scope: Scope) => Value;

/** Names and the work done so far. */
export interface Scope {
  readonly names: Readonly<Record<string, Value | (() => Value)>>;
  readonly outer?: Scope;
  readonly meter: Meter;
}

/** Counts work; too much of it ends the evaluation. */
export class Meter {
  spent = 0;
  readonly limit: number;
  constructor(limit: number) {
    this.limit = limit;
  }
  charge(work: number): void {
    this.spent += work;
    if (this.spent > this.limit) throw new CelError("operation cancelled: actual cost limit exceeded", true);
  }
}

export function build(expr: Expr, checked: Checked): Run {
  const down = (node: Expr): Run => build(node, checked);
  switch (expr.kind) {
    case "literal":
      return () => expr.value;
    case "ident":
      return ident(expr.name);
    case "select":
      return checked.isVariable(expr) ? ident(qualifiedName(expr) ?? "") : select(expr, down(expr.target));
    case "has":
      return presence(expr.field, down(expr.target));
    case "list": {
      const items = expr.items.map(down);
      return (scope) => {
        scope.meter.charge(10);
        return List.of(items.flatMap((item, i) => element(item(scope), expr.optional.has(i))));
      };
    }
    case "map": {
      const entries = expr.entries.map(([key, value]) => [down(key), down(value)] as const);
      return (scope) => {
        scope.meter.charge(30);
        const map = new BuiltMap();
        entries.forEach(([key, value], i) => {
          for (const made of element(value(scope), expr.optional.has(i))) map.set(key(scope), made);
        });
        return map;
      };
    }
    case "call":
      return call(expr, checked, down);
    case "loop":
      return loop(expr, down);
  }
}

/** What an element of a literal adds: itself, or what an optional holds. */
function element(value: Value, optional: boolean): readonly Value[] {
  if (!optional) return [value];
  if (!(value instanceof Optional)) throw new CelError(`cannot initialize optional element from non-optional value`);
  return value.value === undefined ? [] : [value.value];
}

function ident(name: string): Run {
  const type = typeNames.get(name);
  return (scope) => {
    scope.meter.charge(1);
    for (let here: Scope | undefined = scope; here !== undefined; here = here.outer) {
      if (!Object.hasOwn(here.names, name)) continue;
      const value = here.names[name];
      return typeof value === "function" ? value() : (value as Value);
    }
    if (type !== undefined) return new TypeValue(name);
    throw new CelError(`no such attribute(s): ${name}`);
  };
}

function select(expr: Expr & { kind: "select" }, target: Run): Run {
  const { field, optional } = expr;
  return (scope) => {
    scope.meter.charge(1);
    const from = target(scope);
    if (from instanceof Optional || optional) {
      const inner = from instanceof Optional ? from.value : from;
      if (inner === undefined) return Optional.none;
      const value = inner instanceof Mapping ? inner.get(field) : undefined;
      if (value === undefined && !optional) throw new CelError(`no such key: ${field}`);
      return value === undefined ? Optional.none : new Optional(value);
    }
    const value = from instanceof Mapping ? from.get(field) : undefined;
    if (value === undefined) throw new CelError(`no such key: ${field}`);
    return value;
  };
}

function presence(field: string, target: Run): Run {
  return (scope) => {
    scope.meter.charge(1);
    const from = target(scope);
    const inner = from instanceof Optional ? from.value : from;
    if (inner === undefined) return false;
    if (!(inner instanceof Mapping)) throw new CelError("no such overload");
    return inner.get(field) !== undefined;
  };
}

function call(expr: Expr & { kind: "call" }, checked: Checked, down: (node: Expr) => Run): Run {
  const overloads = checked.overloadsAt(expr);
  const namespaced = overloads[0]?.member === false && expr.target !== undefined;
  const args = (expr.target === undefined || namespaced ? expr.args : [expr.target, ...expr.args]).map(down);
  const [first, second, third] = args;
  if (expr.name === "_&&_" && first !== undefined && second !== undefined) return logic(first, second, false);
  if (expr.name === "_||_" && first !== undefined && second !== undefined) return logic(first, second, true);
  if (expr.name === "_?_:_" && first !== undefined && second !== undefined && third !== undefined)
    return (scope) => (truth(first(scope)) ? second(scope) : third(scope));
  const heavy = traversing.has(expr.name);
  return (scope) => {
    const values = args.map((arg) => arg(scope));
    scope.meter.charge(heavy ? 1 + weight(expr.name, values) : 1);
    return pick(overloads, values, expr.name).run(values);
  };
}

function pick(overloads: readonly Overload[], values: readonly Value[], name: string): Overload {
  for (const overload of overloads)
    if (overload.args.every((type, i) => fits(values[i] as Value, type))) return overload;
  // An index into something dynamic may be of any kind; the texts are those of the container.
  if (name === "_[_]" && values[0] instanceof List)
    throw new CelError(`unsupported index type '${kindOf(values[1] as Value)}' in list`);
  throw new CelError("no such overload");
}

/** `&&` and `||`: one operand that decides makes an error of the other one not count. */
function logic(left: Run, right: Run, decisive: boolean): Run {
  return (scope) => {
    let failure: CelError | undefined;
    for (const side of [left, right]) {
      try {
        if (truth(side(scope)) === decisive) return decisive;
      } catch (error) {
        if (!(error instanceof CelError) || error.fatal) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decisive;
  };
}

function truth(value: Value): boolean {
  if (typeof value !== "boolean") throw new CelError("no such overload");
  return value;
}

function loop(expr: Expr & Loop, down: (node: Expr) => Run): Run {
  const range = down(expr.range);
  const filter = expr.filter === undefined ? undefined : down(expr.filter);
  const body = down(expr.body);
  return (scope) => {
    const from = range(scope);
    if (expr.macro === "optMap" || expr.macro === "optFlatMap") return mapOptional(expr, from, body, scope);
    const steps = elements(from, expr.names).map(([key, element, names]) => {
      const inner: Scope = { names, outer: scope, meter: scope.meter };
      return {
        key,
        element,
        taken: () => {
          scope.meter.charge(3);
          return filter === undefined || truth(filter(inner));
        },
        value: () => body(inner),
      };
    });
    return collectors[expr.macro](steps);
  };
}

interface Step {
  readonly key: Value;
  readonly element: Value;
  readonly taken: () => boolean;
  readonly value: () => Value;
}

type Collector = (steps: readonly Step[]) => Value;

const collectors: Readonly<Record<Exclude<Loop["macro"], "optMap" | "optFlatMap">, Collector>> = {
  all: (steps) => quantified(steps, false),
  exists: (steps) => quantified(steps, true),
  exists_one: (steps) => steps.filter((s) => s.taken() && truth(s.value())).length === 1,
  map: (steps) => List.of(steps.filter((s) => s.taken()).map((s) => s.value())),
  filter: (steps) => List.of(steps.filter((s) => s.taken() && truth(s.value())).map((s) => s.element)),
  transformList: (steps) => List.of(steps.filter((s) => s.taken()).map((s) => s.value())),
  transformMap: (steps) => {
    const map = new BuiltMap();
    for (const step of steps) if (step.taken()) map.set(step.key, step.value());
    return map;
  },
  transformMapEntry: (steps) => {
    const map = new BuiltMap();
    for (const step of steps) if (step.taken()) insert(map, step.value());
    return map;
  },
  sortBy: (steps) =>
    sortBy(
      steps.map((s) => s.element),
      steps.map((s) => (s.taken() ? s.value() : null)),
    ),
};

function quantified(steps: readonly Step[], decisive: boolean): boolean {
  let failure: CelError | undefined;
  for (const step of steps) {
    try {
      if (step.taken() && truth(step.value()) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof CelError) || error.fatal) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

function insert(map: BuiltMap, entries: Value): void {
  if (!(entries instanceof Mapping)) throw new CelError("no such overload");
  for (const key of entries.keys()) {
    if (map.get(key) !== undefined) throw new CelError(`insert failed: key ${String(key)} already exists`);
    map.set(key, entries.get(key) ?? null);
  }
}

function mapOptional(expr: Expr & Loop, from: Value, body: Run, scope: Scope): Value {
  if (!(from instanceof Optional)) throw new CelError("no such overload");
  if (from.value === undefined) return Optional.none;
  const made = body({ names: { [expr.names[0] ?? ""]: from.value }, outer: scope, meter: scope.meter });
  return expr.macro === "optMap" ? new Optional(made) : made;
}

/** Key, element and the names bound, for every round of a loop. */
function elements(from: Value, names: readonly string[]): (readonly [Value, Value, Record<string, Value>])[] {
  const [first = "", second] = names;
  const bound = (key: Value, element: Value, single: Value): Record<string, Value> =>
    second === undefined ? { [first]: single } : { [first]: key, [second]: element };
  if (from instanceof List)
    return [...from].map((element, i) => [BigInt(i), element, bound(BigInt(i), element, element)] as const);
  if (from instanceof Mapping)
    return [...from.keys()].map((key) => {
      const element = from.get(key) ?? null;
      return [key, second === undefined ? key : element, bound(key, element, key)] as const;
    });
  throw new CelError("no such overload");
}

const traversing = new Set(
  "_+_ _==_ _!=_ _<_ _<=_ _>_ _>=_ @in contains startsWith endsWith matches find findAll replace split join trim lowerAscii upperAscii substring indexOf lastIndexOf isSorted sum min max sort distinct flatten reverse slice format bytes string quote quantity url ip cidr semver".split(
    " ",
  ),
);

function weight(name: string, values: readonly Value[]): number {
  const [first = null, second = null] = values;
  if (name === "matches" || name === "find" || name === "findAll")
    return Math.ceil((size(first) + 1) * 0.1) * Math.max(1, Math.ceil(size(second) * 0.25));
  if (name === "startsWith" || name === "endsWith") return Math.ceil(size(second) * 0.1);
  if (name === "@in") return size(second);
  if (name === "_==_" || name === "_!=_") return Math.ceil(Math.min(size(first), size(second)) * 0.1);
  const total = size(first) + (name === "_+_" ? size(second) : 0);
  const pairs = name === "contains" ? Math.max(1, Math.ceil(size(second) * 0.1)) : 1;
  return Math.ceil((first instanceof List && name !== "_+_" ? total : total * 0.1) * pairs);
}

function size(value: Value): number {
  if (typeof value === "string" || value instanceof Uint8Array || value instanceof List) return value.length;
  return value instanceof Mapping ? value.size : value instanceof Uint ? 1 : 0;
}
