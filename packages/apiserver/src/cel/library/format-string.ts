// `'%s is %d'.format([…])`.
import { goQuote } from "../../status.ts";
import { formatDuration, formatTimestamp } from "../time.ts";
import { CelError, Duration, kindOf, List, Mapping, Timestamp, TypeValue, Uint, type Value } from "../values.ts";
import { formatDouble } from "./standard.ts";

export function format(text: string, args: List): string {
  let next = 0;
  const out = text.replace(
    /%(?:(%)|(?:\.(\d+))?([a-zA-Z])|)/g,
    (_, percent?: string, precision?: string, verb?: string) => {
      if (percent !== undefined) return "%";
      if (verb === undefined) throw new CelError("could not parse formatting clause");
      if (next >= args.length) throw new CelError(`index ${next} out of range`);
      return clause(verb, args.at(next++), precision === undefined ? undefined : Number(precision));
    },
  );
  return out;
}

function clause(verb: string, value: Value, precision: number | undefined): string {
  switch (verb) {
    case "s":
      return shown(value, false);
    case "d":
      if (typeof value === "bigint") return String(value);
      if (value instanceof Uint) return String(value.value);
      break;
    case "f":
      if (typeof value === "number") return Number.isFinite(value) ? fixed(value, precision ?? 6) : infinite(value);
      break;
    case "e":
      if (typeof value === "number") return Number.isFinite(value) ? scientific(value) : infinite(value);
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
  throw new CelError(`error during formatting: ${verbErrors[verb] ?? ""}, was given ${kindOf(value)}`);
}

/** What is said when a clause meets a value that it does not take. */
export const verbErrors: Readonly<Record<string, string>> = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  o: "octal clause can only be used on integers",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
};

const infinite = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");

/** Halves go to the even digit, where JavaScript rounds them up. */
function fixed(value: number, precision: number): string {
  const scaled = Math.abs(value) * 10 ** precision;
  const whole = Math.floor(scaled);
  if (scaled - whole !== 0.5 || whole % 2 !== 0 || scaled / 10 ** precision !== Math.abs(value))
    return value.toFixed(precision);
  return ((Math.sign(value) * whole) / 10 ** precision).toFixed(precision);
}

const superscripts: Readonly<Record<string, string>> = {
  "-": "⁻",
  0: "⁰",
  1: "¹",
  2: "²",
  3: "³",
  4: "⁴",
  5: "⁵",
  6: "⁶",
  7: "⁷",
  8: "⁸",
  9: "⁹",
};

/** Always six digits: upstream takes no precision here. */
function scientific(value: number): string {
  const [digits = "", exponent = ""] = value.toExponential(6).split("e");
  const sign = exponent.startsWith("-") ? "-" : "";
  const power = `${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
  return `${digits}×10${[...power].map((c) => superscripts[c]).join("")}`;
}

function hexadecimal(value: Value): string | undefined {
  if (typeof value === "bigint") return value.toString(16);
  if (value instanceof Uint) return value.value.toString(16);
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : undefined;
}

const called = (name: string, text: string, inside: boolean): string => (inside ? `${name}("${text}")` : text);

/** Inside lists and maps strings are quoted, and times look like calls. */
function shown(value: Value, inside: boolean): string {
  if (value === null) return "null";
  if (typeof value === "string") return inside ? goQuote(value) : value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return infinite(value);
    return inside ? fixed(value, 6) : formatDouble(value);
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return called("timestamp", formatTimestamp(value.nanos), inside);
  if (value instanceof Duration) return called("duration", formatDuration(value.nanos), inside);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof List) return `[${[...value].map((item) => shown(item, true)).join(", ")}]`;
  if (value instanceof Mapping) {
    const entries = [...value.keys()].map((key) => [shown(key, true), shown(value.get(key) ?? null, true)] as const);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${key}:${inner}`).join(", ")}}`;
  }
  throw new CelError(`error during formatting: ${verbErrors["s"]}, was given ${kindOf(value)}`);
}
