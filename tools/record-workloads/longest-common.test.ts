import { expect, test } from "vitest";
import { longestCommon } from "./longest-common.ts";

const common = (...words: readonly string[]) =>
  longestCommon(words.map((word) => [...word]))
    .map(([place = -1]) => words[0]?.[place])
    .join("");

test("what all have in common is found, wherever the others lie", () => {
  expect(common("abc", "abc", "abc")).toBe("abc");
  expect(common("axbc", "abyc", "abcz")).toBe("abc");
  expect(common("abab", "baba")).toHaveLength(3);
});

test("nothing in common is nothing", () => {
  expect(common("abc", "def")).toBe("");
  expect(common("", "a")).toBe("");
});

test("each item has its place in every sequence", () => {
  expect(
    longestCommon([
      ["a", "b"],
      ["x", "a", "b"],
      ["a", "y", "b"],
    ]),
  ).toEqual([
    [0, 1, 0],
    [1, 2, 2],
  ]);
});

test("of many sequences it is found, too", () => {
  const words = Array.from({ length: 12 }, (_, i) => `a${"x".repeat(i)}b${"y".repeat(11 - i)}c`);
  expect(common(...words)).toBe("abc");
  expect(longestCommon(words.map((word) => [...word])).at(-1)).toEqual(words.map((word) => word.length - 1));
});
