// An expression after parsing, with macros recognised. Independent of the parser that made it; `at` is where an error points.
import type { Value } from "./values.ts";

export type Expr = { readonly at: number } & (
  | { readonly kind: "literal"; readonly value: Value }
  | { readonly kind: "ident"; readonly name: string }
  | { readonly kind: "select"; readonly target: Expr; readonly field: string; readonly optional: boolean }
  | { readonly kind: "has"; readonly target: Expr; readonly field: string }
  | { readonly kind: "call"; readonly name: string; readonly target?: Expr; readonly args: readonly Expr[] }
  | { readonly kind: "list"; readonly items: readonly Expr[]; readonly optional: Marks }
  | { readonly kind: "map"; readonly entries: readonly (readonly [Expr, Expr])[]; readonly optional: Marks }
  | Loop
);

/** Which elements are written with `?`: an optional that is left out when it has no value. */
export type Marks = ReadonlySet<number>;

/** A macro that runs `body` once for every element of `range`. */
export interface Loop {
  readonly kind: "loop";
  readonly macro: Macro;
  readonly range: Expr;
  /** One name: the element (of a map: the key). Two: index or key, and value. */
  readonly names: readonly string[];
  readonly filter?: Expr;
  readonly body: Expr;
}

export type Macro =
  | "all"
  | "exists"
  | "exists_one"
  | "map"
  | "filter"
  | "transformList"
  | "transformMap"
  | "transformMapEntry"
  | "sortBy"
  | "optMap"
  | "optFlatMap";

/** Calls `visit` for every node, parents first. */
export function walk(expr: Expr, visit: (node: Expr) => void): void {
  visit(expr);
  for (const child of children(expr)) walk(child, visit);
}

export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
    case "has":
      return [expr.target];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.items;
    case "map":
      return expr.entries.flat();
    case "loop":
      return expr.filter === undefined ? [expr.range, expr.body] : [expr.range, expr.filter, expr.body];
  }
}

/** `a.b.c` as a name, where that is all the expression is. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.optional) return undefined;
  const target = qualifiedName(expr.target);
  return target === undefined ? undefined : `${target}.${expr.field}`;
}
