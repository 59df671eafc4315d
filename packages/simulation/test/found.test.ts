// What the simulation has found, so that it is not lost again.
import { expect, test } from "vitest";
import { type Plan, replay } from "../src/index.ts";
import { shopScenario } from "./shop.ts";

const found: readonly (readonly [string, Plan])[] = [
  [
    "a child that was read past a cache which is behind is still news when it comes",
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
];

test.each(found)("%s", async (_what, plan) => {
  const { violations } = await replay(shopScenario(), plan);
  expect(violations).toEqual([]);
});
