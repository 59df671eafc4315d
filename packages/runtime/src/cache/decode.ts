// From the text of an answer to values: `managedFields` are cut out before parsing (60 % of a custom resource), and the echo of
// our own write is not parsed at all.
import { Echo, type Echoes } from "./echoes.ts";

export function decode(text: string): unknown {
  return JSON.parse(withoutManagedFields(text)) as unknown;
}

/** For those only who follow, and know what an `Echo` is. */
export function watchDecoder(echoes: Echoes): (text: string) => unknown {
  return (text) => {
    const event = echoes.size === 0 ? undefined : headOf(text);
    const written = event === undefined ? undefined : echoes.at(event.version);
    if (event === undefined || written === undefined || !text.endsWith("}}")) return decode(text);
    const whole = () => (decode(text) as { readonly object: unknown }).object;
    return { type: event.type, object: new Echo(written, whole) };
  };
}

const opening = '"metadata":{';
const field = '"managedFields":[';

/**
 * The text without the `managedFields` of any `metadata`. Outside of strings a quote is never escaped, so that neither
 * marker can be part of a value.
 */
export function withoutManagedFields(text: string): string {
  let from = text.indexOf(field);
  if (from < 0) return text;
  let out = "";
  let done = 0;
  for (let at = text.indexOf(opening); at >= 0 && from >= 0; at = text.indexOf(opening, at + 1)) {
    if (from < at) from = text.indexOf(field, at);
    const cut = from < 0 ? undefined : memberWithin(text, at + opening.length, from);
    if (cut === undefined) continue;
    out += text.slice(done, cut.start);
    done = cut.end;
    at = cut.end - 1;
    from = text.indexOf(field, cut.end);
  }
  return done === 0 ? text : out + text.slice(done);
}

/** Where the member at `from` begins and ends with one of its commas, if it is a direct member of the object at `start`. */
function memberWithin(text: string, start: number, from: number): { start: number; end: number } | undefined {
  if (scan(text, start, from) !== from) return undefined;
  const close = endOfManagedFields(text, from + field.length);
  if (close < 0) return undefined; // a text that was cut: whoever parses it will say so
  const end = close + 1;
  if (text.charCodeAt(end) === comma) return { start: from, end: end + 1 };
  return text.charCodeAt(from - 1) === comma ? { start: from - 1, end } : { start: from, end };
}

const types = ["MODIFIED", "ADDED"] as const;
const beginning = (type: string): string => `{"type":"${type}","object":{`;
const version = '"resourceVersion":"';

/** What a line of a watch is about, without parsing it. Undefined where it is anything else. */
function headOf(text: string): { readonly type: string; readonly version: string } | undefined {
  const type = types.find((it) => text.startsWith(beginning(it)));
  if (type === undefined) return undefined;
  const start = beginning(type).length;
  const metadata = text.indexOf(opening, start);
  if (metadata < 0 || scan(text, start, metadata) !== metadata) return undefined;
  const within = pastManagedFields(text, metadata + opening.length);
  const at = text.indexOf(version, within);
  if (at < 0 || scan(text, within, at) !== at) return undefined;
  return { type, version: text.slice(at + version.length, text.indexOf('"', at + version.length)) };
}

/** From where on the rest of the object at `start` is to be looked at: they are most of it, and come before its version. */
function pastManagedFields(text: string, start: number): number {
  const from = text.indexOf(field, start);
  return from < 0 ? start : (memberWithin(text, start, from)?.end ?? start);
}

const quote = 34;
const comma = 44;
const backslash = 92;

/**
 * Where the list closes. It holds no other list, so that it ends with the first bracket outside of a string; and what follows
 * here cannot follow within one, where a quote has a backslash before it. Found natively that is ten times faster.
 */
function endOfManagedFields(text: string, at: number): number {
  const close = text.indexOf("}]", at) + 1;
  const rest = text.charCodeAt(close + 1) === 125 ? close + 2 : close + 1;
  const isNext = text.charCodeAt(rest) === comma && text.charCodeAt(rest + 1) === quote && isLetter(text, rest + 2);
  return close > 0 && isNext ? close : scan(text, at, text.length);
}

function isLetter(text: string, at: number): boolean {
  const c = text.charCodeAt(at) | 32;
  return c >= 97 && c <= 122;
}

/** Where the list or object around `at` closes, or `until` when it is reached at the same depth before that; else -1. */
function scan(text: string, at: number, until: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i += 1) {
    if (i >= until) return depth === 0 ? until : -1;
    const c = text.charCodeAt(i);
    if (c === quote) {
      for (i += 1; i < text.length && text.charCodeAt(i) !== quote; i += 1) {
        if (text.charCodeAt(i) === backslash) i += 1;
      }
    } else if (c === 123 || c === 91) depth += 1;
    else if (c === 125 || c === 93) {
      if (depth === 0) return i;
      depth -= 1;
    }
  }
  return -1;
}
