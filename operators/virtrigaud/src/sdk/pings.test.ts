import { expect, it } from "vitest";
import { answered, areTooMany, noPings, type Pings, pinged } from "./pings.ts";

/** So many pings, so far apart, with so many calls under way. */
function many(count: number, apart: number, calls: number, between: (pings: Pings) => Pings = (it) => it): boolean {
  let pings = noPings;
  for (let i = 0; i < count; i += 1) pings = between(pinged(pings, i * apart, calls));
  return areTooMany(pings);
}

it("one in five seconds is fine while a call is under way", () => {
  expect(many(1_000, 5_000, 1)).toBe(false);
});

it("the third that comes too early is one too many", () => {
  expect(many(3, 4_999, 1)).toBe(false);
  expect(many(4, 4_999, 1)).toBe(true);
});

it("without a call even slow ones are too many", () => {
  expect(many(4, 60_000, 0)).toBe(true);
  expect(many(4, 7_200_000, 0)).toBe(false);
});

it("an answer between two of them starts the count anew", () => {
  expect(many(100, 10, 1, answered)).toBe(false);
});
