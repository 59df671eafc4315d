import { expect, test } from "vitest";
import { span } from "./age.ts";

test.each([
  [-5, "0s"],
  [90, "90s"],
  [125, "2m5s"],
  [600, "10m"],
  [3 * 3600 + 60, "3h1m"],
  [10 * 3600, "10h"],
  [50 * 3600, "2d2h"],
  [9 * 86_400, "9d"],
])("%d seconds are %s", (seconds, text) => {
  expect(span(seconds * 1000)).toBe(text);
});
