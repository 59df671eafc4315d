// YAML 1.1 bodies as JSON, as the server's reader takes them: y and no are booleans, 010 is 8, a date is a string.
import type {
  CollectionTag,
  Document,
  DocumentOptions,
  LineCounter,
  Node,
  Pair,
  ParseOptions,
  ScalarTag,
  SchemaOptions,
  YAMLMap,
} from "yaml";
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import { goQuote } from "../status.ts";
import { parseJson } from "./json.ts";

/** The body is no YAML; the message begins with `yaml: `. */
export class YamlError extends Error {}

export interface ParsedYaml {
  readonly value: Json;
  /** `line 7: key "a" already set in map`, in the order of the document. */
  readonly duplicates: string[];
}

/** The first document of a body. Throws a `YamlError`. */
export async function parseYaml(body: string | Uint8Array, maxDepth: number): Promise<ParsedYaml> {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const plain = asJson(text, maxDepth);
  if (plain !== undefined) return plain;
  const yaml = await loadYaml();
  if (nesting(text) > maxDepth) throw new YamlError("yaml: exceeded max depth");
  const lines = new yaml.LineCounter();
  const document = first(yaml, text, lines);
  if (document === undefined) return { value: null, duplicates: [] };
  const error = document.errors[0];
  if (error !== undefined) throw new YamlError(goText(error.code, error.message, text, error.pos[0]));
  return new Reader(yaml, document, (at) => lines.linePos(at).line, maxDepth).read();
}

/** What clients send is mostly JSON, and that is read thirty times faster. Undefined where only YAML's rules can tell. */
function asJson(text: string, maxDepth: number): ParsedYaml | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const { value, duplicates, numbers, overflow } = parseJson(text, { maxDepth });
    const isPlain = duplicates.length === 0 && numbers.size === 0 && overflow === undefined;
    return isPlain ? { value, duplicates: [] } : undefined;
  } catch {
    return undefined; // no JSON; it may be YAML all the same, and what is wrong is said in YAML's words
  }
}

let loaded: Yaml | undefined;

/** The parser, from the disk the first time. */
export async function loadYaml(): Promise<Yaml> {
  loaded ??= await import("yaml");
  return loaded;
}

function first(yaml: Yaml, text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  const options: ParseOptions & DocumentOptions & SchemaOptions = {
    version: "1.1",
    schema: "yaml-1.1",
    uniqueKeys: false,
    merge: true,
    strict: false,
    logLevel: "silent",
    prettyErrors: false,
    lineCounter,
    customTags: (tags) => [...tags.filter((tag) => typeof tag === "string" || plain(tag)), octal],
  };
  try {
    // Lazily, as all that comes behind the first document is not looked at.
    const documents = new yaml.Composer(options).compose(new yaml.Parser(lineCounter.addNewLine).parse(text));
    for (const document of documents) return document as Document.Parsed;
    return undefined;
  } catch (error) {
    // The parser recurses; what its stack cannot hold is no body of the API.
    throw new YamlError(error instanceof RangeError ? "yaml: exceeded max depth" : `yaml: ${String(error)}`);
  }
}

/** Without the tags that Go's reader does not have: dates, base 60, sets, ordered maps. */
function plain(tag: ScalarTag | CollectionTag): boolean {
  return tag.format !== "TIME" && !/:(?:timestamp|set|omap|pairs)$/.test(tag.tag);
}

const octal: ScalarTag = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:int",
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text) => Number.parseInt(text.replace(/^([-+]?)0o/, "$1").replaceAll("_", ""), 8),
};

/** How deep brackets and indentation nest at most: the parser recurses. */
function nesting(text: string): number {
  let deepest = 0;
  let open = 0;
  for (const c of text) {
    if (c === "[" || c === "{") deepest = Math.max(deepest, ++open);
    else if (c === "]" || c === "}") open--;
  }
  for (const [dashes] of text.matchAll(/(?:^|\n) *(?:[-?] +)+/g)) deepest = Math.max(deepest, dashes.length / 2);
  for (const [indent] of text.matchAll(/(?:^|\n) +/g)) deepest = Math.max(deepest, indent.length);
  return deepest;
}

/** The texts of Go's reader for the mistakes that people make; the parser's own for the rest. */
function goText(code: string, message: string, text: string, pos: number): string {
  const before = text.slice(0, pos);
  const line = before.split("\n").length;
  const after = line > 1 ? `line ${line}: ` : "";
  if (code === "BLOCK_AS_IMPLICIT_KEY" || /[Nn]ested mappings|Implicit map keys/.test(message))
    return `yaml: ${after}mapping values are not allowed in this context`;
  if (code === "TAB_AS_INDENT" || /[Tt]abs? /.test(message))
    return `yaml: ${after}found character that cannot start any token`;
  if (/reserved character/.test(message)) return `yaml: ${after}found character that cannot start any token`;
  if (/Missing closing/.test(message)) return "yaml: found unexpected end of stream";
  if (/[Ff]low[ -](?:map|seq|collections)/.test(message)) return flowText(message, text, before);
  return `yaml: line ${line}: ${message.split("\n")[0]}`;
}

/** Go's reader counts these lines from 0, and the end of the document as one more. */
function flowText(message: string, text: string, before: string): string {
  const ended = text.slice(before.length).trim() === "";
  const newlines = (ended ? text : before).split("\n").length - 1;
  const line = ended && !text.endsWith("\n") ? newlines + 1 : newlines;
  const last = before.trimEnd().at(-1) ?? "{";
  const missing = "{[,:".includes(last) ? "node content" : `',' or '${/Flow seq/.test(message) ? "]" : "}"}'`;
  return `yaml: ${line === 0 ? "" : `line ${line}: `}did not find expected ${missing}`;
}

type Yaml = typeof import("yaml");

class Reader {
  readonly #yaml: Yaml;
  readonly #document: Document.Parsed;
  readonly #line: (at: number) => number;
  readonly #maxDepth: number;
  readonly #duplicates: string[] = [];
  /** What an anchor stands for, and how many values that is: an alias costs its size, not a copy. */
  readonly #anchors = new Map<string, { value: Json; size: number }>();
  #size = 0;
  #aliased = 0;

  constructor(yaml: Yaml, document: Document.Parsed, line: (at: number) => number, maxDepth: number) {
    this.#yaml = yaml;
    this.#document = document;
    this.#line = line;
    this.#maxDepth = maxDepth;
  }

  read(): ParsedYaml {
    const value = this.#value(this.#document.contents, 0);
    return { value, duplicates: this.#duplicates };
  }

  #value(node: Node | null | undefined, depth: number): Json {
    if (depth > this.#maxDepth) throw new YamlError("yaml: exceeded max depth");
    if (node === null || node === undefined) return null;
    const before = this.#size++;
    if (this.#yaml.isAlias(node)) return this.#alias(node.source);
    const value = this.#yaml.isMap(node)
      ? this.#map(node, depth)
      : this.#yaml.isSeq(node)
        ? node.items.map((item) => this.#value(this.#yaml.isNode(item) ? item : null, depth + 1))
        : this.#yaml.isScalar(node)
          ? scalar(node.value)
          : null;
    if ("anchor" in node && typeof node.anchor === "string")
      this.#anchors.set(node.anchor, { value, size: this.#size - before });
    return value;
  }

  #alias(name: string): Json {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    this.#size += anchor.size;
    this.#aliased += anchor.size;
    // The share of a document that may come from aliases shrinks as it grows.
    const allowed =
      this.#size <= 400_000 ? 0.99 : this.#size >= 4_000_000 ? 0.1 : 0.99 - (0.89 * (this.#size - 400_000)) / 3_600_000;
    if (this.#aliased > 100 && this.#size > 1000 && this.#aliased / this.#size > allowed)
      throw new YamlError("yaml: document contains excessive aliasing");
    return anchor.value;
  }

  #map(node: YAMLMap, depth: number): JsonObject {
    const out: JsonObject = {};
    const own = new Set<string>();
    for (const pair of node.items) {
      const inner = this.#value(this.#yaml.isNode(pair.value) ? pair.value : null, depth + 1);
      if (isMerge(this.#yaml, pair)) {
        for (const from of Array.isArray(inner) ? inner : [inner])
          if (isObject(from))
            for (const key of Object.keys(from)) if (!Object.hasOwn(out, key)) put(out, key, from[key] ?? null);
        continue;
      }
      const raw = this.#yaml.isScalar(pair.key)
        ? scalar(pair.key.value)
        : this.#value(this.#yaml.isNode(pair.key) ? pair.key : null, depth + 1);
      const key = name(raw);
      if (own.has(key)) this.#repeated(raw, pair);
      own.add(key);
      put(out, key, inner);
    }
    return out;
  }

  #repeated(key: Json, pair: Pair): void {
    if (this.#duplicates.length >= 100) return;
    const node = this.#yaml.isNode(pair.value) ? pair.value : this.#yaml.isNode(pair.key) ? pair.key : undefined;
    const shown = typeof key === "string" ? goQuote(key) : String(key);
    this.#duplicates.push(`line ${this.#line(node?.range?.[0] ?? 0)}: key ${shown} already set in map`);
  }
}

function isMerge(yaml: Yaml, pair: Pair): boolean {
  return (
    yaml.isScalar(pair.key) &&
    (pair.key.value === "<<" || typeof pair.key.value === "symbol") &&
    pair.key.type === "PLAIN"
  );
}

function scalar(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value))
      throw new YamlError(`json: unsupported value: ${Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"}`);
    return value + 0;
  }
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return String(value);
}

/** A key as JSON has it. */
function name(key: Json): string {
  if (typeof key === "string") return key;
  if (typeof key === "object") throw new YamlError(key === null ? "yaml: null map key" : "yaml: invalid map key");
  return String(key);
}
