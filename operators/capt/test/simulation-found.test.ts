// What the simulation has found, so that it is not lost again. The number of a write moves when the operator does more or less, so
// each fault is tried at a few of them: some reach what was wrong. Without its fix each of these tests is red.
import { type Fault, type Plan, replay, type Scenario } from "@telltale/simulation";
import { expect, test } from "vitest";
import { removed, rendered, retained, waiting } from "./apply.scenarios.ts";
import * as quick from "./quick-scenarios.ts";
import { changed, cutShort, invalid, deleted as runnerDeleted } from "./runner.scenarios.ts";
import { created } from "./scenarios.ts";

const upTo = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
const once = (...faults: readonly Fault[]): Plan => ({ seed: 1, faults });
const hour = 3_600_000;
const renamed: Fault = {
  p: "P22",
  write: 5,
  on: "/tf.upbound.io/workspaces/demo",
  at: "/writeConnectionSecretToRef/name",
  to: '"demo-connectionx"',
  how: "moves",
};

const found: readonly (readonly [string, Scenario, readonly Plan[]])[] = [
  [
    "a connection Secret that is taken away at once is back before the cluster has waited too long",
    created,
    upTo(24, 25).map((write) =>
      once({ p: "P30", how: "deleted", write, on: "//secrets/default/demo-net-vpc-connection", kind: "Secret" }),
    ),
  ],
  [
    "a connection Secret under a name that was taken back goes, though its writing had no answer",
    changed,
    upTo(12, 14).map((write) => ({
      seed: 3094,
      faults: [renamed, { p: "P25", write, by: 40_000, side: "after", for: 0 }],
    })),
  ],
  [
    "a state that is written late replaces none that was kept meanwhile",
    changed,
    [{ seed: 1928, faults: [{ p: "P25", write: 3, by: 40_000, side: "before", for: 0 }, renamed] }],
  ],
  [
    "what a slow clock has written is not taken for a long wait by who takes over",
    quick.created,
    upTo(6, 8).map((write) => once({ p: "P24", write: 1, by: -hour }, { p: "P35", write })),
  ],
  [
    "what was tied while the server was asked is not tied again",
    quick.created,
    upTo(8, 9).flatMap((change) =>
      upTo(1, 3).map((seed) => ({
        seed,
        latency: "random",
        faults: [{ p: "P8", change, back: 4, as: "restart", by: 20_000 }],
      })),
    ),
  ],
  [
    "a Cluster gets its status back, also where nothing has to be found out from time to time",
    quick.created,
    upTo(33, 35).map((write) => once({ p: "P21", write, on: "/cluster.x-k8s.io/clusters/default/demo" })),
  ],
  [
    "one that has failed for good and is paused for a while says so once it is not, and no clock of it begins anew",
    quick.planeFails,
    [once({ p: "P34", on: "/cluster.x-k8s.io/clusters/default/demo", at: "/paused", as: "yes" })],
  ],
  [
    "a Workspace that was kept is not told again what it says, by who hears late that its apply has gone",
    retained,
    upTo(9, 11).map((change) => once({ p: "P8", change, back: 1, as: "reconnect", by: 40_000 })),
  ],
  [
    "what was made while its definition went is looked after once the definition is back",
    rendered,
    [
      {
        seed: 1510,
        latency: "random",
        faults: [
          { p: "P25", write: 1, by: 25_000, side: "after", for: 180_000 },
          { p: "P26", write: 0, kind: "Workspace", how: "recreated" },
          { p: "P8", change: 2, back: 1, as: "restart", by: 20_000 },
          { p: "P25", write: 3, by: 40_000, side: "after", for: 0 },
        ],
      },
    ],
  ],
  [
    "whoever comes while a definition goes comes again with it",
    waiting,
    [
      {
        seed: 2851,
        latency: "random",
        faults: [
          { p: "P26", write: 1, kind: "WorkspaceTemplateApply", how: "recreated" },
          { p: "P2", write: 4 },
        ],
      },
    ],
  ],
  [
    "a finalizer that has not heard of its own status does not say it again",
    invalid,
    [
      {
        seed: 830,
        latency: "random",
        faults: [
          { p: "P13", change: 3, of: "person" },
          { p: "P8", change: 5, back: 1, as: "reconnect", by: 40_000 },
          { p: "P1", write: 3 },
          { p: "P25", write: 3, by: 40_000, side: "after", for: 0 },
        ],
      },
    ],
  ],
  [
    "a destroy that another process has brought to its end is not recorded anew",
    runnerDeleted,
    [
      {
        seed: 1630,
        latency: "random",
        faults: [
          { p: "P23", change: 18 },
          { p: "P15", write: 16, after: 2, for: 30_000 },
        ],
      },
    ],
  ],
  [
    "a Workspace that the server makes late is waited for, and goes with its apply",
    quick.deleted,
    [
      {
        seed: 2288,
        latency: "random",
        faults: [
          { p: "P7", kind: "tf.upbound.io/workspaces", event: 3, by: 1_000 },
          { p: "P32", at: 5_872, many: 4 },
          { p: "P25", write: 28, by: 40_000, side: "before", for: 0 },
        ],
      },
    ],
  ],
  [
    "a Workspace that somebody has made anew under its name while it was deleted goes too",
    removed,
    [
      {
        seed: 7799,
        latency: "random",
        faults: [
          { p: "P14", has: "neither streamed lists nor bookmarks" },
          {
            p: "P28",
            write: 3,
            on: "/infrastructure.cluster.x-k8s.io/workspacetemplateapplies/default/net",
            policy: "Orphan",
            then: "again",
          },
          { p: "P13", change: 4, of: "others" },
          { p: "P15", write: 1, after: 60, for: 0 },
        ],
      },
    ],
  ],
  [
    "who was told to wait when it only asked waits no less",
    quick.networkFails,
    [
      {
        seed: 1771,
        latency: "random",
        faults: [
          { p: "P24", write: 6, by: 0 },
          { p: "P5", write: 15 },
          { p: "P5", write: 14 },
          { p: "P15", write: 11, after: 2, for: 30_000 },
        ],
      },
    ],
  ],
  [
    "no state is kept for a Workspace that is gone, by who takes over and has not heard of it",
    cutShort,
    [
      {
        seed: 1129,
        latency: "random",
        faults: [
          { p: "P23", change: 10 },
          { p: "P16", write: 1, every: 3 },
          { p: "P10", kind: "tf.upbound.io/workspaces", event: 10 },
          { p: "P19", write: 2, on: "/tf.upbound.io/workspaces/demo", type: "Simulated", how: "changed" },
        ],
      },
    ],
  ],
];

test.each(found)(
  "%s",
  async (_what, scenario, plans) => {
    for (const plan of plans) {
      const { violations } = await replay(scenario, plan);
      expect([plan, violations]).toEqual([plan, []]);
    }
  },
  120_000,
);
