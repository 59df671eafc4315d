import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareQuantity,
  formatQuantity,
  isQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityToBytes,
  toMebibytes,
  toNumber,
} from "./quantity.ts";

const formats: readonly QuantityFormat[] = ["DecimalSI", "BinarySI", "DecimalExponent"];
const suffixes = [
  "n",
  "u",
  "m",
  "",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
  "e3",
  "E-6",
  "e+2",
];

const anyText = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.bigInt({ min: 0n, max: 10n ** 14n }),
    fc.option(fc.nat({ max: 99_999 }), { nil: undefined }),
    fc.constantFrom(...suffixes),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${suffix}`);

const anyQuantity = anyText.map(read);

function read(text: string | number): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new Error(`${text} is no quantity`);
  return quantity;
}

describe("reading a quantity", () => {
  it.each<[string | number, bigint, QuantityFormat]>([
    ["100m", 100_000_000n, "DecimalSI"],
    ["0.1", 100_000_000n, "DecimalSI"],
    [".5", 500_000_000n, "DecimalSI"],
    ["1.", 1_000_000_000n, "DecimalSI"],
    ["128974848", 128_974_848_000_000_000n, "DecimalSI"],
    ["+3k", 3_000_000_000_000n, "DecimalSI"],
    ["-2", -2_000_000_000n, "DecimalSI"],
    ["1E", 10n ** 27n, "DecimalSI"],
    ["1e3", 10n ** 12n, "DecimalExponent"],
    ["12E-3", 12_000_000n, "DecimalExponent"],
    ["1.5Gi", 1_610_612_736_000_000_000n, "BinarySI"],
    ["0Ki", 0n, "BinarySI"],
    [2, 2_000_000_000n, "DecimalSI"],
    [0.25, 250_000_000n, "DecimalSI"],
  ])("takes %s exactly", (text, nano, format) => {
    expect(parseQuantity(text)).toEqual({ nano, format });
  });

  it.each([
    "",
    " ",
    ".",
    "-",
    "+",
    "Ki",
    "m",
    "1 Gi",
    "1gi",
    "1KI",
    "1K",
    "1e",
    "1e+",
    "1e1.5",
    "1Ki3",
    "1..2",
    "0x10",
    "1,5",
    "٣",
    "abc",
  ])("refuses %j", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect(isQuantity(text)).toBe(false);
  });

  it("refuses numbers that are none", () => {
    expect(isQuantity(Number.NaN)).toBe(false);
    expect(isQuantity(Number.POSITIVE_INFINITY)).toBe(false);
  });

  it.each([
    ["0.9n", 1n],
    ["3.001n", 4n],
    ["-3.001n", -4n],
    ["1e-30", 1n],
    ["0.000000000001Ki", 2n],
    ["0e-30", 0n],
  ])("rounds %s away from zero to whole nanos", (text, nano) => {
    expect(read(text).nano).toBe(nano);
  });

  it("holds binary amounts within 64 bits", () => {
    expect(quantityToBytes(read("9Ei"))).toBe(quantityToBytes(read("9223372036854775807")));
    expect(formatQuantity(read("-9Ei"))).toBe("-9223372036854775807");
    expect(formatQuantity(read("12E"))).toBe("12E");
  });

  it("is not drawn into huge exponents", () => {
    expect(parseQuantity("1e999999999999")).toBeUndefined();
    expect(read("1e-999999999999").nano).toBe(1n);
    expect(read(`7.${"0".repeat(3000)}1`).nano).toBe(7_000_000_001n);
  });
});

describe("writing a quantity", () => {
  it.each([
    ["1.5Gi", "1536Mi"],
    ["0.5", "500m"],
    ["1.5", "1500m"],
    ["1024Mi", "1Gi"],
    ["1000M", "1G"],
    ["1025Ki", "1025Ki"],
    ["1Ki", "1Ki"],
    ["1023.5Ki", "1048064"],
    ["1Ei", "1Ei"],
    ["128974848", "128974848"],
    ["2048", "2048"],
    ["+1", "1"],
    ["-0", "0"],
    ["0Gi", "0"],
    ["-1.5Gi", "-1536Mi"],
    ["0.5Ki", "512"],
    ["1.1Ki", "1126400m"],
    [".001Ki", "1024m"],
    ["100.035k", "100035"],
    ["1e3", "1e3"],
    ["1000", "1k"],
    ["12345e1", "123450"],
    ["80e-3", "80e-3"],
    [".001e12", "1e9"],
    ["1000E", "1e21"],
  ])("makes %s canonical as %s", (text, canonical) => {
    expect(formatQuantity(read(text))).toBe(canonical);
  });

  it("can change the format", () => {
    expect(formatQuantity(read("1Gi"), "DecimalSI")).toBe("1073741824");
    expect(formatQuantity(read("1M"), "DecimalExponent")).toBe("1e6");
    expect(formatQuantity(read("1048576"), "BinarySI")).toBe("1Mi");
  });

  it("loses nothing in any format, and is stable once canonical", () => {
    fc.assert(
      fc.property(anyQuantity, fc.constantFrom(...formats), (quantity, format) => {
        const text = formatQuantity(quantity, format);
        expect(text).toMatch(/^-?\d+([numkMGTPE]|[KMGTPE]i|e-?\d+)?$/);
        expect(read(text).nano).toBe(quantity.nano);
        expect(formatQuantity({ nano: read(text).nano, format })).toBe(text);
      }),
    );
  });
});

describe("a quantity as a number", () => {
  it.each([
    ["100m", 1],
    ["1500m", 2],
    ["-1500m", -2],
    ["1n", 1],
    ["4", 4],
    ["1.5Ki", 1536],
  ])("rounds %s away from zero to %i", (text, value) => {
    expect(toNumber(read(text))).toBe(value);
    expect(quantityToBytes(read(text))).toBe(value);
  });

  it("counts thousandths, rounded up", () => {
    expect(toNumber(read("250m"), "milli")).toBe(250);
    expect(toNumber(read("2"), "milli")).toBe(2000);
    expect(toNumber(read("1u"), "milli")).toBe(1);
  });

  it("counts mebibytes, rounded up", () => {
    expect(toMebibytes(read("1Gi"))).toBe(1024);
    expect(toMebibytes(read("1G"))).toBe(954);
    expect(toMebibytes(read("1"))).toBe(1);
    expect(toMebibytes(read("0"))).toBe(0);
  });
});

describe("the order of quantities", () => {
  it("looks at the amount only", () => {
    expect(compareQuantity(read("1Gi"), read("1024Mi"))).toBe(0);
    expect(compareQuantity(read("1000m"), read("1"))).toBe(0);
    expect(compareQuantity(read("1G"), read("1Gi"))).toBe(-1);
    expect(compareQuantity(read("10000T"), read("100Gi"))).toBe(1);
    expect(compareQuantity(read("-1"), read("1n"))).toBe(-1);
  });

  it("is total", () => {
    fc.assert(
      fc.property(anyQuantity, anyQuantity, anyQuantity, (a, b, c) => {
        expect(compareQuantity(a, b) + compareQuantity(b, a)).toBe(0);
        const [low, middle, high] = [a, b, c].sort(compareQuantity);
        if (low === undefined || middle === undefined || high === undefined) throw new Error("three in, three out");
        expect(compareQuantity(low, middle)).not.toBe(1);
        expect(compareQuantity(middle, high)).not.toBe(1);
        expect(compareQuantity(low, high)).not.toBe(1);
      }),
    );
  });
});
