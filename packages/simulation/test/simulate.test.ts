// The tool itself: a sound operator passes, runs are the same, and what is broken is found and made small.
import { expect, test } from "vitest";
import { simulate } from "../src/index.ts";
import { shopScenario } from "./shop.ts";

test("a sound operator passes", async () => {
  const { failure, plans } = await simulate(shopScenario(), { plans: 100 });
  expect(failure?.violations).toBeUndefined();
  expect(plans).toBe(100);
}, 60_000);

test("two campaigns of one seed see the same", async () => {
  const [a, b] = [await simulate(shopScenario(), { plans: 5 }), await simulate(shopScenario(), { plans: 5 })];
  expect(a.hash).toBe(b.hash);
});
