import { describe, expect, test } from "vitest";
import {
  type ConditionTypes,
  childType,
  conditions,
  copied,
  declarationOf,
  derived,
  family,
  mirrored,
  negative,
  neutral,
  no,
  on,
  parseChildType,
  positive,
  unknown,
  yes,
} from "./conditions.ts";

const reasons = { Fine: yes("It is fine"), Bad: no("It is bad", "mend it") };
const plain = positive({ means: "x", reasons });

describe("a reason", () => {
  test("says which status it explains, what it means and what to do", () => {
    expect(yes("a")).toEqual({ on: ["True"], means: "a", fix: "nothing to do" });
    expect(no("a", "b")).toEqual({ on: ["False"], means: "a", fix: "b" });
    expect(unknown("a", "b")).toEqual({ on: ["Unknown"], means: "a", fix: "b" });
    expect(on(["True", "Unknown"], "a", "b")).toEqual({ on: ["True", "Unknown"], means: "a", fix: "b" });
  });
});

describe("a declaration", () => {
  test("rule 39: has its polarity from the function that makes it", () => {
    const made = [plain, negative({ means: "x", reasons }), neutral({ means: "x", reasons })];
    expect(made.map(({ polarity }) => polarity)).toEqual(["positive", "negative", "neutral"]);
    expect(derived({ means: "x", from: ["A"], ok: { reason: "Fine", message: "" }, reasons }).polarity).toBe(
      "positive",
    );
    expect([mirrored({ means: "x" }).polarity, family({ means: "x", reasons }).polarity]).toEqual([
      "positive",
      "positive",
    ]);
    expect(mirrored({ means: "x", polarity: "negative" }).polarity).toBe("negative");
  });

  test("is always present where nothing else is said", () => {
    expect([plain.present, mirrored({ means: "x" }).present]).toEqual(["always", "always"]);
    expect(positive({ means: "x", reasons, present: "whenTrue" }).present).toBe("whenTrue");
  });

  test("copied from another kind has that one's reasons", () => {
    expect(copied(plain, { means: "y" })).toMatchObject({ form: "mirrored", reasons, means: "y" });
  });
});

describe("the vocabulary of a kind", () => {
  const top = (...types: string[]) => conditions(Object.fromEntries(types.map((type) => [type, plain]))).top;

  test("rule 36: has one top condition: Ready before Succeeded before Available, or the one it names", () => {
    expect(top("Available", "Succeeded", "Ready")).toBe("Ready");
    expect(top("Available", "Succeeded")).toBe("Succeeded");
    expect(top("Available", "Other")).toBe("Available");
    expect(top("Other")).toBeUndefined();
    expect(conditions({ Ready: plain, Other: plain }, { top: "Other" }).top).toBe("Other");
  });

  test("rules 7 and 10: has the limits of the conventions where nothing else is said", () => {
    expect(conditions({ Ready: plain })).toMatchObject({
      shape: "metav1",
      order: "declared",
      max: 32,
      maxMessage: 32_768,
    });
    expect(conditions({ Ready: plain }, { max: 300, shape: "plain" })).toMatchObject({ shape: "plain", max: 300 });
  });
});

describe("the condition of a child", () => {
  test.each<[string, { family: string; index: number } | undefined]>([
    ["Pod-0", { family: "Pod", index: 0 }],
    ["Bind9Instance-15", { family: "Bind9Instance", index: 15 }],
    ["A-1-2", { family: "A-1", index: 2 }],
    ["Pod", undefined],
    ["Pod-", undefined],
    ["Pod-01", undefined],
    ["Pod--1", { family: "Pod-", index: 1 }],
    ["-1", undefined],
  ])("%s is read as %j", (type, child) => {
    expect(parseChildType(type)).toEqual(child);
  });

  test("is written as it is read", () => {
    expect(parseChildType(childType("Pod", 7))).toEqual({ family: "Pod", index: 7 });
  });

  test.each([-1, 1.5, Number.NaN])("has no index %d", (index) => {
    expect(() => childType("Pod", index)).toThrow(/child index .* of Pod: an index is an integer from 0 on/);
  });
});

describe("what a kind declares about a type", () => {
  const types: ConditionTypes = { Ready: plain, Pod: family({ means: "x", reasons }), "Odd-1": plain };
  const vocabulary = conditions(types);
  test.each<[string, string | undefined]>([
    ["Ready", "Ready"],
    ["Pod-3", "Pod"],
    ["Odd-1", "Odd-1"],
    ["Pod", undefined],
    ["Ready-1", undefined],
    ["Other", undefined],
    ["constructor", undefined],
    ["constructor-1", undefined],
  ])("%s is declared as %s", (type, declared) => {
    expect(declarationOf(vocabulary, type)).toBe(declared === undefined ? undefined : types[declared]);
  });
});
