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
    "when the master ran is known also where its pods are heard of only after the end",
    "passing",
    { seed: 1, faults: [{ p: "P10", kind: "/pods", event: 1 }] },
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
  [
    "it is not given up sooner because whoever told of the trouble had a clock that was behind",
    "failing",
    {
      seed: 506,
      latency: "random",
      faults: [
        { p: "P23", change: 3 },
        { p: "P17", write: 10, times: 4 },
        { p: "P24", write: 1, by: -3_600_000 },
        { p: "P16", write: 3, every: 5 },
      ],
    },
  ],
  [
    "a worker Job that was stopped for good does not keep the master of a new run waiting",
    "passing",
    {
      seed: 3684,
      latency: "random",
      faults: [
        { p: "P29", write: 4, how: "failing" },
        { p: "P21", write: 7, on: "/locust.io/locusttests/default/demo" },
        { p: "P30", how: "deleted", write: 6, on: "/batch/jobs/default/demo-master", kind: "Job" },
      ],
    },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(quick[scenario], plan);
  expect(violations).toEqual([]);
});
