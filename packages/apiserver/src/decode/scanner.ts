// Reads JSON without losing anything: large integers, how numbers were written, repeated names, and Go's texts for what is wrong.
// Slower than JSON.parse; `json.ts` comes here only when a document needs it.

import { isObject, type Json, type JsonObject, put } from "../json.ts";
import { goQuote } from "../status.ts";

/** The body is no JSON; the message is that of Go's encoding/json. */
export class JsonError extends Error {}

/** A name that its object already had. */
export interface Duplicate {
  readonly object: JsonObject;
  readonly name: string;
  readonly path: string;
  readonly at: number;
}

export interface Scan {
  value: Json;
  readonly duplicates: Duplicate[];
  /** The text of numbers that are no plain int64, by the object or list that holds them. */
  readonly numbers: Map<object, Map<string | number, string>>;
  /** The place of every name in the document, by its object. */
  readonly order: Map<object, Map<string, number>>;
  /** The first number that no float64 can hold. */
  overflow: string | undefined;
}

interface Frame {
  readonly object: JsonObject | undefined;
  readonly list: Json[] | undefined;
  /** The names of this pair of braces; an object that is merged has several. */
  readonly seen: Set<string>;
  name: string;
}

/** What becomes of an object whose name comes again: typed decoding fills the same struct, untyped takes the last. */
export type Repeated = "merge" | "replace";

// Go stops counting strict errors at 100; the budget keeps a hostile document from making the paths long.
const mostDuplicates = 100;
const pathBudget = 1 << 20;

export function scan(text: string, maxDepth: number, repeated: Repeated): Scan {
  const result: Scan = { value: null, duplicates: [], numbers: new Map(), order: new Map(), overflow: undefined };
  const frames: Frame[] = [];
  let at = 0;
  let ordinal = 0;
  let spent = 0;

  const space = (): void => {
    for (;;) {
      const c = text.charCodeAt(at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      at++;
    }
  };

  const path = (name: string): string => {
    let out = "";
    for (const frame of frames.slice(0, -1))
      out += frame.list === undefined ? `.${frame.name}` : `[${frame.list.length}]`;
    return `${out}.${name}`.slice(1);
  };

  const named = (frame: Frame, object: JsonObject): void => {
    frame.name = string();
    const places = result.order.get(object) ?? new Map<string, number>();
    if (places.size === 0) result.order.set(object, places);
    if (!places.has(frame.name)) places.set(frame.name, ordinal++);
    if (frame.seen.has(frame.name)) {
      if (result.duplicates.length < mostDuplicates && spent < pathBudget) {
        const duplicate = { object, name: frame.name, path: path(frame.name), at: ordinal++ };
        spent += duplicate.path.length;
        result.duplicates.push(duplicate);
      }
    } else frame.seen.add(frame.name);
    space();
    if (text[at] !== ":") fail("after object key");
    at++;
  };

  const string = (): string => {
    const start = at + 1;
    let escaped = false;
    for (at = start; ; at++) {
      const c = text.charCodeAt(at);
      if (c === 0x22) break;
      if (Number.isNaN(c)) throw new JsonError("unexpected end of JSON input");
      if (c < 0x20) fail("in string literal");
      if (c !== 0x5c) continue;
      escaped = true;
      at++;
      const e = text[at];
      if (e === "u") {
        for (let i = 0; i < 4; i++) {
          at++;
          if (!/[0-9a-fA-F]/.test(text[at] ?? "")) fail("in \\u hexadecimal character escape");
        }
      } else if (e === undefined || !'"\\/bfnrt'.includes(e)) fail("in string escape code");
    }
    at++;
    const plain = text.slice(start, at - 1);
    const value: unknown = escaped ? JSON.parse(`"${plain.toWellFormed()}"`) : plain;
    return String(value).toWellFormed();
  };

  const number = (frame: Frame | undefined): Json => {
    const start = at;
    if (text[at] === "-") at++;
    if (!digit(text.charCodeAt(at))) fail("in numeric literal");
    if (text[at] === "0") at++;
    else digits();
    if (text[at] === ".") {
      at++;
      if (!digit(text.charCodeAt(at))) fail("after decimal point in numeric literal");
      digits();
    }
    if (text[at] === "e" || text[at] === "E") {
      at++;
      if (text[at] === "+" || text[at] === "-") at++;
      if (!digit(text.charCodeAt(at))) fail("in exponent of numeric literal");
      digits();
    }
    const written = text.slice(start, at);
    const value = Number(written) + 0;
    const whole = !/[.eE]/.test(written);
    if (whole && Number.isSafeInteger(value)) return value;
    if (whole && written.length <= 20) {
      const exact = BigInt(written);
      if (BigInt.asIntN(64, exact) === exact) return exact;
    }
    if (!Number.isFinite(value)) result.overflow ??= written;
    const holder = frame?.object ?? frame?.list;
    if (holder !== undefined) {
      const numbers = result.numbers.get(holder) ?? new Map<string | number, string>();
      if (numbers.size === 0) result.numbers.set(holder, numbers);
      numbers.set(frame?.list === undefined ? (frame?.name ?? "") : frame.list.length, written);
    }
    return value;
  };

  const digits = (): void => {
    while (digit(text.charCodeAt(at))) at++;
  };

  const literal = (word: string, value: Json): Json => {
    for (const letter of word) {
      if (text[at] !== letter) fail(`in literal ${word} (expecting '${letter}')`);
      at++;
    }
    return value;
  };

  /** Go ends the input with a space: a literal that is cut off there is a wrong character, anything else an early end. */
  const fail = (where: string): never => {
    const ended = at >= text.length;
    if (ended && !/literal (?:true|false|null)|numeric|escape/.test(where))
      throw new JsonError("unexpected end of JSON input");
    throw new JsonError(`invalid character ${character(ended ? 0x20 : firstByte(text, at))} ${where}`);
  };

  /** Opens a container at a value's place; gives back a value when it is complete at once. */
  const open = (frame: Frame | undefined): { value: Json } | undefined => {
    const c = text[at];
    if (c === "{" || c === "[") {
      if (frames.length >= maxDepth) fail("exceeded max depth");
      at++;
      if (c === "[") {
        const list: Json[] = [];
        frames.push({ object: undefined, list, seen: new Set(), name: "" });
        space();
        if (text[at] !== "]") return undefined;
        at++;
        frames.pop();
        return { value: list };
      }
      const before =
        frame?.object !== undefined && Object.hasOwn(frame.object, frame.name) ? frame.object[frame.name] : undefined;
      const object: JsonObject = repeated === "merge" && isObject(before) ? before : {};
      const inner: Frame = { object, list: undefined, seen: new Set(), name: "" };
      frames.push(inner);
      space();
      if (text[at] === "}") {
        at++;
        frames.pop();
        return { value: object };
      }
      if (text[at] !== '"') fail("looking for beginning of object key string");
      named(inner, object);
      return undefined;
    }
    if (c === '"') return { value: string() };
    if (c === "-" || digit(text.charCodeAt(at))) return { value: number(frame) };
    if (c === "t") return { value: literal("true", true) };
    if (c === "f") return { value: literal("false", false) };
    if (c === "n") return { value: literal("null", null) };
    return fail("looking for beginning of value");
  };

  for (;;) {
    space();
    const opened = open(frames.at(-1));
    if (opened === undefined) continue;
    let { value } = opened;
    for (;;) {
      const frame = frames.at(-1);
      space();
      if (frame === undefined) {
        if (at < text.length) fail("after top-level value");
        result.value = value;
        return result;
      }
      const c = text[at];
      if (frame.list !== undefined) {
        frame.list.push(value);
        if (c !== "," && c !== "]") fail("after array element");
      } else if (frame.object !== undefined) {
        put(frame.object, frame.name, value);
        if (c !== "," && c !== "}") fail("after object key:value pair");
      }
      at++;
      if (c === ",") {
        if (frame.object !== undefined) {
          space();
          if (text[at] !== '"') fail("looking for beginning of object key string");
          named(frame, frame.object);
        }
        break;
      }
      frames.pop();
      value = frame.list ?? frame.object ?? null;
    }
  }
}

const digit = (c: number): boolean => c >= 0x30 && c <= 0x39;

/** The byte that Go would have met: `json.ts` carries bytes that are no UTF-8 as lone surrogates. */
function firstByte(text: string, at: number): number {
  const c = text.codePointAt(at) ?? 0;
  if (c < 0x80) return c;
  if (c >= 0xdc80 && c <= 0xdcff) return c - 0xdc00;
  return c < 0x800 ? 0xc0 | (c >> 6) : c < 0x10000 ? 0xe0 | (c >> 12) : 0xf0 | (c >> 18);
}

function character(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
