// What is wrong with an expression, and how that is shown: message, position, the line and a caret below it.

export interface Problem {
  /** Offset in the source; -1 where there is none. */
  readonly at: number;
  readonly text: string;
}

/** All problems as one text, in order of position. */
export function render(source: string, problems: readonly Problem[]): string {
  return [...problems]
    .sort((a, b) => a.at - b.at)
    .map((p) => show(source, p))
    .join("\n");
}

function show(source: string, { at, text }: Problem): string {
  if (at < 0) return `ERROR: <input>:-1:0: ${text}`;
  const before = source.slice(0, at).split("\n");
  const column = [...(before.at(-1) ?? "")].length;
  const line = source.split("\n")[before.length - 1] ?? "";
  return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line.replaceAll("\t", " ")}\n | ${".".repeat(column)}^`;
}

/** A parser's exception as the problems that upstream's grammar tells. */
export function syntaxProblems(source: string, error: unknown): Problem[] {
  const { code, summary, at } = details(error);
  if (code === "limit_exceeded") return [{ at: -1, text: "expression recursion limit exceeded: 250" }];
  if (code === "invalid_macro_argument") return [{ at, text: "argument is not an identifier" }];
  if (code === "reserved_identifier") {
    const name = /^\w+/.exec(source.slice(at))?.[0] ?? "";
    return [{ at, text: `reserved identifier: ${name}` }];
  }
  if (at >= source.trimEnd().length) {
    return [{ at: source.length, text: `Syntax error: ${atEnd(source.trimEnd(), summary)}` }];
  }
  if (code === "unterminated_string" || code === "newline_in_string")
    return [
      { at, text: `Syntax error: token recognition error at: '${source.slice(at)}'` },
      { at: source.length, text: `Syntax error: ${atEnd(source.slice(0, at).trimEnd(), "")}` },
    ];
  const stray = /^(?:[=&|][^=&|]?|[^\w\s()[\]{}.,:?!<>+\-*/%'"])/.exec(source.slice(at));
  const token = tokenAt(source, at);
  if (stray !== null) {
    const after = /\S/.exec(source.slice(at + stray[0].length));
    const next = after === null ? undefined : at + stray[0].length + after.index;
    const first = { at, text: `Syntax error: token recognition error at: '${stray[0]}'` };
    if (next === undefined) return [first];
    return [first, { at: next, text: `Syntax error: extraneous input '${tokenAt(source, next)}' expecting <EOF>` }];
  }
  if (summary.startsWith("Unexpected character")) {
    const last = source.slice(at + token.length).trim() === "";
    return [{ at, text: `Syntax error: ${last ? "extraneous" : "mismatched"} input '${token}' expecting <EOF>` }];
  }
  return [{ at, text: `Syntax error: mismatched input '${token}' expecting {${expected("")}}` }];
}

/** The source ended too early; what is said depends on what was open. */
function atEnd(source: string, summary: string): string {
  if (source.endsWith(".")) return "no viable alternative at input '.'";
  if (summary.startsWith("Expected RPAREN")) return "missing ')' at '<EOF>'";
  if (summary.startsWith("Expected RBRACKET")) return "mismatched input '<EOF>' expecting {']', ','}";
  if (summary.startsWith("Expected RBRACE")) return "mismatched input '<EOF>' expecting {'}', ','}";
  return `mismatched input '<EOF>' expecting {${expected(source.at(-1) ?? "")}}`;
}

function details(error: unknown): { code: string; summary: string; at: number } {
  const e = error as { code?: string; summary?: string; message?: string; node?: { pos?: number } };
  return { code: e.code ?? "", summary: e.summary ?? e.message ?? String(error), at: e.node?.pos ?? 0 };
}

function tokenAt(source: string, at: number): string {
  return /^(?:\w+|'[^']*'|"[^"]*"|[<>=!]=|&&|\|\||.)/su.exec(source.slice(at))?.[0] ?? "<EOF>";
}

/** What may come next where an operand is due; directly after a bracket it may close as well. */
function expected(before: string): string {
  const closing = (open: string, close: string): string => (before === open ? `'${close}', ` : "");
  return `'[', ${closing("[", "]")}'{', ${closing("{", "}")}'(', ${closing("(", ")")}'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER`;
}
