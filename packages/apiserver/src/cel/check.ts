// The type checker: every node gets a type, every call its candidate overloads; what is wrong is told with upstream's words.
import type { Expr, Loop } from "./ast.ts";
import { qualifiedName } from "./ast.ts";
import type { Functions, Overload } from "./function.ts";
import type { Problem } from "./problem.ts";
import * as t from "./types.ts";
import { Unifier } from "./unify.ts";
import { Uint } from "./values.ts";

export interface Checked {
  readonly type: t.Type;
  readonly typeAt: (node: Expr) => t.Type;
  readonly overloadsAt: (node: Expr) => readonly Overload[];
  /** Whether `a.b` is not a field of `a` but a variable of that name. */
  readonly isVariable: (node: Expr) => boolean;
  readonly problems: readonly Problem[];
}

export function check(expr: Expr, variables: ReadonlyMap<string, t.Type>, functions: Functions): Checked {
  const checker = new Checker(functions);
  const type = checker.check(expr, { names: variables });
  return {
    type: checker.final(type),
    typeAt: (node) => checker.final(checker.types.get(node) ?? t.dyn),
    overloadsAt: (node) => checker.calls.get(node) ?? [],
    isVariable: (node) => checker.dotted.has(node),
    problems: checker.problems,
  };
}

interface Scope {
  readonly names: ReadonlyMap<string, t.Type>;
  readonly outer?: Scope;
}

function lookup(name: string, scope: Scope): t.Type | undefined {
  for (let here: Scope | undefined = scope; here !== undefined; here = here.outer) {
    const type = here.names.get(name);
    if (type !== undefined) return type;
  }
  return undefined;
}

class Checker {
  readonly types = new Map<Expr, t.Type>();
  readonly calls = new Map<Expr, readonly Overload[]>();
  readonly dotted = new Set<Expr>();
  readonly problems: Problem[] = [];
  readonly #functions: Functions;
  readonly #unifier = new Unifier();
  #mixed = false;

  constructor(functions: Functions) {
    this.#functions = functions;
  }

  final(type: t.Type): t.Type {
    return this.#unifier.final(type);
  }

  check(expr: Expr, scope: Scope): t.Type {
    const type = this.#typeOf(expr, scope);
    this.types.set(expr, type);
    return type;
  }

  #typeOf(expr: Expr, scope: Scope): t.Type {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value);
      case "ident":
        return this.#ident(expr, scope);
      case "select":
        return this.#select(expr, scope);
      case "has": {
        this.#field(this.check(expr.target, scope), expr.field, expr.at);
        return t.bool;
      }
      case "call":
        return this.#call(expr, scope);
      case "list": {
        const items = expr.items.map((item, i) => this.#element(item, expr.optional.has(i), scope));
        return t.list(this.#common(items, expr.items));
      }
      case "map": {
        const keys = expr.entries.map(([key]) => this.check(key, scope));
        const values = expr.entries.map(([, value], i) => this.#element(value, expr.optional.has(i), scope));
        return t.map(
          this.#common(
            keys,
            expr.entries.map(([key]) => key),
          ),
          this.#common(
            values,
            expr.entries.map(([, value]) => value),
          ),
        );
      }
      case "loop":
        return this.#loop(expr, scope);
    }
  }

  #ident(expr: Expr & { kind: "ident" }, scope: Scope): t.Type {
    const declared = lookup(expr.name, scope);
    if (declared !== undefined) return declared;
    const type = typeNames.get(expr.name);
    if (type !== undefined) return { kind: "type", of: type };
    return this.#fail(expr.at, `undeclared reference to '${expr.name}' (in container '')`);
  }

  #select(expr: Expr & { kind: "select" }, scope: Scope): t.Type {
    const dotted = lookup(qualifiedName(expr) ?? "", scope);
    if (dotted !== undefined) {
      this.dotted.add(expr);
      return dotted;
    }
    const target = this.#unifier.resolve(this.check(expr.target, scope));
    const type = this.#field(target, expr.field, expr.at);
    if (type.kind === "error") return type;
    return expr.optional || isOptional(target) ? t.optional(unwrapped(this.#unifier.resolve(type))) : type;
  }

  #field(given: t.Type, field: string, at: number): t.Type {
    const target = unwrapped(this.#unifier.resolve(given));
    switch (target.kind) {
      case "dyn":
      case "error":
      case "param":
        return t.dyn;
      case "map":
        return target.value;
      case "object":
        return target.fields.get(field)?.type ?? this.#fail(at, `undefined field '${field}'`);
      default:
        return this.#fail(at, `type '${t.typeName(this.final(target))}' does not support field selection`);
    }
  }

  #call(expr: Expr & { kind: "call" }, scope: Scope): t.Type {
    if (expr.name === "_&&_" || expr.name === "_||_") {
      for (const arg of expr.args) this.#mustBeBool(arg, this.check(arg, scope));
      return t.bool;
    }
    if (expr.target !== undefined) {
      const qualified = qualifiedName(expr.target);
      const name = `${qualified}.${expr.name}`;
      if (qualified !== undefined && this.#functions.has(name))
        return this.#resolve(expr, name, expr.args, false, scope);
      return this.#resolve(expr, expr.name, [expr.target, ...expr.args], true, scope);
    }
    return this.#resolve(expr, expr.name, expr.args, false, scope);
  }

  #resolve(expr: Expr, name: string, args: readonly Expr[], member: boolean, scope: Scope): t.Type {
    // What is formatted may be of any mixture of types.
    const before = this.#mixed;
    this.#mixed ||= name === "format" && member;
    const given = args.map((arg) => this.check(arg, scope));
    this.#mixed = before;
    const declared = this.#functions.get(name);
    if (declared === undefined) return this.#fail(expr.at, `undeclared reference to '${name}' (in container '')`);
    if (given.some((type) => type.kind === "error")) return t.errorType;
    const fitting: Overload[] = [];
    let result: t.Type | undefined;
    for (const overload of declared) {
      if (overload.member !== member || overload.args.length !== given.length) continue;
      const made = this.#unifier.apply(overload.args, given, overload.result);
      if (made === undefined) continue;
      fitting.push(overload);
      result = result === undefined || same(this.final(result), this.final(made)) ? made : t.dyn;
    }
    if (result === undefined) {
      const shown = given.map((type) => t.typeName(this.final(type)));
      const text = member ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
      return this.#fail(expr.at, `found no matching overload for '${name}' applied to '${text}'`);
    }
    this.calls.set(expr, fitting);
    return result;
  }

  #element(expr: Expr, optional: boolean, scope: Scope): t.Type {
    const type = this.check(expr, scope);
    if (!optional) return type;
    const inner = this.#unifier.fresh();
    if (this.#unifier.accept(t.optional(inner), type)) return inner;
    const name = t.typeName(this.final(type));
    return this.#fail(expr.at, `expected type 'optional_type(${name})' but found '${name}'`);
  }

  /** The type of all elements of a literal, which must agree. */
  #common(types: readonly t.Type[], nodes: readonly Expr[]): t.Type {
    let common: t.Type = this.#unifier.fresh();
    let first: t.Type | undefined;
    types.forEach((type, i) => {
      if (this.#unifier.accept(common, type)) {
        first ??= type;
        common = this.#unifier.general(common, type);
        return;
      }
      const node = nodes[i];
      common = t.dyn;
      if (node !== undefined && first !== undefined && !this.#mixed)
        this.#fail(
          node.at,
          `expected type '${t.typeName(this.final(first))}' but found '${t.typeName(this.final(type))}'`,
        );
    });
    return common;
  }

  #loop(expr: Expr & Loop, scope: Scope): t.Type {
    const range = this.#unifier.resolve(this.check(expr.range, scope));
    const names = this.#elements(expr, range);
    const inner: Scope = { names: new Map(expr.names.map((name, i) => [name, names[i] ?? t.dyn])), outer: scope };
    const filter = expr.filter === undefined ? undefined : this.check(expr.filter, inner);
    const body = this.check(expr.body, inner);
    if (filter !== undefined) this.#mustChoose(expr, filter, t.list(body));
    switch (expr.macro) {
      case "all":
      case "exists":
        return this.#mustBeBool(expr.body, body);
      case "exists_one":
        return this.#mustChoose(expr, body, t.int);
      case "filter":
        this.#mustChoose(expr, body, t.list(names[0] ?? t.dyn));
        return t.list(names[0] ?? t.dyn);
      case "map":
      case "transformList":
        return t.list(body);
      case "transformMap":
        return t.map(names[0] ?? t.dyn, body);
      case "transformMapEntry":
        return body;
      case "sortBy":
        return range;
      case "optMap":
        return t.optional(body);
      case "optFlatMap":
        return body;
    }
  }

  #elements(expr: Expr & Loop, range: t.Type): readonly t.Type[] {
    const two = expr.names.length === 2;
    if (range.kind === "dyn" || range.kind === "error" || range.kind === "param") return [t.dyn, t.dyn];
    if (expr.macro === "optMap" || expr.macro === "optFlatMap") {
      if (isOptional(range)) return [unwrapped(range)];
      const text = `found no matching overload for 'hasValue' applied to '${t.typeName(this.final(range))}.()'`;
      return [this.#fail(expr.at, text)];
    }
    if (range.kind === "list") return two ? [t.int, range.of] : [range.of];
    if (range.kind === "map") return [range.key, range.value];
    const name = t.typeName(this.final(range));
    const text = `expression of type '${name}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    return [this.#fail(expr.range.at, text), t.errorType];
  }

  #mustBeBool(body: Expr, type: t.Type): t.Type {
    if (this.#unifier.accept(t.bool, type)) return t.bool;
    return this.#fail(body.at, `expected type 'bool' but found '${t.typeName(this.final(type))}'`);
  }

  /** Macros that take or leave an element stand for `test ? result with it : result`. */
  #mustChoose(expr: Expr, test: t.Type, result: t.Type): t.Type {
    if (this.#unifier.accept(t.bool, test)) return t.bool;
    const made = t.typeName(this.final(result));
    const args = `(${t.typeName(this.final(test))}, ${made}, ${made})`;
    return this.#fail(expr.at, `found no matching overload for '_?_:_' applied to '${args}'`);
  }

  #fail(at: number, text: string): t.Type {
    this.problems.push({ at, text });
    return t.errorType;
  }
}

const same = (a: t.Type, b: t.Type): boolean => t.typeName(a) === t.typeName(b);
const isOptional = (type: t.Type): type is t.Type & { kind: "opaque" } =>
  type.kind === "opaque" && type.name === "optional_type";
const unwrapped = (type: t.Type): t.Type => (isOptional(type) ? (type.params[0] ?? t.dyn) : type);

function literalType(value: unknown): t.Type {
  if (value === null) return t.nullType;
  if (value instanceof Uint) return t.uint;
  if (value instanceof Uint8Array) return t.bytes;
  switch (typeof value) {
    case "bigint":
      return t.int;
    case "number":
      return t.double;
    case "boolean":
      return t.bool;
    default:
      return t.string;
  }
}

/** Types that expressions may name: `type(x) == int`. */
export const typeNames: ReadonlyMap<string, t.Type> = new Map<string, t.Type>([
  ["int", t.int],
  ["uint", t.uint],
  ["double", t.double],
  ["bool", t.bool],
  ["string", t.string],
  ["bytes", t.bytes],
  ["null_type", t.nullType],
  ["list", t.list(t.dyn)],
  ["map", t.map(t.dyn, t.dyn)],
  ["type", { kind: "type", of: t.dyn }],
  ["optional_type", t.optional(t.dyn)],
  ["google.protobuf.Timestamp", t.timestamp],
  ["google.protobuf.Duration", t.duration],
]);
