// Kubernetes' Quantity: `100m`, `1.5Gi`, `1e3`, held exactly as a whole number of nanos. Not a string with a size pattern of its own.
// The text is not kept: what comes out of `formatQuantity` is always the canonical form.

/** An exact amount and the family of suffixes it was written in. */
export type Quantity = { readonly nano: bigint; readonly format: QuantityFormat };

/** `12M`, `12Mi` or `12e6`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The amount that a text or a JSON number names, or undefined when it is none. Finer than a nano rounds away from zero. */
export function parseQuantity(text: string | number): Quantity | undefined {
  const match = grammar.exec(String(text));
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  if (whole === "" && fraction === "") return undefined;
  const scale = scaleOf(suffix);
  if (scale === undefined) return undefined;

  const scaled = BigInt(whole + fraction) * scale.factor;
  // Below this power any amount is less than a nano, however long the power is written.
  const power = Math.max(scale.power, -whole.length - 20) - fraction.length + 9;
  let nano = power >= 0 ? scaled * 10n ** BigInt(power) : divideUp(scaled, 10n ** BigInt(-power));
  let format = scale.format;
  if (format === "BinarySI") {
    if (nano > mostBinary) nano = mostBinary;
    if (nano > 0n && nano < one) format = "DecimalSI";
  }
  return { nano: sign === "-" ? -nano : nano, format };
}

export function isQuantity(text: string | number): boolean {
  return parseQuantity(text) !== undefined;
}

/** Order by amount; the format plays no part, so `1024Mi` equals `1Gi`. */
export function compareQuantity(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nano === b.nano) return 0;
  return a.nano < b.nano ? -1 : 1;
}

/** The amount in whole units (`Value()`) or whole thousandths (`MilliValue()`), rounded away from zero: `100m` is 1, or 100 milli. */
export function toNumber(quantity: Quantity, unit: "one" | "milli" = "one"): number {
  return Number(divideUp(quantity.nano, unit === "one" ? one : one / 1000n));
}

/** A size in whole bytes, rounded up. */
export function quantityToBytes(quantity: Quantity): number {
  return toNumber(quantity);
}

/** A size in whole mebibytes, rounded up: `1G` is 954. */
export function toMebibytes(quantity: Quantity): number {
  return Number(divideUp(quantity.nano, one << 20n));
}

/** Kubernetes' canonical text: no fraction, the largest suffix that loses nothing, `-` only when negative. */
export function formatQuantity(quantity: Quantity, format: QuantityFormat = quantity.format): string {
  const { nano } = quantity;
  if (nano === 0n) return "0";
  const size = nano < 0n ? -nano : nano;
  // Below 1Ki and with a fraction Kubernetes falls back to the decimal suffixes; beyond 64 bits no binary text could be read back.
  const binary = format === "BinarySI" && size >= 1024n * one && size <= mostBinary && size % one === 0n;
  if (binary) return formatBinary(nano / one);
  return formatDecimal(nano, format === "DecimalExponent");
}

const one = 1_000_000_000n;
const mostBinary = (2n ** 63n - 1n) * one;
const grammar = /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]{0,2}|[eE][+-]?\d+)$/;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

// Kubernetes takes any 32-bit exponent; a longer number than this is an attack on memory, not an amount.
const largestExponent = 1000;

type Scale = { factor: bigint; power: number; format: QuantityFormat };

function scaleOf(suffix: string): Scale | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { factor: 1n, power: decimal * 3 - 9, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { factor: 1n << BigInt(binary * 10), power: 0, format: "BinarySI" };
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (exponent === undefined) return undefined;
  const power = Number(exponent);
  return power > largestExponent ? undefined : { factor: 1n, power, format: "DecimalExponent" };
}

/** Division that rounds away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  if (quotient * by === value) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

function formatBinary(value: bigint): string {
  let left = value;
  let step = 0;
  while (step < binarySuffixes.length - 1 && left % 1024n === 0n) {
    left /= 1024n;
    step += 1;
  }
  return `${left}${binarySuffixes[step]}`;
}

function formatDecimal(nano: bigint, exponent: boolean): string {
  let left = nano;
  let step = 0;
  while (left % 1000n === 0n) {
    left /= 1000n;
    step += 1;
  }
  const suffix = exponent ? undefined : decimalSuffixes[step];
  const power = step * 3 - 9;
  return `${left}${suffix ?? (power === 0 ? "" : `e${power}`)}`;
}
