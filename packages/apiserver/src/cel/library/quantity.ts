// Quantities and semantic versions.
import { type ParsedQuantity, parseQuantity } from "@telltale/kinds";
import { functions, type Overload } from "../function.ts";
import { CelError, Opaque, type Value } from "../values.ts";
import { int64 } from "./arithmetic.ts";

const one = 1_000_000_000n;

class Quantity extends Opaque {
  readonly typeName = "kubernetes.Quantity";
  readonly amount: ParsedQuantity;
  constructor(amount: ParsedQuantity) {
    super();
    this.amount = amount;
  }
  equals(other: Value): boolean {
    return other instanceof Quantity && other.amount.nano === this.amount.nano;
  }
}

function quantity(text: string): Quantity {
  const amount = parseQuantity(text);
  if (amount === undefined)
    throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return new Quantity(amount);
}

const plus = (q: Quantity, nano: bigint): Quantity =>
  new Quantity({ nano: q.amount.nano + nano, format: q.amount.format });
const order = (a: bigint, b: bigint): bigint => (a < b ? -1n : a > b ? 1n : 0n);
const isInteger = (q: Quantity): boolean => q.amount.nano % one === 0n && q.amount.nano / one < 2n ** 63n;

function asInteger(q: Quantity): bigint {
  if (!isInteger(q)) throw new CelError("cannot convert value to integer");
  return int64(q.amount.nano / one);
}

export const quantities: readonly Overload[] = functions({
  "quantity(string): kubernetes.Quantity": quantity,
  "isQuantity(string): bool": (text: string) => parseQuantity(text) !== undefined,
  "sign(kubernetes.Quantity): int": (q: Quantity) => order(q.amount.nano, 0n),
  "kubernetes.Quantity -> isInteger(): bool": isInteger,
  "kubernetes.Quantity -> asInteger(): int": asInteger,
  "kubernetes.Quantity -> asApproximateFloat(): double": (q: Quantity) => Number(q.amount.nano) / 1e9,
  "kubernetes.Quantity -> add(kubernetes.Quantity): kubernetes.Quantity": (a: Quantity, b: Quantity) =>
    plus(a, b.amount.nano),
  "kubernetes.Quantity -> add(int): kubernetes.Quantity": (a: Quantity, n: bigint) => plus(a, n * one),
  "kubernetes.Quantity -> sub(kubernetes.Quantity): kubernetes.Quantity": (a: Quantity, b: Quantity) =>
    plus(a, -b.amount.nano),
  "kubernetes.Quantity -> sub(int): kubernetes.Quantity": (a: Quantity, n: bigint) => plus(a, -n * one),
  "kubernetes.Quantity -> isLessThan(kubernetes.Quantity): bool": (a: Quantity, b: Quantity) =>
    a.amount.nano < b.amount.nano,
  "kubernetes.Quantity -> isGreaterThan(kubernetes.Quantity): bool": (a: Quantity, b: Quantity) =>
    a.amount.nano > b.amount.nano,
  "kubernetes.Quantity -> compareTo(kubernetes.Quantity): int": (a: Quantity, b: Quantity) =>
    order(a.amount.nano, b.amount.nano),
});

class Semver extends Opaque {
  readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
  }
  equals(other: Value): boolean {
    return other instanceof Semver && compareVersions(this, other) === 0n;
  }
}

const grammar =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

function parseSemver(text: string, lenient = false): Semver | undefined {
  const match = grammar.exec(lenient ? normal(text) : text);
  if (match === null) return undefined;
  const [, major = "", minor = "", patch = "", pre] = match;
  return new Semver([BigInt(major), BigInt(minor), BigInt(patch)], pre === undefined ? [] : pre.split("."));
}

/** `v1.02` → `1.2.0`. */
function normal(text: string): string {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+].*)?$/.exec(text);
  if (match === null) return text;
  const [, major, minor = "0", patch = "0", rest = ""] = match;
  return `${[major, minor, patch].map((n) => BigInt(n ?? "0")).join(".")}${rest}`;
}

function semver(text: string, lenient = false): Semver {
  const version = parseSemver(text, lenient);
  if (version === undefined)
    throw new CelError(
      /^\d+\.\d+\.\d+/.test(text) || lenient
        ? `invalid semantic version ${JSON.stringify(text)}`
        : "No Major.Minor.Patch elements found",
    );
  return version;
}

function compareVersions(a: Semver, b: Semver): bigint {
  for (let i = 0; i < 3; i++) {
    const by = order(a.numbers[i] ?? 0n, b.numbers[i] ?? 0n);
    if (by !== 0n) return by;
  }
  if (a.pre.length === 0 || b.pre.length === 0)
    return BigInt(b.pre.length - a.pre.length > 0 ? 1 : a.pre.length > 0 ? -1 : 0);
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i], b.pre[i]];
    if (x === undefined) return -1n;
    if (y === undefined) return 1n;
    const by = comparePre(x, y);
    if (by !== 0n) return by;
  }
  return 0n;
}

function comparePre(a: string, b: string): bigint {
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (x && y) return order(BigInt(a), BigInt(b));
  if (x !== y) return x ? -1n : 1n;
  return a < b ? -1n : a > b ? 1n : 0n;
}

export const versions: readonly Overload[] = functions({
  "semver(string): kubernetes.Semver": (text: string) => semver(text),
  "semver(string, bool): kubernetes.Semver": semver,
  "isSemver(string): bool": (text: string) => parseSemver(text) !== undefined,
  "isSemver(string, bool): bool": (text: string, lenient: boolean) => parseSemver(text, lenient) !== undefined,
  "kubernetes.Semver -> major(): int": (v: Semver) => v.numbers[0],
  "kubernetes.Semver -> minor(): int": (v: Semver) => v.numbers[1],
  "kubernetes.Semver -> patch(): int": (v: Semver) => v.numbers[2],
  "kubernetes.Semver -> compareTo(kubernetes.Semver): int": compareVersions,
  "kubernetes.Semver -> isLessThan(kubernetes.Semver): bool": (a: Semver, b: Semver) => compareVersions(a, b) < 0n,
  "kubernetes.Semver -> isGreaterThan(kubernetes.Semver): bool": (a: Semver, b: Semver) => compareVersions(a, b) > 0n,
});
