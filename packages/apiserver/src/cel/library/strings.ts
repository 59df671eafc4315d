// Strings beyond the language: positions are code points. RE2 matching is here as well.
import { RE2JS } from "re2js";
import { goQuote } from "../../status.ts";
import { functions, type Overload } from "../function.ts";
import { CelError, List, type Value } from "../values.ts";
import { format } from "./format-string.ts";

const points = (text: string): string[] => [...text];

function within(index: bigint, size: number, name = "index"): number {
  if (index < 0n || index > BigInt(size)) throw new CelError(`${name} out of range: ${index}`);
  return Number(index);
}

function indexOf(text: string, part: string, from = 0n): bigint {
  const all = points(text);
  const start = within(from, all.length);
  const found = all.slice(start).join("").indexOf(part);
  return found < 0 ? -1n : BigInt(start + points(all.slice(start).join("").slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const all = points(text);
  const size = points(part).length;
  let start = from === undefined ? all.length : within(from, all.length);
  if (part === "") return BigInt(start);
  for (start = Math.min(start, all.length - size); start >= 0; start--)
    if (all.slice(start, start + size).join("") === part) return BigInt(start);
  return -1n;
}

function substring(text: string, from: bigint, to?: bigint): string {
  const all = points(text);
  const start = within(from, all.length);
  const end = to === undefined ? all.length : within(to, all.length);
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  return all.slice(start, end).join("");
}

function replace(text: string, from: string, to: string, limit = -1n): string {
  if (limit < 0n) return text.replaceAll(from, () => to);
  let left = limit;
  return text.replaceAll(from, (found) => (left-- > 0n ? to : found));
}

function split(text: string, separator: string, limit = -1n): List {
  if (limit === 0n) return List.of([]);
  const all = separator === "" ? points(text) : text.split(separator);
  if (limit < 0n || BigInt(all.length) <= limit) return List.of(all);
  const kept = all.slice(0, Number(limit) - 1);
  return List.of([...kept, all.slice(Number(limit) - 1).join(separator)]);
}

function join(list: List, separator = ""): string {
  const items: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") throw new CelError("no such overload");
    items.push(item);
  }
  return items.join(separator);
}

const spaces = /^[\p{White_Space}]+|[\p{White_Space}]+$/gu;
const ascii = (text: string, pattern: RegExp, change: (c: string) => string): string => text.replace(pattern, change);

// Rules are evaluated again and again with the same few patterns.
const compiled = new Map<string, RE2JS>();

/** A pattern in RE2's syntax; throws what the evaluation reports. */
export function pattern(text: string): RE2JS {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  let made: RE2JS;
  try {
    made = RE2JS.compile(text);
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error));
  }
  if (compiled.size >= 1000) compiled.clear();
  compiled.set(text, made);
  return made;
}

const matches = (text: string, regex: string): boolean => pattern(regex).matcher(text).find();

function find(text: string, regex: string): string {
  const matcher = pattern(regex).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

function findAll(text: string, regex: string, limit = -1n): List {
  const matcher = pattern(regex).matcher(text);
  const found: string[] = [];
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) found.push(matcher.group() ?? "");
  return List.of(found);
}

function charAt(text: string, index: bigint): string {
  const all = points(text);
  return all[within(index, all.length)] ?? "";
}

export const strings: readonly Overload[] = functions({
  "string -> charAt(int): string": charAt,
  "string -> indexOf(string): int": indexOf,
  "string -> indexOf(string, int): int": indexOf,
  "string -> lastIndexOf(string): int": lastIndexOf,
  "string -> lastIndexOf(string, int): int": lastIndexOf,
  "string -> substring(int): string": substring,
  "string -> substring(int, int): string": substring,
  "string -> replace(string, string): string": replace,
  "string -> replace(string, string, int): string": replace,
  "string -> split(string): list(string)": split,
  "string -> split(string, int): list(string)": split,
  "list(string) -> join(): string": join,
  "list(string) -> join(string): string": join,
  "string -> trim(): string": (text: string) => text.replace(spaces, ""),
  "string -> lowerAscii(): string": (text: string) => ascii(text, /[A-Z]/g, (c) => c.toLowerCase()),
  "string -> upperAscii(): string": (text: string) => ascii(text, /[a-z]/g, (c) => c.toUpperCase()),
  "strings.quote(string): string": (text: string) => goQuote(text),
  "string -> format(list(dyn)): string": (text: string, args: List) => format(text, args),
  "matches(string, string): bool": matches,
  "string -> matches(string): bool": matches,
  "string -> find(string): string": find,
  "string -> findAll(string): list(string)": findAll,
  "string -> findAll(string, int): list(string)": findAll,
} satisfies Record<string, (...args: never[]) => Value>);
