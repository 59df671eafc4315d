import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatGoDuration, parseGoDuration, parseSpan } from "./duration.ts";

const hour = 3_600_000;

describe("a Go duration", () => {
  it.each([
    ["0", 0],
    ["-0", 0],
    ["+0", 0],
    ["0s", 0],
    ["45s", 45_000],
    ["1m30s", 90_000],
    ["1h0m5s", 3_605_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["5.s", 5000],
    ["-2m", -120_000],
    ["+2m", 120_000],
    ["300ms", 300],
    ["250us", 0.25],
    ["250µs", 0.25],
    ["250μs", 0.25],
    ["1ns", 0.000001],
    ["1s1h", 3_601_000],
    ["2540400h", 2540400 * hour],
    ["9223372036854775807ns", 9223372036854.775],
    ["-9223372036854775808ns", -9223372036854.775],
  ])("%s is read", (text, ms) => {
    expect(parseGoDuration(text)).toBe(ms);
  });

  it.each([
    "",
    "-",
    "+",
    "5",
    "30d",
    "1w",
    "s",
    ".s",
    ".",
    "1h ",
    " 1h",
    "1 h",
    "1h5",
    "--1s",
    "1S",
    "1.2.3s",
    "1e3s",
    "2562048h",
    "9223372036854775808ns",
    "-9223372036854775809ns",
    "1s\n",
  ])("%j is refused", (text) => {
    expect(parseGoDuration(text)).toBeUndefined();
  });

  it.each([
    [0, "0s"],
    [999, "0s"],
    [-999, "0s"],
    [45_000, "45s"],
    [60_000, "1m0s"],
    [90_999, "1m30s"],
    [3_600_000, "1h0m0s"],
    [3_605_000, "1h0m5s"],
    [100 * hour, "100h0m0s"],
    [-90_000, "-1m30s"],
    [-1000, "-1s"],
  ])("%i ms is written %s", (ms, text) => {
    expect(formatGoDuration(ms)).toBe(text);
  });

  it("comes back from its text, without what is less than a second", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
        expect(parseGoDuration(formatGoDuration(ms))).toBe(Math.trunc(ms / 1000) * 1000 + 0);
      }),
    );
  });

  it("is never an exception", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.hmsnuµd]{0,12}$/)), (text) => {
        const ms = parseGoDuration(text);
        expect(ms === undefined || Number.isFinite(ms)).toBe(true);
      }),
    );
  });
});

describe("a span", () => {
  it.each([
    ["1h", hour],
    ["30d", 720 * hour],
    ["2w", 336 * hour],
    ["0h", 0],
  ])("%s is read", (text, ms) => {
    expect(parseSpan(text)).toBe(ms);
  });

  it.each(["", "h", "1", "1m", "1h30m", "-1h", "1.5h", " 1h", "1H", "99999999999999999999w"])(
    "%j is refused",
    (text) => {
      expect(parseSpan(text)).toBeUndefined();
    },
  );

  it("is refused outside its bounds, which belong to it", () => {
    const bounds = { min: hour, max: 8760 * hour };
    expect(parseSpan("0h", bounds)).toBeUndefined();
    expect(parseSpan("1h", bounds)).toBe(hour);
    expect(parseSpan("8760h", bounds)).toBe(8760 * hour);
    expect(parseSpan("365d", bounds)).toBe(8760 * hour);
    expect(parseSpan("8761h", bounds)).toBeUndefined();
    expect(parseSpan("53w", { max: 8760 * hour })).toBeUndefined();
  });
});
