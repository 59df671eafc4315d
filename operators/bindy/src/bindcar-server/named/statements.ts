// The little of named's configuration language that `showzone` prints and `addzone` takes: words, texts, blocks.

export interface Statement {
  readonly words: readonly Word[];
  /** What is in its braces, where it has some. */
  readonly block?: readonly Statement[];
}

export type Word = string | { readonly quoted: string };

/** Undefined where it is not in this language. */
export function statementsOf(text: string): readonly Statement[] | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const reader = { tokens, at: 0 };
  const found = blockOf(reader);
  return found !== undefined && reader.at === tokens.length ? found : undefined;
}

type Token = Word | { readonly mark: "{" | "}" | ";" };

function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let rest = text.trimStart();
  while (rest !== "") {
    const [found, quoted, mark, word] = /^(?:"((?:[^"\\\n]|\\[^\n])*)"|([{};])|([^\s"{};]+))\s*/.exec(rest) ?? [];
    if (found === undefined) return undefined;
    if (quoted !== undefined) tokens.push({ quoted: quoted.replace(/\\(.)/g, "$1") });
    else if (word !== undefined) tokens.push(word);
    else if (mark === "{" || mark === "}" || mark === ";") tokens.push({ mark });
    rest = rest.slice(found.length);
  }
  return tokens;
}

function blockOf(reader: { readonly tokens: readonly Token[]; at: number }): readonly Statement[] | undefined {
  const statements: Statement[] = [];
  let words: Word[] = [];
  let block: readonly Statement[] | undefined;
  for (; reader.at < reader.tokens.length; reader.at += 1) {
    const token = reader.tokens[reader.at];
    const mark = typeof token === "object" && "mark" in token ? token.mark : undefined;
    if (mark === "}") break;
    if (mark === "{") {
      reader.at += 1;
      block = blockOf(reader);
      if (block === undefined || reader.at >= reader.tokens.length) return undefined;
    } else if (mark === ";") {
      statements.push({ words, ...(block !== undefined && { block }) });
      [words, block] = [[], undefined];
    } else if (token !== undefined && !(typeof token === "object" && "mark" in token)) words.push(token);
  }
  return words.length === 0 && block === undefined ? statements : undefined;
}

export function blockText(statements: readonly Statement[]): string {
  return `{ ${statements.map(statementText).join(" ")} }`;
}

function statementText({ words, block }: Statement): string {
  const parts = words.map((word) => (typeof word === "string" ? word : quote(word.quoted)));
  if (block !== undefined) parts.push(blockText(block));
  return `${parts.join(" ")};`;
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
