import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (...changes: [number, string][]): string => {
  const all = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
  for (const [at, text] of changes) all[at - 1] = text;
  return all.join("\n");
};

test("the same text has no hunks", () => {
  expect(unifiedDiff("a\nb", "a\nb")).toBe("");
});

test("changes far apart are hunks of their own, with three lines around", () => {
  const diff = unifiedDiff(lines(), lines([5, "x"], [20, "y"]));
  expect(diff).toBe(
    "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+x\n line 6\n line 7\n line 8\n" +
      "@@ -17,7 +17,7 @@\n line 17\n line 18\n line 19\n-line 20\n+y\n line 21\n line 22\n line 23\n",
  );
});

test("changes close together are one hunk, and added lines move what follows", () => {
  expect(unifiedDiff("a\nb\nc", "a\nx\ny\nb\nc")).toBe("@@ -1,3 +1,5 @@\n a\n+x\n+y\n b\n c\n");
});

test("texts too long to compare line by line are still told apart", () => {
  const many = (word: string): string => Array.from({ length: 2000 }, (_, i) => `${word}${i}`).join("\n");
  expect(unifiedDiff(many("a"), many("b")).startsWith("@@ -1,2000 +1,2000 @@\n-a0\n")).toBe(true);
});
