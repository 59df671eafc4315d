// `'%s is %d'.format([…])`.
import { formatDuration, formatTimestamp } from "../time.ts";
import { CelError, Duration, kindOf, List, Mapping, Timestamp, TypeValue, Uint, type Value } from "../values.ts";
import { formatDouble } from "./standard.ts";

export function format(text: string, args: List): string {
  let next = 0;
  const out = text.replace(/%(?:(%)|(?:\.(\d+))?([a-zA-Z])|)/g, (_, percent?: string, precision?: string, verb?: string) => {
    if (percent !== undefined) return "%";
    if (verb === undefined) throw new CelError("could not parse formatting clause");
    if (next >= args.length) throw new CelError(`index ${next} out of range`);
    return clause(verb, args.at(next++), precision === undefined ? undefined : Number(precision));
  });
  return out;
}

function clause(verb: string, value: Value, precision: number | undefined): string {
  switch (verb) {
    case "s":
      return shown(value);
    case "d":
      if (typeof value === "bigint") return String(value);
      if (value instanceof Uint) return String(value.value);
      if (typeof value === "number" && !Number.isFinite(value)) return infinite(value);
      break;
    case "f":
      if (typeof value === "number") return Number.isFinite(value) ? value.toFixed(precision ?? 6) : infinite(value);
      if (typeof value === "bigint") return Number(value).toFixed(precision ?? 6);
      break;
    case "e":
      if (typeof value === "number" || typeof value === "bigint")
        return Number(value)
          .toExponential(precision ?? 6)
          .replace(/e([+-])(\d)$/, "e$10$2");
      break;
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      if (typeof value === "bigint") return value.toString(2);
      if (value instanceof Uint) return value.value.toString(2);
      break;
    case "o":
      if (typeof value === "bigint") return value.toString(8);
      if (value instanceof Uint) return value.value.toString(8);
      break;
    case "x":
    case "X": {
      const hex = hexadecimal(value);
      if (hex !== undefined) return verb === "X" ? hex.toUpperCase() : hex;
      break;
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
  throw new CelError(`error during formatting: ${wanted[verb] ?? "no such overload"}, was given ${kindOf(value)}`);
}

const wanted: Readonly<Record<string, string>> = {
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  o: "octal clause can only be used on integers",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
};

const infinite = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");

function hexadecimal(value: Value): string | undefined {
  if (typeof value === "bigint") return value.toString(16);
  if (value instanceof Uint) return value.value.toString(16);
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : undefined;
}

function shown(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? formatDouble(value) : infinite(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return formatTimestamp(value.nanos);
  if (value instanceof Duration) return formatDuration(value.nanos);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof List) return `[${[...value].map(shown).join(", ")}]`;
  if (value instanceof Mapping) {
    const entries = [...value.keys()].map((key) => [shown(key), shown(value.get(key) ?? null)] as const);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${key}: ${inner}`).join(", ")}}`;
  }
  throw new CelError(`error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${kindOf(value)}`);
}
