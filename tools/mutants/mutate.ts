// From the text of a module to its mutants: changes of one place each, of the kind that a slip of the hand or a removed guard is. And
// back to one text that holds all of them, each behind a switch. Pure.
import { parseAst } from "rolldown/parseAst";

/** One change of one place. */
export interface Mutant {
  readonly line: number;
  /** What stands there. */
  readonly from: string;
  /** What stands there instead. */
  readonly to: string;
  /** The how many-th mutant of the module it is. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

type Change = readonly [node: Node, to: string];

/** All mutants of a module, in the order of their places. */
export function mutantsOf(source: string): readonly Mutant[] {
  const changes: Change[] = [];
  visit(parseAst(source, { lang: "ts" }) as unknown as Node, undefined, (node, parent) => {
    changes.push(...changesOf(node, parent, (it) => source.slice(it.start, it.end)));
  });
  const found = changes.map(([node, to]) => ({ start: node.start, end: node.end, to }));
  const sorted = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  return sorted.map(({ start, end, to }, index) => {
    const line = source.slice(0, start).split("\n").length;
    return { line, from: source.slice(start, end), to, index, start, end };
  });
}

/** The text with all mutants in it. `switches` is called with the index of a mutant, and says whether it is the one. */
export function instrumented(source: string, mutants: readonly Mutant[], switches: string): string {
  const places = Map.groupBy(mutants, ({ start, end }) => `${start}:${end}`);
  const nested = [...places.values()];
  /** The text of a stretch, with the mutants that lie within it; `from`: the first of them that has not had its turn. */
  function stretch(start: number, end: number, within: readonly (readonly Mutant[])[]): string {
    let text = "";
    let at = start;
    let rest = within;
    while (rest[0] !== undefined) {
      const [place, ...others] = rest;
      const [first] = place;
      if (first === undefined) break;
      const inner = others.filter((it) => (it[0]?.start ?? 0) < first.end);
      text += source.slice(at, first.start);
      text += place.reduceRight(
        (otherwise, { to, index }) => `(${switches}(${index}) ? (${to}) : ${otherwise})`,
        `(${stretch(first.start, first.end, inner)})`,
      );
      at = first.end;
      rest = others.slice(inner.length);
    }
    return text + source.slice(at, end);
  }
  return stretch(0, source.length, nested);
}

/** Types do nothing when a program runs; what they stand in for is looked at. */
const isType = ({ type }: Node): boolean =>
  /^TS/.test(type) && !["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"].includes(type);

function visit(node: Node, parent: Node | undefined, see: (node: Node, parent: Node | undefined) => void): void {
  if (isType(node) || node.type === "ImportDeclaration") return;
  see(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node, see);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";

const opposite: Readonly<Record<string, readonly string[]>> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
};

/** Calls of these do something to a list; or the other one does the opposite. */
const dropped = ["filter", "sort", "toSorted", "slice", "trim", "reverse"];
const swapped: Readonly<Record<string, string>> = { some: "every", every: "some", min: "max", max: "min" };

function changesOf(node: Node, parent: Node | undefined, text: (node: Node) => string): readonly Change[] {
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return always(node["test"] as Node);
    case "WhileStatement":
    case "ForStatement":
      // The other way it would not end.
      return isNode(node["test"]) ? [[node["test"], "false"]] : [];
    case "LogicalExpression": {
      const [left, right] = [node["left"] as Node, node["right"] as Node];
      // What only the type wants: on the wire it is always there.
      if (node["operator"] === "??" && ['""', "{}", "[]"].includes(text(right))) return [];
      return [
        [node, text(left)],
        [node, text(right)],
      ];
    }
    case "BinaryExpression":
      return binary(node, text);
    case "UnaryExpression":
      return node["operator"] === "!" && !isTest(node, parent) ? [[node, text(node["argument"] as Node)]] : [];
    case "Literal":
      // What is compared with it is a mutant already.
      if (parent?.type === "BinaryExpression") return [];
      return typeof node["value"] === "boolean" && !isTest(node, parent) ? [[node, String(!node["value"])]] : [];
    case "ArrayExpression":
      return isList(node, parent) ? [[node, "[]"]] : [];
    case "CallExpression":
      return called(node, parent, text);
    case "ExpressionStatement":
      return isDeed(node["expression"] as Node) ? [[node["expression"] as Node, "undefined"]] : [];
    default:
      return [];
  }
}

const always = (test: Node): readonly Change[] => [
  [test, "true"],
  [test, "false"],
];

/** What is wholly replaced already. */
const isTest = (node: Node, parent: Node | undefined): boolean => parent?.["test"] === node;

function binary(node: Node, text: (node: Node) => string): readonly Change[] {
  const [left, right] = [node["left"] as Node, node["right"] as Node];
  const others = opposite[node["operator"] as string] ?? [];
  const between = { ...node, start: left.end, end: right.start };
  const [head, tail] = [
    { ...node, end: left.end },
    { ...node, start: right.start },
  ];
  // With the parentheses that belong to neither side.
  return others.map((other) => [
    node,
    text(head) + text(between).replace(node["operator"] as string, other) + text(tail),
  ]);
}

/** No part of a type, of a pattern, or of a table that the type makes what it is. */
function isList(node: Node, parent: Node | undefined): boolean {
  return (node["elements"] as readonly unknown[]).length > 0 && parent?.type !== "TSAsExpression";
}

function called(node: Node, parent: Node | undefined, text: (node: Node) => string): readonly Change[] {
  const callee = node["callee"] as Node;
  // In the middle of a chain with `?.`, the rest of which depends on it.
  if (callee.type !== "MemberExpression" || callee["computed"] === true || parent?.type === "ChainExpression")
    return [];
  if (callee["optional"] === true || text(node).includes("?.")) return [];
  const [of, name] = [callee["object"] as Node, text(callee["property"] as Node)];
  if (dropped.includes(name)) return [[node, text(of)]];
  const other = swapped[name];
  if (other === undefined) return [];
  return [[node, `${text(of)}.${other}${text(node).slice(callee.end - node.start)}`]];
}

/** A call whose value nobody reads, or a value that is put somewhere. */
const isDeed = ({ type }: Node): boolean =>
  ["CallExpression", "AwaitExpression", "AssignmentExpression", "YieldExpression", "UpdateExpression"].includes(type);
