import { formatTime, instant } from "@telltale/kinds";
import { expect, it } from "vitest";
import { age, humanDuration } from "./age.ts";

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;
const y = 365 * d;

it.each([
  [-2 * s, "<invalid>"],
  [-1 * s, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [119 * s + 999, "119s"],
  [2 * m, "2m"],
  [9 * m + 59 * s, "9m59s"],
  [10 * m + 30 * s, "10m"],
  [3 * h - s, "179m"],
  [3 * h, "3h"],
  [7 * h + 59 * m, "7h59m"],
  [8 * h + 30 * m, "8h"],
  [2 * d - s, "47h"],
  [2 * d, "2d"],
  [7 * d + 23 * h, "7d23h"],
  [8 * d + 5 * h, "8d"],
  [2 * y - s, "729d"],
  [2 * y, "2y"],
  [7 * y + 364 * d, "7y364d"],
  [8 * y + 5 * d, "8y"],
])("%d ms are %s", (length, shown) => {
  expect(humanDuration(length)).toBe(shown);
});

it("the age of nothing, and of what is no time, is unknown", () => {
  expect(age(undefined, instant(0))).toBe("<unknown>");
  expect(age(null, instant(0))).toBe("<unknown>");
  expect(age("yesterday", instant(0))).toBe("<unknown>");
  expect(age(formatTime(instant(0)), instant(90 * s))).toBe("90s");
});
