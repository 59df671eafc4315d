// What the simulation has found, so that it is not lost again.
import { type Plan, replay, type Scenario } from "@telltale/simulation";
import { expect, test } from "vitest";
import * as quick from "./quick-scenarios.ts";
import { created, deleted, networkFails } from "./scenarios.ts";

const found: readonly (readonly [string, Scenario, Plan])[] = [
  [
    "a connection Secret that is taken away at once is back before the cluster has waited too long",
    created,
    {
      seed: 1,
      faults: [
        { p: "P30", how: "deleted", write: 24, on: "//secrets/default/demo-net-vpc-connection", kind: "Secret" },
      ],
    },
  ],
  [
    "what people made is not tied to a Cluster that is gone, and taken along with it",
    created,
    { seed: 1, faults: [{ p: "P31", change: 6, lost: 3, versions: "on" }] },
  ],
  [
    "a run that is due begins, though the clock on the wall was set back meanwhile",
    networkFails,
    { seed: 1, faults: [{ p: "P24", write: 25, by: -3_600_000 }] },
  ],
  [
    "what a slow clock has written is not taken for a long wait by who takes over",
    created,
    {
      seed: 256,
      latency: "random",
      faults: [
        { p: "P24", write: 1, by: -3_600_000 },
        { p: "P24", write: 21, by: 0 },
        { p: "P35", write: 8 },
      ],
    },
  ],
  [
    "what was tied while the server was asked is not tied again",
    created,
    {
      seed: 209,
      latency: "random",
      faults: [
        { p: "P14", has: "never heard of streamed lists" },
        { p: "P8", change: 9, back: 4, as: "restart", by: 20_000 },
      ],
    },
  ],
  [
    "of a Workspace that went before everything else did nothing is left",
    deleted,
    { seed: 1, faults: [{ p: "P26", write: 44, kind: "Workspace", how: "recreated" }] },
  ],
  [
    "a Cluster gets its status back, also where nothing has to be found out from time to time",
    quick.created,
    { seed: 1, faults: [{ p: "P21", write: 34, on: "/cluster.x-k8s.io/clusters/default/demo" }] },
  ],
  [
    "one that has failed for good and is paused for a while says so once it is not, and no clock of it begins anew",
    quick.planeFails,
    { seed: 36, faults: [{ p: "P34", on: "/cluster.x-k8s.io/clusters/default/demo", at: "/paused", as: "yes" }] },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(scenario, plan);
  expect(violations).toEqual([]);
});
