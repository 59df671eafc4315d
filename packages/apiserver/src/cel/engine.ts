// Compiles an expression against declared variables, and runs it within a budget.
import { type Expr, walk } from "./ast.ts";
import { type Checked, check } from "./check.ts";
import { build, Meter } from "./interpret.ts";
import { formatProblems } from "./library/format-check.ts";
import { library } from "./library/index.ts";
import { pattern } from "./library/strings.ts";
import { parse } from "./parse.ts";
import { type Problem, render } from "./problem.ts";
import { parseDuration, parseTimestamp } from "./time.ts";
import type { Type } from "./types.ts";
import { CelError, type Value } from "./values.ts";

export { loadCel } from "./parse.ts";

/** What an expression may name. */
export interface Environment {
  readonly variables: ReadonlyMap<string, Type>;
}

export interface Compiled {
  readonly source: string;
  readonly usesOldSelf: boolean;
  readonly resultType: Type;
  readonly expr: Expr;
  readonly checked: Checked;
  /** A variable may be a function, which is called when (and each time) the expression asks for it. */
  evaluate(variables: Readonly<Record<string, Value | (() => Value)>>, budget?: Budget): Result;
}

export type Result = { readonly ok: Value; readonly cost: number } | { readonly error: string; readonly cost: number };

/** Why an expression does not compile: as the detail of a field error, and as the problems themselves. */
export interface CompileErrors {
  readonly errors: string;
  readonly problems: readonly Problem[];
}

/** Work allowed for the expressions of one object; shared between them and used up. */
export class Budget {
  left: number;
  constructor(left: number = perObject) {
    this.left = left;
  }
}

export const perExpression = 1_000_000;
export const perObject = 10_000_000;
export const outOfBudget = "operation cancelled: actual cost limit exceeded";

export function compile(source: string, env: Environment): Compiled | CompileErrors {
  try {
    return compileBounded(source, env);
  } catch (error) {
    // A chain of operators is as deep as it is long.
    if (!(error instanceof RangeError)) throw error;
    return failed(source, [{ at: -1, text: "expression recursion limit exceeded: 250" }]);
  }
}

function compileBounded(source: string, env: Environment): Compiled | CompileErrors {
  const parsed = parse(source);
  if ("problems" in parsed) return failed(source, parsed.problems);
  const { expr } = parsed;
  const checked = check(expr, env.variables, library);
  const problems = checked.problems.length > 0 ? checked.problems : literalProblems(expr, checked);
  if (problems.length > 0) return failed(source, problems);
  const run = build(expr, checked);
  const folded = constantFailure(expr, checked);
  if (folded !== undefined)
    return { errors: `program instantiation failed: ${folded}`, problems: [{ at: -1, text: folded }] };
  return {
    source,
    usesOldSelf: mentions(expr, "oldSelf"),
    resultType: checked.type,
    expr,
    checked,
    evaluate(variables, budget) {
      const meter = new Meter(perExpression);
      try {
        const ok = run({ names: variables, meter });
        return { ok, cost: meter.spent };
      } catch (error) {
        // Values may nest deeper than the stack; what follows them down then stops here.
        if (error instanceof RangeError)
          return { error: "operation cancelled: value nests too deep", cost: meter.spent };
        if (!(error instanceof CelError)) throw error;
        return { error: error.message, cost: meter.spent };
      } finally {
        if (budget !== undefined) budget.left -= meter.spent;
      }
    },
  };
}

export const isCompiled = (made: Compiled | CompileErrors): made is Compiled => "evaluate" in made;

const failed = (source: string, problems: readonly Problem[]): CompileErrors => ({
  errors: `compilation failed: ${render(source, problems)}`,
  problems,
});

export function mentions(expr: Expr, name: string): boolean {
  let found = false;
  walk(expr, (node) => {
    if (node.kind === "ident" && node.name === name) found = true;
  });
  return found;
}

/** Literal arguments that can never be right are refused when the expression is written. */
function literalProblems(expr: Expr, checked: Checked): Problem[] {
  const problems: Problem[] = [];
  walk(expr, (node) => {
    if (node.kind !== "call") return;
    if (node.name === "format") problems.push(...formatProblems(node, checked));
    const wrong = literalChecks[node.name];
    const arg = node.target !== undefined || node.name !== "matches" ? node.args[0] : node.args[1];
    if (wrong === undefined || arg?.kind !== "literal" || typeof arg.value !== "string") return;
    if (wrong(arg.value)) problems.push({ at: arg.at, text: `invalid ${node.name} argument` });
  });
  return problems;
}

const conversions = new Set(["int", "uint", "double", "bool", "timestamp", "duration"]);

/** Conversions of constants are done when an expression is compiled, so they fail there. */
function constantFailure(expr: Expr, checked: Checked): string | undefined {
  let failure: string | undefined;
  walk(expr, (node) => {
    if (failure !== undefined || node.kind !== "call" || !conversions.has(node.name) || node.target !== undefined)
      return;
    const [arg] = node.args;
    const inner = arg?.kind === "call" && arg.name === "dyn" ? arg.args[0] : arg;
    if (inner?.kind !== "literal") return;
    try {
      build(node, checked)({ names: {}, meter: new Meter(perExpression) });
    } catch (error) {
      if (error instanceof CelError) failure = error.message;
    }
  });
  return failure;
}

const literalChecks: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseDuration(text) === undefined,
  timestamp: (text) => parseTimestamp(text) === undefined,
  matches: (text) => {
    try {
      pattern(text);
      return false;
    } catch {
      return true;
    }
  },
};
