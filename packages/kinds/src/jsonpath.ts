// Kubernetes' JSONPath, as far as printer columns, scale paths and selectable fields need it. No unions, no templates (`{range}`).
// A parsed path is a plain list of steps, so that a schema can be walked along it as well as a value.

/** A path from the root, step by step; the empty path is the root. */
export type JsonPath = readonly Step[];

export type Step =
  | { readonly step: "field"; readonly name: string } // .name, ['name']
  | { readonly step: "index"; readonly index: number } // [2], or [-1] from the end
  | { readonly step: "slice"; readonly from: number | undefined; readonly to: number | undefined } // [1:3]
  | { readonly step: "items" } // [*]: each item of a list
  | { readonly step: "members" } // .*: each member of an object, each item of a list
  | { readonly step: "filter"; readonly left: Operand; readonly compare?: Comparison } // [?(@.type=="Ready")]
  | { readonly step: "descend" }; // ..: the value itself and everything below it

/** A side of a comparison: a path from the item under test (`@.x.y`), or a literal. */
export type Operand = { readonly path: JsonPath } | { readonly literal: string | number | boolean };

/** Without one a filter asks whether its left side is there. */
export type Comparison = { readonly operator: ComparisonOperator; readonly right: Operand };

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** Reads `.a.b`, with or without `{}` around it and `$` before it. */
export function parsePath(text: string): JsonPath | { error: string } {
  const trimmed = text.trim();
  const braced = trimmed.startsWith("{") && trimmed.endsWith("}") && trimmed.length > 1;
  // Not the end: a space there may be an escaped part of a name.
  const source = (braced ? trimmed.slice(1, -1) : text).trimStart();
  if (source === "") return { error: "the path is empty" };
  const reader: Reader = { source, at: source.startsWith("$") ? 1 : 0 };
  try {
    const path = readPath(reader, pathEnd);
    return source.slice(reader.at).trim() === "" ? path : fail(reader, "expected '.' or '['");
  } catch (problem) {
    if (problem instanceof PathError) return { error: problem.message };
    throw problem;
  }
}

/** All values the path leads to, in order. What is missing leads to none. */
export function evaluate(path: JsonPath, value: unknown): unknown[] {
  let found: unknown[] = [value];
  for (const step of path) found = found.flatMap((from) => take(step, from));
  return found;
}

// --- Evaluation

function take(step: Step, value: unknown): unknown[] {
  switch (step.step) {
    case "field":
      return isObject(value) && Object.hasOwn(value, step.name) && value[step.name] !== undefined
        ? [value[step.name]]
        : [];
    case "index": {
      const index = step.index < 0 && Array.isArray(value) ? value.length + step.index : step.index;
      return Array.isArray(value) && index >= 0 && index < value.length ? [value[index]] : [];
    }
    case "slice":
      return Array.isArray(value) ? value.slice(step.from ?? 0, step.to ?? value.length) : [];
    case "items":
      return Array.isArray(value) ? value : [];
    case "members":
      return below(value);
    case "filter":
      return Array.isArray(value) ? value.filter((item) => passes(step, item)) : [];
    case "descend":
      return [value, ...below(value).flatMap((member) => take(step, member))];
  }
}

function below(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value).filter((member) => member !== undefined) : [];
}

function passes({ left, compare }: Extract<Step, { step: "filter" }>, item: unknown): boolean {
  const found = valuesOf(left, item);
  if (compare === undefined) return found.length > 0;
  const [a] = found;
  const [b] = valuesOf(compare.right, item);
  // As in Kubernetes an item without the field passes no test, not even `!=`.
  return a !== undefined && b !== undefined && holds(a, compare.operator, b);
}

function valuesOf(operand: Operand, item: unknown): unknown[] {
  return "path" in operand ? evaluate(operand.path, item) : [operand.literal];
}

function holds(a: unknown, operator: ComparisonOperator, b: unknown): boolean {
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  if (typeof a === "number" && typeof b === "number") return inOrder(a, operator, b);
  return typeof a === "string" && typeof b === "string" && inOrder(a, operator, b);
}

function inOrder<T extends number | string>(a: T, operator: "<" | "<=" | ">" | ">=", b: T): boolean {
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// --- Parsing

type Reader = { readonly source: string; at: number };

class PathError extends Error {}

// What ends a field name, beside `.` and `[`: inside a filter also the operators.
const pathEnd = /[\s.[\]{}(),@$'"]/;
const operandEnd = /[\s.[\]{}(),@$'"=!<>&|]/;

function readPath(reader: Reader, end: RegExp): Step[] {
  const path: Step[] = [];
  for (;;) {
    const next = peek(reader);
    if (next === "[") path.push(readBracket(reader));
    else if (next !== ".") return path;
    else if (reader.source.startsWith("..", reader.at)) {
      reader.at += 2;
      path.push({ step: "descend" });
      if (peek(reader) === "*") fail(reader, "expected a field name");
      if (peek(reader) !== "[") path.push(readName(reader, end));
    } else {
      reader.at += 1;
      if (path.length === 0 && isAtEnd(reader, end)) return path; // `.` and `@.` are the value itself
      path.push(readName(reader, end));
    }
  }
}

function isAtEnd(reader: Reader, end: RegExp): boolean {
  const next = peek(reader);
  return next === "" || (next !== "." && end.test(next));
}

function readName(reader: Reader, end: RegExp): Step {
  let name = "";
  let next = peek(reader);
  if (next === "*") {
    reader.at += 1;
    return { step: "members" };
  }
  while (next !== "" && !end.test(next)) {
    if (next === "\\") reader.at += 1;
    name += peek(reader);
    reader.at += 1;
    next = peek(reader);
  }
  if (name === "") fail(reader, "expected a field name");
  return { step: "field", name };
}

function readBracket(reader: Reader): Step {
  reader.at += 1;
  skipSpace(reader);
  const next = peek(reader);
  if (next === "?") return readFilter(reader);
  if (next === "*") {
    reader.at += 1;
    expect(reader, "]");
    return { step: "items" };
  }
  if (next === "'" || next === '"') {
    const name = readQuoted(reader);
    expect(reader, "]");
    return { step: "field", name };
  }
  const from = readInteger(reader);
  skipSpace(reader);
  if (peek(reader) === ":") {
    reader.at += 1;
    const to = readInteger(reader);
    expect(reader, "]");
    return { step: "slice", from, to };
  }
  if (from === undefined) return fail(reader, "expected an index, a quoted name, '*' or '?('");
  expect(reader, "]");
  return { step: "index", index: from };
}

function readFilter(reader: Reader): Step {
  reader.at += 1;
  expect(reader, "(");
  const left = readOperand(reader);
  const operator = readOperator(reader);
  if (operator === undefined) {
    closeFilter(reader);
    return { step: "filter", left };
  }
  const right = readOperand(reader);
  closeFilter(reader);
  return { step: "filter", left, compare: { operator, right } };
}

function closeFilter(reader: Reader): void {
  expect(reader, ")");
  expect(reader, "]");
}

function readOperator(reader: Reader): ComparisonOperator | undefined {
  skipSpace(reader);
  const found = operators.find((operator) => reader.source.startsWith(operator, reader.at));
  if (found !== undefined) reader.at += found.length;
  return found;
}

// The longer ones first, or `<=` would read as `<`.
const operators: readonly ComparisonOperator[] = ["==", "!=", "<=", ">=", "<", ">"];

function readOperand(reader: Reader): Operand {
  skipSpace(reader);
  const next = peek(reader);
  if (next === "@") {
    reader.at += 1;
    return { path: readPath(reader, operandEnd) };
  }
  if (next === "'" || next === '"') return { literal: readQuoted(reader) };
  const word = /^[^\s=!<>()[\]]*/.exec(reader.source.slice(reader.at))?.[0] ?? "";
  const isNumber = /^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(word);
  if (!isNumber && word !== "true" && word !== "false")
    return fail(reader, "expected '@', a quoted text, a number or a boolean");
  reader.at += word.length;
  return { literal: isNumber ? Number(word) : word === "true" };
}

function readQuoted(reader: Reader): string {
  const quote = peek(reader);
  let text = "";
  reader.at += 1;
  while (peek(reader) !== quote) {
    if (peek(reader) === "\\") reader.at += 1;
    if (peek(reader) === "") return fail(reader, `expected ${quote}`);
    text += peek(reader);
    reader.at += 1;
  }
  reader.at += 1;
  return text;
}

function readInteger(reader: Reader): number | undefined {
  skipSpace(reader);
  const digits = /^-?\d{1,9}/.exec(reader.source.slice(reader.at))?.[0];
  if (digits === undefined) return undefined;
  reader.at += digits.length;
  return Number(digits);
}

function expect(reader: Reader, wanted: string): void {
  skipSpace(reader);
  if (peek(reader) !== wanted) fail(reader, `expected '${wanted}'`);
  reader.at += 1;
}

function skipSpace(reader: Reader): void {
  while (/\s/.test(peek(reader))) reader.at += 1;
}

function peek(reader: Reader): string {
  return reader.source.charAt(reader.at);
}

function fail(reader: Reader, problem: string): never {
  const found = peek(reader);
  throw new PathError(`${problem} at ${reader.at + 1}, found ${found === "" ? "the end" : `'${found}'`}`);
}
