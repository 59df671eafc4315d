// What running an expression may cost at most, judged by the bounds that the schema sets. Sizes of strings are bytes.
import type { Structural } from "@telltale/kinds";
import type { Expr, Loop } from "./ast.ts";
import { schemaSizes } from "./budget.ts";
import { type Checked, typeNames } from "./check.ts";
import { escapeProperty, type Type } from "./types.ts";

/** The estimate for one evaluation. `schemas` tells the bounds of variables. */
export function estimate(expr: Expr, checked: Checked, schemas: Readonly<Record<string, Structural>>): number {
  const shapes = new Map(Object.entries(schemas).map(([name, schema]) => [name, shapeOf(schema)]));
  return visit(expr, { checked, shapes }).cost;
}

/** What is known of a value before it is there: its largest size, and of its parts. */
interface Shape {
  readonly size: number;
  readonly field: (name: string) => Shape;
  readonly element: () => Shape;
  /** Of a map. */
  readonly key: () => Shape;
}

interface Scope {
  readonly checked: Checked;
  readonly shapes: ReadonlyMap<string, Shape>;
}

interface Estimate {
  readonly cost: number;
  readonly shape: Shape;
}

/** Upstream's bound of what has none. */
const unbounded = 2 ** 64;
const byteCost = 0.1;

const sized = (size: number, element: () => Shape = () => unknown): Shape => ({
  size,
  field: () => unknown,
  element,
  key: () => unknown,
});
const unknown: Shape = sized(unbounded);
const scalar: Shape = sized(1);
const nothing: Shape = sized(0);

function shapeOf(schema: Structural | undefined): Shape {
  if (schema === undefined) return unknown;
  return {
    size: schemaSizes(schema).most,
    field: (name) => {
      const properties = schema.properties ?? {};
      const own = Object.keys(properties).find((property) => property === name || escapeProperty(property) === name);
      if (own !== undefined) return shapeOf(properties[own]);
      return schema.additionalProperties === undefined ? unknown : shapeOf(schema.additionalProperties);
    },
    element: () => shapeOf(schema.items ?? schema.additionalProperties),
    // Measured: keys of maps count as nothing.
    key: () => nothing,
  };
}

function visit(expr: Expr, scope: Scope): Estimate {
  switch (expr.kind) {
    case "literal":
      return {
        cost: 0,
        shape: typeof expr.value === "string" || expr.value instanceof Uint8Array ? sized(expr.value.length) : scalar,
      };
    case "ident":
      return { cost: 1, shape: scope.shapes.get(expr.name) ?? (typeNames.has(expr.name) ? scalar : unknown) };
    case "select": {
      const target = visit(expr.target, scope);
      return { cost: target.cost + 1, shape: target.shape.field(expr.field) };
    }
    case "has":
      return { cost: visit(expr.target, scope).cost + 1, shape: scalar };
    case "list": {
      const items = expr.items.map((item) => visit(item, scope));
      const first = expr.items[0];
      const element = first === undefined ? scalar : resultShape(scope.checked.typeAt(first));
      return { cost: 10 + sum(items), shape: sized(items.length, () => element) };
    }
    case "map": {
      const parts = expr.entries.flat().map((part) => visit(part, scope));
      return { cost: 30 + sum(parts), shape: sized(expr.entries.length) };
    }
    case "call":
      return call(expr, scope);
    case "loop":
      return loop(expr, scope);
  }
}

const sum = (parts: readonly Estimate[]): number => parts.reduce((total, part) => total + part.cost, 0);

function call(expr: Expr & { kind: "call" }, scope: Scope): Estimate {
  const namespaced = scope.checked.overloadsAt(expr)[0]?.member === false;
  const nodes = expr.target === undefined || namespaced ? expr.args : [expr.target, ...expr.args];
  const args = nodes.map((arg) => visit(arg, scope));
  const types = nodes.map((arg) => scope.checked.typeAt(arg));
  const [a = none, b = none, c = none] = args;
  if (expr.name === "_&&_" || expr.name === "_||_") return { cost: sum(args), shape: scalar };
  if (expr.name === "_?_:_") {
    const wider = b.shape.size >= c.shape.size ? b.shape : c.shape;
    return { cost: a.cost + Math.max(b.cost, c.cost), shape: wider };
  }
  const { work, shape } = effect(expr.name, a.shape, b.shape, types);
  return { cost: sum(args) + work, shape: shape ?? resultShape(scope.checked.typeAt(expr)) };
}

const none: Estimate = { cost: 0, shape: scalar };

/** Results of unknown make: numbers are small, texts may be of any length. */
const resultShape = (type: Type): Shape =>
  ["int", "uint", "double", "bool", "timestamp", "duration", "null"].includes(type.kind) ? scalar : unknown;

const perByte = (size: number): number => Math.ceil(size * byteCost);

/** What the function itself costs, and the shape of its result where that is known. */
function effect(name: string, a: Shape, b: Shape, types: readonly Type[]): { work: number; shape?: Shape } {
  const [first, second] = types.map((type) => type.kind);
  const text = first === "string" || first === "bytes";
  const list = first === "list";
  switch (name) {
    case "_+_":
      if (text) return { work: perByte(a.size + b.size), shape: sized(a.size + b.size) };
      return list ? { work: 1, shape: sized(a.size + b.size, a.element) } : { work: 1 };
    case "_==_":
    case "_!=_":
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return { work: perByte(Math.min(comparable(a, first), comparable(b, second))) };
    case "@in":
      return { work: second === "list" ? b.size : 1 };
    case "_[_]":
      return { work: 1, shape: a.element() };
    case "contains":
      if (list) return { work: a.size * b.size };
      return { work: perByte(a.size) * Math.max(1, perByte(b.size)) };
    case "startsWith":
    case "endsWith":
      return { work: Math.max(1, perByte(b.size)) };
    case "matches":
    case "find":
      return { work: perByte(a.size + 1) * Math.ceil(b.size * 0.25), shape: a };
    case "findAll":
      return { work: perByte(a.size + 1) * Math.ceil(b.size * 0.25), shape: sized(a.size, () => a) };
    case "split":
      // Measured: gone through twice, and the parts count as nothing.
      return { work: Math.ceil(a.size * 2 * byteCost), shape: sized(a.size, () => nothing) };
    case "replace":
    case "lowerAscii":
    case "upperAscii":
    case "trim":
    case "substring":
      return { work: Math.max(1, perByte(a.size)), shape: a };
    case "charAt":
      return { work: 1, shape: sized(4) };
    case "join": {
      const size = a.size * (a.element().size + b.size);
      return { work: perByte(size), shape: sized(size) };
    }
    case "indexOf":
    case "lastIndexOf":
      return { work: list ? a.size : Math.max(1, perByte(a.size)) };
    case "isSorted":
    case "min":
    case "max":
      return { work: a.size * Math.max(1, perByte(a.element().size)), shape: a.element() };
    case "sum":
    case "flatten":
      return { work: a.size, shape: a.element() };
    case "sort":
    case "distinct":
    case "reverse":
    case "slice":
      return { work: a.size, shape: a };
    case "equivalent":
    case "intersects":
      return { work: a.size * b.size };
    case "quantity":
    case "isQuantity":
    case "url":
    case "isURL":
    case "ip":
    case "isIP":
    case "cidr":
    case "isCIDR":
    case "semver":
    case "isSemver":
    case "validate":
      return { work: Math.max(1, perByte(text ? a.size : b.size)) };
    case "bytes":
    case "string":
      return text ? { work: Math.max(1, perByte(a.size)), shape: a } : { work: 1 };
    case "orValue":
    case "or":
      return { work: 1, shape: a.size >= b.size ? a : b };
    case "value":
    case "optional.of":
    case "of":
    case "dyn":
      return { work: 1, shape: a };
    default:
      return { work: 1 };
  }
}

const comparable = (shape: Shape, kind: string | undefined): number =>
  kind === "string" ||
  kind === "bytes" ||
  kind === "list" ||
  kind === "map" ||
  kind === "object" ||
  kind === "dyn" ||
  kind === "type"
    ? shape.size
    : 1;

function loop(expr: Expr & Loop, scope: Scope): Estimate {
  const range = visit(expr.range, scope);
  const isMap = scope.checked.typeAt(expr.range).kind === "map";
  const element = range.shape.element();
  const key = isMap ? range.shape.key() : scalar;
  const optional = expr.macro === "optMap" || expr.macro === "optFlatMap";
  const bound = optional ? [range.shape] : expr.names.length === 2 ? [key, element] : [isMap ? key : element];
  const shapes = new Map([...scope.shapes, ...expr.names.map((name, i) => [name, bound[i] ?? unknown] as const)]);
  const body = visit(expr.body, { ...scope, shapes });
  const filter = expr.filter === undefined ? 0 : visit(expr.filter, { ...scope, shapes }).cost;
  if (optional) return { cost: range.cost + body.cost + 2, shape: body.shape };
  const [fixed, perRound] = rounds[expr.macro] ?? [2, 12];
  const times = range.shape.size;
  const shape = results[expr.macro]?.(range.shape, body.shape) ?? scalar;
  return { cost: range.cost + fixed + times * (perRound + filter + body.cost), shape };
}

/** What a macro's own machinery costs: once, and per round. */
const rounds: Readonly<Record<string, readonly [number, number]>> = {
  all: [1, 3],
  exists: [1, 4],
  exists_one: [2, 2],
  filter: [11, 13],
  map: [11, 12],
  transformList: [11, 12],
};

const results: Readonly<Record<string, (range: Shape, body: Shape) => Shape>> = {
  map: (range, body) => sized(range.size, () => body),
  filter: (range) => range,
  sortBy: (range) => range,
  transformList: (range, body) => sized(range.size, () => body),
  transformMap: (range, body) => sized(range.size, () => body),
  transformMapEntry: (range) => sized(range.size),
};
