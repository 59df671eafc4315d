import fc from "fast-check";
import { expect, it } from "vitest";
import { compareVersions, isNoNewer, isOlder } from "./version.ts";

it("compares decimal numbers of any length as numbers", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 100n }), fc.bigInt({ min: 0n, max: 2n ** 100n }), (a, b) => {
      expect(Math.sign(compareVersions(String(a), String(b)) ?? Number.NaN)).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(isOlder(String(a), String(b))).toBe(a < b);
      expect(isNoNewer(String(a), String(b))).toBe(a <= b);
    }),
  );
});

it("says nothing of what is no decimal number, but for two that are the same", () => {
  for (const odd of ["", "a", "01", "-1", "1.5", " 1", "1e3"]) {
    expect(compareVersions(odd, "7")).toBeUndefined();
    expect(compareVersions("7", odd)).toBeUndefined();
    expect(compareVersions(odd, odd)).toBe(0);
    expect([isOlder(odd, "7"), isOlder("7", odd), isNoNewer(odd, "7"), isNoNewer("7", odd)]).not.toContain(true);
  }
});

it("knows neither to be older where one is missing", () => {
  expect([
    isOlder(undefined, "1"),
    isOlder("1", undefined),
    isNoNewer(undefined, "1"),
    isNoNewer("1", undefined),
  ]).toEqual([false, false, false, false]);
});
