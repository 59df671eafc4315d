import { expect, test } from "vitest";
import { isDeeper, type Json } from "./json.ts";

const nested = (levels: number, bottom: Json): Json => {
  let value = bottom;
  for (let i = 0; i < levels; i += 1) value = i % 2 === 0 ? { a: value } : [value];
  return value;
};
const wide = (n: number, value: () => Json): Json =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, value()]));

test("levels are counted, with and without containers that are wide", () => {
  const empty: Json = {};
  for (const [value, levels] of [
    [1, 0],
    [{}, 1],
    [nested(7, 1), 7],
    [
      nested(
        3,
        wide(1000, () => 1),
      ),
      4,
    ],
    [
      nested(
        3,
        wide(1000, () => ({})),
      ),
      5,
    ],
    [
      nested(
        3,
        wide(1000, () => empty),
      ),
      5,
    ],
    [
      nested(
        3,
        wide(1000, () => ({ a: [] })),
      ),
      6,
    ],
    [nested(2_000, 1), 2_000],
  ] as const) {
    // Twice: what is wide is remembered.
    for (const _ of [1, 2]) {
      expect(isDeeper(value, levels)).toBe(false);
      expect(isDeeper(value, levels - 1)).toBe(levels > 0);
    }
  }
});

test("a wide container is as deep below another as it was alone", () => {
  const shared = wide(1000, () => ({}));
  expect(isDeeper(shared, 2)).toBe(false);
  expect(isDeeper({ a: shared }, 2)).toBe(true);
  expect(isDeeper({ a: shared }, 3)).toBe(false);
});
