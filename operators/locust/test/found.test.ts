// What the simulation has found with load tests, so that it is not lost again.
import { type Plan, replay } from "@telltale/simulation";
import { expect, test } from "vitest";
import { quick } from "./scenarios.ts";

const found: readonly (readonly [string, keyof typeof quick, Plan])[] = [
  [
    "a Job that an older server has not heard of yet was not deleted",
    "passing",
    { seed: 1_000_000, faults: [{ p: "P8", change: 1, back: 1, as: "reconnect", by: 40_000 }] },
  ],
  [
    "a result that a backup has not got is told again",
    "passing",
    { seed: 1_000_000, faults: [{ p: "P31", change: 28, lost: 1, versions: "back" }] },
  ],
  [
    "why the master failed is known also where its pods are not heard of",
    "failing",
    { seed: 1_000_000, faults: [{ p: "P10", kind: "/pods", event: 1 }] },
  ],
  [
    "Jobs that were made again on a server that was put back are seen at once",
    "failing",
    { seed: 900, faults: [{ p: "P31", change: 2, lost: 1, versions: "back" }] },
  ],
  [
    "a condition that somebody else has changed is not ours",
    "deleted",
    {
      seed: 1_000_000,
      faults: [
        {
          p: "P19",
          write: 5,
          on: "/locust.io/locusttests/default/demo",
          type: "TelemetryAvailable",
          how: "changed",
        },
      ],
    },
  ],
  [
    "a Service of an earlier test that is gone is not waited for, though nobody told of its end",
    "passing",
    {
      seed: 1887,
      latency: "random",
      faults: [
        { p: "P10", kind: "/services", event: 2 },
        { p: "P24", write: 6, by: -3_600_000 },
        { p: "P15", write: 4, after: 2, for: 30_000 },
        {
          p: "P28",
          write: 2,
          on: "/locust.io/locusttests/default/demo",
          policy: "Foreground",
          then: "again",
        },
      ],
    },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(quick[scenario], plan);
  expect(violations).toEqual([]);
});
