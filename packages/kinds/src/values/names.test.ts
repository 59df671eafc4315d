import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "./canonical.ts";
import { boundedName, isDnsLabel, isDnsSubdomain, isQualifiedName } from "./names.ts";

const nameLike = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,118}[a-z0-9])?$/);

describe("a bounded name", () => {
  it("is the name itself when it fits", () => {
    expect(boundedName("a".repeat(63), 63, 8)).toBe("a".repeat(63));
  });

  it("is cut and told apart by the hash of the whole name", () => {
    const base = "a".repeat(64);
    expect(boundedName(base, 63, 8)).toBe(`${"a".repeat(54)}-${sha256Hex(base, 8)}`);
    expect(boundedName(`${"a".repeat(63)}b`, 63, 8)).not.toBe(boundedName(`${"a".repeat(63)}c`, 63, 8));
  });

  it("does not end its first part in a dash or a dot", () => {
    const base = `aaa-.-.${"b".repeat(20)}`;
    expect(boundedName(base, 12, 5)).toBe(`aaa-${sha256Hex(base, 5)}`);
  });

  it("is the hash alone when nothing else is left", () => {
    expect(boundedName("--------", 7, 6)).toBe(sha256Hex("--------", 6));
    expect(boundedName("abcdefgh", 4, 8)).toBe(sha256Hex("abcdefgh", 4));
  });

  it("keeps within its limit, and is a name when its base is one", () => {
    fc.assert(
      fc.property(nameLike, fc.integer({ min: 12, max: 63 }), fc.integer({ min: 5, max: 10 }), (base, max, hex) => {
        const name = boundedName(base, max, hex);
        expect(name.length).toBeLessThanOrEqual(max);
        if (isDnsSubdomain(base)) expect(isDnsSubdomain(name)).toBe(true);
        if (base.length > max) expect(name.endsWith(sha256Hex(base, hex))).toBe(true);
      }),
    );
  });
});

describe("the kinds of names", () => {
  it.each(["a", "0", "a-b", "a--b", "a".repeat(63)])("%s is a DNS label", (text) => {
    expect(isDnsLabel(text)).toBe(true);
    expect(isDnsSubdomain(text)).toBe(true);
  });

  it.each(["", "-a", "a-", "A", "a_b", "a.b", "é", "a\n", "a".repeat(64)])("%j is no DNS label", (text) => {
    expect(isDnsLabel(text)).toBe(false);
  });

  it("a subdomain is labels and dots, limited as a whole", () => {
    expect(isDnsSubdomain("a.b-c.0")).toBe(true);
    expect(isDnsSubdomain("a".repeat(253))).toBe(true);
    for (const text of ["", ".", "a..b", "a.", ".a", "a.-b", "A.b", "a".repeat(254)])
      expect(isDnsSubdomain(text)).toBe(false);
  });

  it.each(["a", "A_b.c-D", "example.com/Name", "a/b", "constructor", `${"p".repeat(253)}/${"n".repeat(63)}`])(
    "%s is a qualified name",
    (text) => {
      expect(isQualifiedName(text)).toBe(true);
    },
  );

  it.each(["", "/", "/a", "a/", "a/b/c", "-a", "a_", "Ex.com/a", "a b", "n".repeat(64), "__proto__"])(
    "%j is no qualified name",
    (text) => {
      expect(isQualifiedName(text)).toBe(false);
    },
  );
});
