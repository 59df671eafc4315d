// JSON as recordings keep it: numbers with their spelling, keys in order, parts by pointer.
import { isObject, type Json, type JsonObject } from "../../src/json.ts";

/** Parses; a number that JavaScript would print differently (2^53+1, 1.0, 1e3) becomes `<num:TEXT>`. */
export function parse(text: string): Json {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const spelled = text.replace(token, (part) =>
    part.startsWith('"') || String(Number(part)) === part ? part : JSON.stringify(`<num:${part}>`),
  );
  return JSON.parse(spelled) as Json;
}

/** The same text for the same value. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "undefined";
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

export const byCanonical = <T extends Json>(list: readonly T[]): T[] =>
  list
    .map((item) => ({ item, text: canonical(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ item }) => item);

/** The value at a pointer. `*` is each, `#` the count, `@` the sorted keys, `[name=pods]` the first that has that value. */
export function find(document: Json | undefined, pointer: string): Json | undefined {
  if (pointer === "") return document;
  const steps = segments(pointer);
  let here: Json[] = document === undefined ? [] : [document];
  let many = false;
  for (const step of steps) {
    // Each of nothing is nothing, not an empty list.
    many ||= step === "*" && here.some(isContainer);
    here = here.flatMap((value) => into(value, step));
  }
  return many ? here : here[0];
}

/** Takes away what is at a pointer, in place. */
export function remove(document: Json, pointer: string): void {
  const steps = segments(pointer);
  const last = steps.pop() ?? "";
  let here: Json[] = [document];
  for (const step of steps)
    here = here.flatMap((value) => (step === "*" || owns(value, step) ? into(value, step) : []));
  for (const value of here) {
    if (!isContainer(value)) continue;
    for (const key of last === "*" ? Object.keys(value) : [last]) delete (value as JsonObject)[key];
  }
}

export const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

function segments(pointer: string): string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function into(value: Json, step: string): Json[] {
  if (!isContainer(value)) return [];
  if (step === "*") return Object.values(value);
  if (step === "@") return [Object.keys(value).sort()];
  if (step === "#") return [Object.keys(value).length];
  const choice = /^\[(.+?)=(.*)\]$/.exec(step);
  if (choice !== null && Array.isArray(value)) {
    const [, path = "", wanted] = choice;
    const hit = value.find((item) => String(find(item, `/${path.replaceAll(".", "/")}`) ?? "") === wanted);
    return hit === undefined ? [] : [hit];
  }
  const inner = owns(value, step) ? (value as JsonObject)[step] : undefined;
  return inner === undefined ? [] : [inner];
}

const isContainer = (value: Json): value is JsonObject | Json[] => typeof value === "object" && value !== null;
const owns = (value: Json, key: string): boolean => isContainer(value) && Object.hasOwn(value, key);
