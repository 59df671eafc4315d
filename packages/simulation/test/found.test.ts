// What the simulation has found, so that it is not lost again.
import { expect, test } from "vitest";
import { type Plan, replay, type Scenario } from "../src/index.ts";
import { bakeryScenario } from "./bugs/bakery.ts";
import { shopScenario } from "./shop.ts";

const found: readonly (readonly [string, () => Scenario, Plan])[] = [
  [
    "who has to read an object after a conflict, and is told to wait, waits before the next pass",
    bakeryScenario,
    {
      seed: 3000830,
      faults: [
        { p: "P15", write: 11, after: 2, for: 30000 },
        { p: "P23", change: 5 },
        { p: "P16", write: 1, every: 3 },
      ],
    },
  ],
  [
    "two leaders who were paused one after the other do not both end",
    bakeryScenario,
    {
      seed: 1002973,
      faults: [
        { p: "P23", change: 4 },
        { p: "P23", change: 3 },
        { p: "P25", write: 7, by: 25000, side: "after", for: 180000 },
      ],
    },
  ],
  [
    "a child that was read past a cache which is behind is still news when it comes",
    shopScenario,
    {
      seed: 50271,
      latency: "random",
      faults: [
        { p: "P18", write: 6, again: false },
        { p: "P31", change: 8, lost: 1, versions: "on" },
        { p: "P10", kind: "/configmaps", event: 2 },
        { p: "P6", pass: 1, times: 1 },
      ],
    },
  ],
  [
    "a definition goes in the end, though its objects could not be converted when it was to go",
    bakeryScenario,
    {
      seed: 7746,
      latency: "random",
      faults: [
        { p: "P26", write: 2, kind: "Loaf", how: "unconvertible" },
        { p: "P26", write: 7, kind: "Loaf", how: "recreated" },
      ],
    },
  ],
  [
    "what vanished while a list was on its way is not brought back by it",
    bakeryScenario,
    {
      seed: 72959,
      latency: "random",
      faults: [
        { p: "P25", write: 7, by: 25000, side: "after", for: 180000 },
        { p: "P18", write: 13, again: false },
        { p: "P32", at: 9144, many: 7 },
        { p: "P12", kind: "example.com/loaves", event: 4, at: "token", times: 1 },
      ],
    },
  ],
  [
    "a child that comes while it is asked for is not applied again",
    bakeryScenario,
    {
      seed: 23_148,
      latency: "random",
      faults: [
        { p: "P25", write: 8, by: 25_000, side: "after", for: 180_000 },
        { p: "P35", write: 2 },
        { p: "P25", write: 7, by: 40_000, side: "before", for: 0 },
      ],
    },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(scenario(), plan);
  expect(violations).toEqual([]);
});
