// Bounds of numbers with the habits of the Go validator behind Kubernetes: a whole number is compared with whole bounds, and the
// bounds themselves must fit the type.
import type { Json } from "../json.ts";
import type { FieldError } from "../status.ts";
import type { Schema } from "./schema.ts";

/** How Go would hold a JSON number: int64 or float64. */
export type NumberKind = "integer" | "float";

export type JsonNumber = number | bigint;

export function isNumber(value: Json): value is JsonNumber {
  return typeof value === "number" || typeof value === "bigint";
}

export function numberKind(value: JsonNumber): NumberKind {
  if (typeof value === "bigint") return value >= -(2n ** 63n) && value < 2n ** 63n ? "integer" : "float";
  return Number.isSafeInteger(value) ? "integer" : "float";
}

/** What is wrong with a number; `said` makes an error about the value, `bare` one without a path. */
export function checkNumber(
  schema: Schema,
  type: string | undefined,
  format: string,
  value: JsonNumber,
  name: string,
  said: (detail: string, about?: JsonNumber) => FieldError,
): FieldError[] {
  const errors: FieldError[] = [];
  const inRange = (v: JsonNumber, what: string): boolean => {
    if (fits(v, type, format)) return true;
    const as = format === "" ? "(default format)" : `with format ${format}`;
    errors.push(bare(`${what} value must be of type ${type} ${as} in ${name}`));
    return false;
  };
  inRange(value, "Checked");
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined) {
    const [a, b] = sides(value, multipleOf, inRange(multipleOf, "MultipleOf"));
    if (b <= 0) errors.push(said(`factor MultipleOf declared for ${name} must be positive: ${printed(b)}`, b));
    else if (!isMultiple(a, b)) errors.push(said(`${name} in body should be a multiple of ${printed(b)}`));
  }
  if (minimum !== undefined) {
    const [a, b] = sides(value, minimum, inRange(minimum, "Minimum boundary"));
    const open = schema.exclusiveMinimum === true;
    const words = open ? "greater than" : "greater than or equal to";
    if (a < b || (open && a === b)) errors.push(said(`${name} in body should be ${words} ${printed(b)}`));
  }
  if (maximum !== undefined) {
    const [a, b] = sides(value, maximum, inRange(maximum, "Maximum boundary"));
    const open = schema.exclusiveMaximum === true;
    const words = open ? "less than" : "less than or equal to";
    if (a > b || (open && a === b)) errors.push(said(`${name} in body should be ${words} ${printed(b)}`));
  }
  return errors;
}

/** An error that upstream makes without a path. */
export function bare(detail: string): FieldError {
  return { type: "FieldValueInvalid", field: "", body: `Invalid value: "": ${detail}` };
}

/** A number as Go's `%v` prints it: whole numbers that were held as such in full, others like `1e+10` and `0.25`. */
export function printed(value: JsonNumber): string {
  if (typeof value === "bigint") return String(value);
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (value === 0 || !Number.isFinite(value) || (exponent >= -4 && exponent < 6)) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Whether a number fits the type that the schema names; only integers and `float` have a range. */
function fits(value: JsonNumber, type: string | undefined, format: string): boolean {
  if (type !== "integer") return format !== "float" || Number.isFinite(Math.fround(Number(value)));
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  const whole = BigInt(value);
  const bits = format === "int32" ? 31n : 63n;
  return whole >= -(2n ** bits) && whole < 2n ** bits;
}

/** The two sides of a comparison, both whole or both not. */
function sides(value: JsonNumber, bound: number, native: boolean): [bigint, bigint] | [number, number] {
  if (native && numberKind(value) === "integer" && Number.isFinite(bound))
    return [BigInt(value), BigInt(Math.trunc(bound))];
  return [Number(value), bound];
}

function isMultiple(value: JsonNumber, factor: JsonNumber): boolean {
  if (typeof value === "bigint" && typeof factor === "bigint") return value % factor === 0n;
  return isWhole(times(Number(value), Number(factor)));
}

const times = (value: number, factor: number): number => (factor < 1 ? (1 / factor) * value : value / factor);

/** Whole within the rounding of a division: `0.3` is a multiple of `0.1`. */
function isWhole(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER || Number.isNaN(value)) return false;
  const whole = Math.trunc(value);
  return value === whole || (whole !== 0 && Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9);
}
