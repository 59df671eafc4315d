import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareApiVersions, compareVersions } from "./version.ts";

const anyVersion = fc
  .tuple(
    fc.nat({ max: 3 }),
    fc.nat({ max: 3 }),
    fc.constantFrom("", ".0", ".1"),
    fc.constantFrom("", "-rc", "-rc.1", "-rc.2", "-1", "-a"),
  )
  .map(([major, minor, patch, pre]) => `v${major}.${minor}${patch}${pre}`);

describe("the order of versions", () => {
  it.each([
    ["v1.31.0", "1.31", 0],
    ["1.31", "1.31.1", -1],
    ["v1.9.0", "v1.10.0", -1],
    ["2", "1.99.99", 1],
    ["1.0.0-alpha", "1.0.0", -1],
    ["1.0.0+build.1", "1.0.0+build.2", 0],
    ["1.0.99999999999999999998", "1.0.99999999999999999999", -1],
  ])("of %s and %s is %i", (a, b, order) => {
    expect(compareVersions(a, b)).toBe(order);
    expect(compareVersions(b, a)).toBe(0 - order);
  });

  it("of pre-releases is semver's", () => {
    const inOrder = ["alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1"].map(
      (pre) => `1.0.0-${pre}`,
    );
    for (const [at, version] of [...inOrder, "1.0.0"].entries()) {
      for (const [other, earlier] of inOrder.slice(0, at).entries()) {
        expect(compareVersions(version, earlier), `${version} after ${earlier} (${other})`).toBe(1);
      }
    }
  });

  it.each(["", "v", "abc", "1.2.3.4", "1..2", "01.2", "1.2-", "1.2.3-01", "1.2.3-a..b", "V1.2", " 1.2", "1.x"])(
    "does not include %j",
    (text) => {
      expect(compareVersions(text, "1.0.0")).toBeUndefined();
      expect(compareVersions("1.0.0", text)).toBeUndefined();
    },
  );

  it("is total", () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, anyVersion, (a, b, c) => {
        const order = (x: string, y: string) => compareVersions(x, y) ?? Number.NaN;
        expect(order(a, b) + order(b, a)).toBe(0);
        if (order(a, b) >= 0 && order(b, c) >= 0) expect(order(a, c)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the order of API versions", () => {
  it("puts stable before beta before alpha before the rest, and high before low", () => {
    const inOrder = [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10",
      "v1gamma1",
    ];
    expect([...inOrder].reverse().sort((a, b) => compareApiVersions(b, a))).toEqual(inOrder);
    for (const [at, version] of inOrder.entries()) {
      expect(compareApiVersions(version, version)).toBe(0);
      for (const later of inOrder.slice(at + 1)) {
        expect(compareApiVersions(version, later)).toBe(1);
        expect(compareApiVersions(later, version)).toBe(-1);
      }
    }
  });
});
