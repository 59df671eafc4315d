// What the simulation has found in machines, so that it is not lost again.
import { type Plan, replay } from "@telltale/simulation";
import { expect, test } from "vitest";
import { scenarios } from "./scenarios.ts";

const found: readonly (readonly [string, keyof typeof scenarios, Plan])[] = [
  [
    "a Provider is not let go while a machine of it is on its way",
    "resized",
    {
      seed: 188,
      latency: "random",
      faults: [
        { p: "P27", write: 1, namespace: "default" },
        { p: "P4", write: 6, hears: 500 },
        { p: "P7", kind: "infra.virtrigaud.io/virtualmachines", event: 14, by: 30000 },
        { p: "P11", kind: "infra.virtrigaud.io/providers", event: 2, inside: false },
      ],
    },
  ],
  [
    "a leader that was paused before it made a machine does not make it once another has made and removed it",
    "created",
    {
      seed: 405,
      latency: "random",
      faults: [
        { p: "P13", change: 7, of: "person" },
        { p: "P23", change: 2 },
        { p: "P14", has: "never heard of streamed lists" },
      ],
    },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(scenarios[scenario] ?? expect.fail(scenario), plan);
  expect(violations).toEqual([]);
});
