import { expect, test } from "vitest";
import { lengthOr, parseLength } from "./durations.ts";

test.each([
  ["60s", 60_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["250ms", 250],
  ["10µs", 0.01],
  ["0", 0],
  ["+5m", 300_000],
])("2.6 %s is a length", (written, ms) => {
  expect(parseLength(written)).toBe(ms);
});

test.each(["30d", "", "5", "-5m", "1h 5m", "h", "1e3s", "9999999999999h"])("2.6 %j is none", (written) => {
  expect(parseLength(written)).toBeUndefined();
  expect(lengthOr(written, 7)).toBe(7);
});

test("2.6 nothing is the standard", () => {
  expect(lengthOr(undefined, 60_000)).toBe(60_000);
  expect(lengthOr("1m", 5)).toBe(60_000);
});
