import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { runPlan } from "../run.ts";
import { each, ownerOf, placesOf, spread } from "./places.ts";

test("of many places some are taken, from the first on, over the whole length", () => {
  expect(spread([1, 2, 3], 5)).toEqual([1, 2, 3]);
  expect(spread([1, 2, 3, 4, 5, 6], 3)).toEqual([1, 3, 5]);
});

test("each meets each, and the first round has met all", () => {
  expect([...each([1, 2, 3], ["a", "b"])]).toEqual([
    [1, "a"],
    [2, "b"],
    [3, "a"],
    [1, "b"],
    [2, "a"],
    [3, "b"],
  ]);
});

test("a write is about the declared object, itself or by its child", async () => {
  const { seen } = await runPlan(shopScenario(), { seed: 1, faults: [] });
  const places = placesOf(seen);
  expect(places.length).toBeGreaterThan(4);
  expect(new Set(places.map(({ change }) => ownerOf(seen, change)))).toEqual(
    new Set(["/example.com/shops/default/corner"]),
  );
});
