// Text to Expr. The only file that knows the parser library, so that it can be swapped; loaded at first use.
import type { ASTNode, Environment as LibraryEnvironment } from "@marcbachmann/cel-js";
import type { Expr, Macro } from "./ast.ts";
import { type Problem, syntaxProblems } from "./problem.ts";
import { Uint, type Value } from "./values.ts";

/** Loads the parser. Await it once; everything else of this folder is synchronous. */
export async function loadCel(): Promise<void> {
  if (library !== undefined) return;
  const { Environment } = await import("@marcbachmann/cel-js");
  library = new Environment({
    enableOptionalTypes: true,
    unlistedVariablesAreDyn: true,
    limits: { maxListElements: 100_000, maxMapEntries: 100_000 },
  });
}

let library: LibraryEnvironment | undefined;

export type Parsed = { readonly expr: Expr } | { readonly problems: readonly Problem[] };

const longest = 100_000;

export function parse(source: string): Parsed {
  if (library === undefined) throw new Error("parse: call loadCel() before the first expression is compiled");
  const size = [...source].length;
  if (size > longest)
    return {
      problems: [{ at: -1, text: `expression code point size exceeds limit: size: ${size}, limit ${longest}` }],
    };
  const marks = blankMarks(source);
  let tree: ASTNode;
  try {
    tree = library.parse(marks.text).ast;
  } catch (error) {
    return { problems: syntaxProblems(source, error) };
  }
  const problems: Problem[] = [];
  const expr = convert(tree, { source, marks: marks.at }, problems);
  return problems.length === 0 ? { expr } : { problems };
}

interface From {
  readonly source: string;
  /** Where a `?` stood before an element. */
  readonly marks: readonly number[];
}

/**
 * The library does not know `[?x]` and `{?k: v}`. Their question marks are blanked, which moves nothing, and remembered.
 * `a[?0]` and `a ? b : c` are left alone: there something stands before that ends an operand.
 */
function blankMarks(source: string): { readonly text: string; readonly at: number[] } {
  const at: number[] = [];
  if (!/[[{,]\s*\?/.test(source)) return { text: source, at };
  const tokens = /\/\/[^\n]*|[rRbB]{0,2}(?:""".*?"""|'''.*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\s+|\w+|./gs;
  let before = "";
  let operand = false;
  let text = "";
  for (const [token] of source.matchAll(tokens)) {
    const mark = token === "?" && (before === "{" || before === "," || (before === "[" && !operand));
    if (mark) at.push(text.length);
    text += mark ? " " : token;
    if (/^\s+$|^\/\//.test(token)) continue;
    if (token === "[") operand = /[\w)\]}"']$/.test(before);
    before = token;
  }
  return { text, at };
}

/** Which elements have a mark between them and what is before them. Entries of a map are two nodes each. */
function marked(start: number, nodes: readonly ASTNode[], { marks }: From, step = 1): ReadonlySet<number> {
  const found = new Set<number>();
  if (marks.length === 0) return found;
  for (let i = 0; i < nodes.length; i += step) {
    const [low, high] = [nodes[i - 1]?.end ?? start, nodes[i]?.start ?? start];
    if (marks.some((mark) => mark >= low && mark < high)) found.add(i / step);
  }
  return found;
}

// The library bounds the depth of its trees (250), so recursion is safe.
function convert(node: ASTNode, from: From, problems: Problem[]): Expr {
  const { source } = from;
  const down = (child: ASTNode): Expr => convert(child, from, problems);
  switch (node.op) {
    case "value":
      return { kind: "literal", value: literal(node.args), at: node.start };
    case "id":
      return { kind: "ident", name: node.args, at: node.start };
    case ".":
    case ".?": {
      const [target, field] = node.args;
      const at = find(source, target.end, ".");
      return { kind: "select", target: down(target), field, optional: node.op === ".?", at };
    }
    case "[]":
    case "[?]": {
      const [target, index] = node.args;
      const name = node.op === "[]" ? "_[_]" : "_[?_]";
      return { kind: "call", name, args: [down(target), down(index)], at: find(source, target.end, "[") };
    }
    case "call": {
      const [name, args] = node.args;
      const at = find(source, node.start + name.length, "(");
      if (name === "has" && args.length === 1) return presence(args[0], at, down, problems);
      return { kind: "call", name, args: args.map(down), at };
    }
    case "rcall": {
      const [name, target, args] = node.args;
      const dot = find(source, target.end, ".");
      const at = find(source, source.indexOf(name, dot) + name.length, "(");
      return (
        loop(name, target, args, at, down, problems) ?? {
          kind: "call",
          name,
          target: down(target),
          args: args.map(down),
          at,
        }
      );
    }
    case "list":
      return {
        kind: "list",
        items: node.args.map(down),
        optional: marked(node.start, node.args, from),
        at: node.start,
      };
    case "map":
      return {
        kind: "map",
        entries: node.args.map(([k, v]) => [down(k), down(v)] as const),
        optional: marked(node.start, node.args.flat(), from, 2),
        at: node.start,
      };
    case "?:": {
      const [test, yes, no] = node.args;
      return { kind: "call", name: "_?_:_", args: [down(test), down(yes), down(no)], at: find(source, test.end, "?") };
    }
    case "!_":
      return { kind: "call", name: "!_", args: [down(node.args)], at: node.start };
    case "-_": {
      const arg = down(node.args);
      if (arg.kind === "literal" && (typeof arg.value === "bigint" || typeof arg.value === "number"))
        return checkedLiteral({ kind: "literal", value: -arg.value, at: node.start }, problems);
      return { kind: "call", name: "-_", args: [arg], at: node.start };
    }
    default: {
      const [left, right] = node.args;
      const name = node.op === "in" ? "@in" : `_${node.op}_`;
      return { kind: "call", name, args: [down(left), down(right)], at: find(source, left.end, node.op) };
    }
  }
}

const loops: Readonly<Record<string, readonly number[]>> = {
  all: [2, 3],
  exists: [2, 3],
  exists_one: [2, 3],
  existsOne: [2, 3],
  map: [2, 3],
  filter: [2],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
  sortBy: [2],
  optMap: [2],
  optFlatMap: [2],
};

function loop(
  name: string,
  target: ASTNode,
  args: readonly ASTNode[],
  at: number,
  down: (node: ASTNode) => Expr,
  problems: Problem[],
): Expr | undefined {
  if (!Object.hasOwn(loops, name) || loops[name]?.includes(args.length) !== true) return undefined;
  const two = name.startsWith("transform") || (name !== "map" && args.length === 3);
  const names: string[] = [];
  for (const arg of args.slice(0, two ? 2 : 1)) {
    if (arg.op === "id") names.push(arg.args);
    else problems.push({ at: arg.start, text: "argument is not an identifier" });
  }
  const rest = args.slice(two ? 2 : 1).map(down);
  const [first, second] = rest;
  if (first === undefined) return undefined;
  const macro = (name === "existsOne" ? "exists_one" : name) as Macro;
  const range = down(target);
  return second === undefined
    ? { kind: "loop", macro, range, names, body: first, at }
    : { kind: "loop", macro, range, names, filter: first, body: second, at };
}

function presence(arg: ASTNode | undefined, at: number, down: (node: ASTNode) => Expr, problems: Problem[]): Expr {
  const inner: Expr = arg === undefined ? { kind: "literal", value: null, at } : down(arg);
  if (inner.kind === "select" && !inner.optional) return { kind: "has", target: inner.target, field: inner.field, at };
  problems.push({ at: inner.at, text: "invalid argument to has() macro" });
  return inner;
}

function literal(value: unknown): Value {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array))
    return new Uint(BigInt(String((value as { value?: unknown }).value)));
  return value as Value;
}

const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

function checkedLiteral(expr: Expr & { kind: "literal" }, problems: Problem[]): Expr {
  if (typeof expr.value === "bigint" && (expr.value < least || expr.value > most))
    problems.push({ at: expr.at, text: "invalid int literal" });
  return expr;
}

/** Where a token stands, given the end of what is before it; parentheses, blanks and comments may lie between. */
function find(source: string, from: number, token: string): number {
  let at = from;
  while (at < source.length) {
    if (source.startsWith("//", at) && token !== "/") {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    } else if (source.startsWith(token, at)) return at;
    else at++;
  }
  return from;
}
