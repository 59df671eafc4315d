// A TypeScript source as the rules see it: which characters are code, which are not, and what it imports.
// A scanner, not a parser: it knows comments, strings, templates and regular expressions, and nothing of syntax.

/** One thing that breaks a rule, and how to put it right. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** One file of the repository. The path is relative to its root, with forward slashes. */
export interface File {
  readonly path: string;
  readonly text: string;
}

/** One `import`, `export ... from` or `import()`. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** `*.test.ts` (also type tests, `*.test-d.ts`), and everything in a `test/` folder of a package. */
export function isTest(path: string): boolean {
  return /\.(test|test-d)\.tsx?$/.test(path) || /^[^/]+\/[^/]+\/test\//.test(path);
}

export function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** What a source imports, types included. */
export function importsOf(text: string): Import[] {
  const code = codeOf(text);
  // A clause has no string, semicolon or parenthesis before its `from`, so that it cannot run into the next statement.
  const clause =
    /\b(?:import|export)\b[^"'`;()=]*?\bfrom\s*(?=["'])|\bimport\s*(?=["'])|\b(?:import|require)\s*\(\s*(?=["'`])/g;
  const found: Import[] = [];
  for (const match of code.matchAll(clause)) {
    const open = match.index + match[0].length;
    const close = code.indexOf(code.charAt(open), open + 1);
    if (close !== -1) found.push({ specifier: text.slice(open + 1, close), line: lineAt(text, open) });
  }
  return found;
}

/**
 * The text with every comment, and what is inside strings, templates and regular expressions, turned into blanks.
 * Quotes, line breaks and the code in `${}` stay, so that every offset and line is that of the original.
 */
export function codeOf(text: string): string {
  const out: string[] = [];
  const braces: number[] = []; // open braces in each `${}` that we are in
  let at = 0;

  const keep = (length: number) => {
    out.push(text.slice(at, at + length));
    at += length;
  };
  const blank = (end: number) => {
    out.push(text.slice(at, end).replace(/[^\n]/g, " "));
    at = end;
  };
  const template = () => {
    const end = templateEnd(text, at);
    blank(end);
    if (text[at] === "`") keep(1);
    else if (at < text.length) {
      keep(2);
      braces.push(0);
    }
  };

  if (text.startsWith("#!")) blank(lineEnd(text, 0));
  while (at < text.length) {
    const char = text.charAt(at);
    const depth = braces.at(-1);
    if (text.startsWith("//", at)) blank(lineEnd(text, at));
    else if (text.startsWith("/*", at)) blank(after(text, "*/", at + 2));
    else if (char === '"' || char === "'") {
      keep(1);
      blank(stringEnd(text, at, char));
      if (text[at] === char) keep(1);
    } else if (char === "`") {
      keep(1);
      template();
    } else if (char === "}" && depth === 0) {
      braces.pop();
      keep(1);
      template();
    } else if (char === "/" && startsRegExp(out)) {
      keep(1);
      blank(regExpEnd(text, at));
      if (text[at] === "/") keep(1);
    } else {
      if (depth !== undefined && char === "{") braces[braces.length - 1] = depth + 1;
      if (depth !== undefined && char === "}") braces[braces.length - 1] = depth - 1;
      keep(1);
    }
  }
  return out.join("");
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found === -1 ? text.length : found;
}

/** The offset of the closing quote. A string ends with its line at the latest, so that one slip does not blind the file. */
function stringEnd(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

/** The offset of the closing backtick, or of the next `${`. */
function templateEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "`" && !text.startsWith("${", at)) at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

/** The offset of the closing slash: one in a `[class]` does not close. */
function regExpEnd(text: string, from: number): number {
  let inClass = false;
  let at = from;
  while (at < text.length && text[at] !== "\n" && (inClass || text[at] !== "/")) {
    if (text[at] === "[") inClass = true;
    if (text[at] === "]") inClass = false;
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at, text.length);
}

/** A slash after a value divides; after anything else it opens a regular expression. */
function startsRegExp(before: readonly string[]): boolean {
  let at = before.length - 1;
  while (at >= 0 && /^\s*$/.test(before[at] ?? "")) at--;
  if (at < 0) return true;
  if (/[\w$]$/.test(before[at] ?? "")) {
    let word = "";
    while (at >= 0 && /^[\w$]$/.test(before[at] ?? "")) word = `${before[at--]}${word}`;
    return /^(return|typeof|case|in|of|do|else|void|throw|delete|instanceof|yield|await)$/.test(word);
  }
  return !/[)\]}"'`/]$/.test(before[at] ?? "");
}
