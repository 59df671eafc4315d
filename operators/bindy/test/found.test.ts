// What the simulation has found with clusters of nameservers, so that it is not lost again.
import { type Plan, replay, type Scenario } from "@telltale/simulation";
import { expect, test } from "vitest";
import { deleted, scaled } from "./scenarios.ts";

const found: readonly (readonly [string, Scenario, Plan])[] = [
  [
    "a record whose time is up says that it gives up, and does not just go",
    deleted,
    { seed: 1, faults: [{ p: "P24", write: 1, by: 3_600_000 }] },
  ],
  [
    "who begins anew takes back nothing that was found out about a pod",
    scaled,
    {
      seed: 1,
      faults: [
        {
          p: "P28",
          write: 12,
          on: "/bindy.firestoned.io/bind9instances/default/dns-primary-0",
          policy: "Orphan",
          then: "gone",
        },
      ],
    },
  ],
  [
    "the key of an instance goes with it, also where nobody has heard of it yet",
    scaled,
    { seed: 54, latency: "random", faults: [{ p: "P35", write: 58 }] },
  ],
  [
    "a pod that fails is not well again by what it has answered before",
    scaled,
    { seed: 7, faults: [{ p: "P29", write: 0, how: "slow" }] },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(scenario, plan);
  expect(violations).toEqual([]);
});
