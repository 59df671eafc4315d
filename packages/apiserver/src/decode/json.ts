// JSON bodies: the value, and all that Go's decoder would have noticed about how it was written.
import { isUtf8 } from "node:buffer";
import type { Json } from "../json.ts";
import { type Duplicate, type Repeated, scan } from "./scanner.ts";

export { type Duplicate, JsonError, type Repeated } from "./scanner.ts";

export interface Parsed {
  readonly value: Json;
  /** Dotted paths of names that came twice: `spec.replicas`, `spec.x[0].y`. In the order of the document. */
  readonly duplicates: readonly string[];
  /** The same with their objects and places. */
  readonly repeats: readonly Duplicate[];
  /** The text of numbers that are no plain int64, by the object or list that holds them. */
  readonly numbers: ReadonlyMap<object, ReadonlyMap<string | number, string>>;
  /** The place of every name in the document, by its object; empty when native parsing was enough. */
  readonly order: ReadonlyMap<object, ReadonlyMap<string, number>>;
  /** The first number that no float64 can hold. */
  readonly overflow: string | undefined;
}

/** What Go's decoder allows. */
export const maxDepth = 10_000;

export interface ParseOptions {
  readonly maxDepth?: number;
  readonly repeated?: Repeated;
}

/** Throws a `JsonError` when it is no JSON. */
export function parseJson(body: string | Uint8Array, options: ParseOptions = {}): Parsed {
  const text = typeof body === "string" ? body : decodeText(body);
  const depth = options.maxDepth ?? maxDepth;
  const names = text.isWellFormed() ? plainNames(text, depth) : undefined;
  if (names !== undefined) {
    try {
      const value = JSON.parse(text) as Json;
      if (countNames(value) === names)
        return { value, duplicates: [], repeats: [], numbers: none, order: none, overflow: undefined };
    } catch {} // the scanner says what is wrong in Go's words
  }
  const { duplicates, ...rest } = scan(text, depth, options.repeated ?? "merge");
  return { ...rest, duplicates: duplicates.map((d) => d.path), repeats: duplicates };
}

const none: ReadonlyMap<object, never> = new Map<object, never>();

/** How many names the objects of a text have together, or undefined when native parsing could lose something. */
function plainNames(text: string, maxDepth: number): number | undefined {
  let names = 0;
  let depth = 0;
  let run = 0; // digits in a row: from 16 on an integer may not be exact
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c >= 0x30 && c <= 0x39) {
      if (++run > 15) return undefined;
      continue;
    }
    // A fraction, an exponent and -0 are written differently than they come back.
    if (c === 0x2e || c === 0x45 || c === 0x2b || (c === 0x65 && run > 0)) return undefined;
    run = 0;
    if (c === 0x3a) names++;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxDepth) return undefined;
    } else if (c === 0x7d || c === 0x5d) depth--;
    else if (c === 0x2d && text.charCodeAt(at + 1) === 0x30) return undefined;
    else if (c === 0x22) {
      at = endOfString(text, at + 1);
      if (at < 0) return undefined;
    }
  }
  return names;
}

/** Where a string ends, or -1: it does not, or it has an escape that may be half of a surrogate pair. */
// By hand: `indexOf`, once V8 had optimised the loop around it, took 40 s for 3 MB.
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x22) return at;
    if (c !== 0x5c) continue;
    at++;
    if (text.charCodeAt(at) === 0x75 && (text.charCodeAt(at + 1) | 0x20) === 0x64) return -1;
  }
  return -1;
}

function countNames(root: Json): number {
  let names = 0;
  const open: Json[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object" && item !== null) open.push(item);
      continue;
    }
    // Several times as fast as `Object.values` where there are very many.
    const keys = Object.keys(value);
    names += keys.length;
    for (const key of keys) {
      const item = value[key];
      if (typeof item === "object" && item !== null) open.push(item);
    }
  }
  return names;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of bytes. A byte that is no UTF-8 becomes a lone surrogate, one for one: the scanner puts U+FFFD for it, as Go does. */
function decodeText(bytes: Uint8Array): string {
  // Ten times faster than a fatal TextDecoder.
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() : escapeBytes(bytes);
}

const multibyte: readonly [number, number, number][] = [
  [0xc2, 0xdf, 1],
  [0xe0, 0xef, 2],
  [0xf0, 0xf4, 3],
];

function escapeBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const more = byte < 0x80 ? 0 : multibyte.find(([low, high]) => byte >= low && byte <= high)?.[2];
    if (more !== undefined && (more === 0 || decodes(bytes.subarray(at, at + more + 1), more))) {
      at += more + 1;
      continue;
    }
    parts.push(strict.decode(bytes.subarray(from, at)), String.fromCharCode(0xdc00 + byte));
    from = ++at;
  }
  parts.push(strict.decode(bytes.subarray(from)));
  return parts.join("");
}

function decodes(bytes: Uint8Array, more: number): boolean {
  if (bytes.length !== more + 1) return false;
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
