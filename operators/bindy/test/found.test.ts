// What the simulation has found with clusters of nameservers, so that it is not lost again.
import { type Plan, replay, type Scenario } from "@telltale/simulation";
import { expect, test } from "vitest";
import { crashing, created, deleted, faulty, scaled } from "./scenarios.ts";

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
  [
    "who makes pods for a ReplicaSet that a backup has not got hears of it, however fast they go again",
    deleted,
    { seed: 80002, faults: [{ p: "P31", change: 22, lost: 1, versions: "on" }] },
  ],
  [
    "a record of which somebody else has said that it is served says what is known of it",
    crashing,
    {
      seed: 81148,
      faults: [
        { p: "P19", write: 34, on: "/bindy.firestoned.io/arecords/default/www", type: "Ready", how: "changed" },
        { p: "P13", change: 5, of: "others" },
        { p: "P23", change: 25 },
      ],
    },
  ],
  [
    "who is shown the past says of a pod what became of the one that was there then",
    crashing,
    { seed: 82001, faults: [{ p: "P8", change: 69, back: 4, as: "reconnect", by: 40_000 }] },
  ],
  [
    "a secondary that was made after two primaries keeps its number when one of them goes",
    scaled,
    {
      seed: 82419,
      latency: "random",
      faults: [
        {
          p: "P22",
          write: 2,
          on: "/bindy.firestoned.io/bind9clusters/default/dns",
          at: "/primary/replicas",
          to: "2",
          how: "moves",
        },
      ],
    },
  ],
  [
    "a pod that comes with the address of another one gets its own, also where it was written too late at first",
    crashing,
    { seed: 83162, latency: "random", faults: [{ p: "P13", change: 30, of: "others" }] },
  ],
  [
    "who is shown the past deletes an instance in one pass, and says in another what was said of it since",
    scaled,
    {
      seed: 83486,
      latency: "random",
      faults: [
        { p: "P13", change: 33, of: "others" },
        { p: "P8", change: 74, back: 1, as: "restart", by: 20_000 },
      ],
    },
  ],
  [
    "a key that was written to a server which was put back since is made again",
    scaled,
    { seed: 202013, latency: "random", faults: [{ p: "P31", change: 2, lost: 1, versions: "back" }] },
  ],
  [
    "a key that a server which was put back has not got is made again, also where versions have come as far since",
    created,
    { seed: 205010, latency: "random", faults: [{ p: "P31", change: 20, lost: 1, versions: "back" }] },
  ],
  [
    "a pod that a backup holds in the middle of its deletion goes",
    deleted,
    { seed: 200049, latency: "random", faults: [{ p: "P31", change: 82, lost: 1, versions: "on" }] },
  ],
  [
    "a pod without its zone that does not answer any more has failed twice, also where others made the zone meanwhile",
    faulty("slow"),
    { seed: 300035, latency: "random", faults: [{ p: "P15", write: 3, after: 2, for: 30_000 }] },
  ],
  [
    "a pod is well by an answer that others have waited for",
    faulty("wrong-json"),
    {
      seed: 300055,
      faults: [
        { p: "P1", write: 10 },
        { p: "P29", write: 0, how: "slow" },
      ],
    },
  ],
  [
    "a zone is gone from a server by that one's own word, and not by what a proxy says",
    faulty("wrong-json"),
    {
      seed: 301027,
      faults: [
        { p: "P23", change: 2 },
        { p: "P13", change: 55, of: "person" },
      ],
    },
  ],
  [
    "a pod that has not got its zone and then refuses has failed twice",
    faulty("http-400"),
    { seed: 81001, faults: [{ p: "P31", change: 14, lost: 1, versions: "on" }] },
  ],
  [
    "a pod that is made while the cache is read anew, after the server was put back, is run",
    scaled,
    { seed: 401013, latency: "random", faults: [{ p: "P31", change: 10, lost: 1, versions: "back" }] },
  ],
  [
    "a cluster is called ready by who has not heard yet that its own word of an instance has arrived",
    faulty("http-404"),
    { seed: 500006, latency: "random", faults: [{ p: "P4", write: 15, hears: "timeout" }] },
  ],
  [
    "a pod that was said to be well before the server was put back is not said to be well again",
    faulty("hang"),
    { seed: 500018, latency: "random", faults: [{ p: "P31", change: 56, lost: 1, versions: "on" }] },
  ],
  [
    "a ConfigMap that was made again under its name is deleted before its instance goes",
    created,
    {
      seed: 200026,
      latency: "random",
      faults: [
        { p: "P13", change: 20, of: "others" },
        {
          p: "P28",
          write: 1,
          on: "/bindy.firestoned.io/bind9clusters/default/dns",
          policy: "Orphan",
          then: "again",
        },
      ],
    },
  ],
  [
    "a status that arrives after its time brings back no older generation",
    faulty("truncated"),
    {
      seed: 664005,
      latency: "random",
      faults: [
        {
          p: "P22",
          write: 40,
          on: "/bindy.firestoned.io/arecords/default/www",
          at: "/name",
          to: '"wwwx"',
          how: "moves",
        },
        { p: "P25", write: 42, by: 40_000, side: "before", for: 0 },
      ],
    },
  ],
  [
    "a pod that has failed twice since it was well is said to fail, also where that it was well is known late",
    faulty("flap"),
    { seed: 650046, latency: "random", faults: [{ p: "P25", write: 26, by: 25_000, side: "after", for: 180_000 }] },
  ],
  [
    "who edits a cluster that nobody has heard of yet asks for more than without faults",
    faulty("reset"),
    {
      seed: 766031,
      faults: [
        { p: "P10", kind: "bindy.firestoned.io/bind9clusters", event: 1 },
        {
          p: "P34",
          on: "/bindy.firestoned.io/bind9clusters/default/dns",
          at: "/secondary/replicas",
          as: "least",
        },
      ],
    },
  ],
  [
    "who is shown the past in the middle of a pass does again what was done",
    scaled,
    {
      seed: 711085,
      faults: [
        {
          p: "P22",
          write: 49,
          on: "/bindy.firestoned.io/bind9clusters/default/dns",
          at: "/version",
          to: '"9.18x"',
          how: "moves",
        },
        { p: "P8", change: 76, back: 4, as: "reconnect", by: 40_000 },
      ],
    },
  ],
  [
    "a Secret that was made again under its name is deleted before its instance goes",
    faulty("hang"),
    {
      seed: 827001,
      latency: "random",
      faults: [
        { p: "P13", change: 16, of: "others" },
        { p: "P26", write: 16, kind: "Bind9Instance", how: "recreated" },
      ],
    },
  ],
  [
    "who begins anew and is shown the past does not call a pod well that was found to fail since",
    faulty("garbage"),
    {
      seed: 833008,
      faults: [
        { p: "P29", write: 30, how: "partial" },
        { p: "P8", change: 57, back: 4, as: "restart", by: 20_000 },
      ],
    },
  ],
  [
    "a cluster is called ready by who is shown the past, in which it was",
    faulty("http-400"),
    {
      seed: 914005,
      latency: "random",
      faults: [
        { p: "P8", change: 57, back: 4, as: "reconnect", by: 40_000 },
        { p: "P29", write: 34, how: "lagging" },
      ],
    },
  ],
  [
    "who takes over again does not call a pod well that was found to fail meanwhile",
    faulty("http-503"),
    {
      seed: 1163011,
      latency: "random",
      faults: [
        { p: "P23", change: 34 },
        { p: "P2", write: 43 },
      ],
    },
  ],
  [
    "who begins anew and is shown the past does not say of a pod that it fails, which was said to be well since",
    faulty("truncated"),
    {
      seed: 1174067,
      latency: "random",
      faults: [
        { p: "P8", change: 52, back: 4, as: "restart", by: 20_000 },
        { p: "P29", write: 19, how: "slow" },
        { p: "P7", kind: "/pods", event: 3, by: 1_000 },
      ],
    },
  ],
  [
    "a secondary that is told of nothing new, after another leader that was shown the past, gets it all the same",
    faulty("lossy"),
    {
      seed: 871062,
      latency: "random",
      faults: [
        {
          p: "P22",
          write: 10,
          on: "/bindy.firestoned.io/bind9instances/default/dns-secondary-1",
          at: "/version",
          to: '"9.18x"',
          how: "flips",
        },
        { p: "P8", change: 1, back: 1, as: "reconnect", by: 3_000 },
        { p: "P13", change: 15, of: "others" },
        { p: "P23", change: 26 },
      ],
    },
  ],
  [
    "who is shown the past asks the pod that was there then, and says what it did not answer",
    faulty("garbage"),
    {
      seed: 733094,
      faults: [
        { p: "P8", change: 47, back: 4, as: "reconnect", by: 40_000 },
        { p: "P13", change: 20, of: "others" },
        { p: "P13", change: 43, of: "others" },
      ],
    },
  ],
  [
    "an instance that is made again takes no pod of the former one for its own",
    faulty("http-503"),
    {
      seed: 643072,
      latency: "random",
      faults: [
        { p: "P25", write: 12, by: 40_000, side: "after", for: 0 },
        { p: "P7", kind: "/pods", event: 5, by: 30_000 },
        {
          p: "P30",
          how: "deleted",
          write: 32,
          on: "/bindy.firestoned.io/bind9instances/default/dns-secondary-0",
          kind: "Bind9Instance",
        },
      ],
    },
  ],
  [
    "an instance that somebody makes again takes no pod of the former one for its own",
    faulty("http-418"),
    {
      seed: 1408026,
      latency: "random",
      faults: [
        { p: "P10", kind: "/pods", event: 7 },
        {
          p: "P28",
          write: 9,
          on: "/bindy.firestoned.io/bind9instances/default/dns-secondary-0",
          policy: "Foreground",
          then: "again",
        },
        { p: "P25", write: 20, by: 25_000, side: "after", for: 180_000 },
      ],
    },
  ],
  [
    "who begins with an object of the past may say again what was said since",
    deleted,
    {
      seed: 1403018,
      latency: "random",
      faults: [
        { p: "P8", change: 65, back: 1, as: "restart", by: 20_000 },
        { p: "P4", write: 14, hears: "reset" },
      ],
    },
  ],
  [
    "a zone goes when every server says that it has none, also where one is wrong",
    faulty("http-404"),
    {
      seed: 1407051,
      latency: "random",
      faults: [
        { p: "P7", kind: "bindy.firestoned.io/arecords", event: 1, by: 30_000 },
        { p: "P13", change: 58, of: "person" },
        {
          p: "P28",
          write: 35,
          on: "/bindy.firestoned.io/arecords/default/www",
          policy: "Orphan",
          then: "again",
        },
      ],
    },
  ],
  [
    "a cluster counts an instance of its own, also where somebody has it name another cluster",
    faulty("http-418"),
    {
      seed: 1408088,
      latency: "random",
      faults: [
        {
          p: "P22",
          write: 20,
          on: "/bindy.firestoned.io/bind9instances/default/dns-secondary-1",
          at: "/clusterRef",
          to: '"dnsx"',
          how: "moves",
        },
        { p: "P4", write: 11, hears: "timeout" },
      ],
    },
  ],
  [
    "a primary that is made again has a serial that secondaries take for news, also where nobody wrote down the last one",
    faulty("http-503"),
    {
      seed: 1613012,
      faults: [
        { p: "P26", write: 12, kind: "Bind9Instance", how: "unconvertible" },
        { p: "P2", write: 10 },
        {
          p: "P30",
          how: "deleted",
          write: 26,
          on: "/bindy.firestoned.io/bind9instances/default/dns-primary-0",
          kind: "Bind9Instance",
        },
      ],
    },
  ],
  [
    "an instance that a person makes again after its cluster has gone stays",
    deleted,
    {
      seed: 1703119,
      faults: [
        {
          p: "P28",
          write: 66,
          on: "/bindy.firestoned.io/bind9instances/default/dns-primary-0",
          policy: "Foreground",
          then: "again",
        },
        { p: "P13", change: 49, of: "others" },
      ],
      latency: "random",
    },
  ],
  [
    "a zone waits for pods whose owners have not been heard of yet",
    deleted,
    {
      seed: 1703101,
      faults: [
        { p: "P10", kind: "apps/replicasets", event: 4 },
        { p: "P23", change: 40 },
      ],
    },
  ],
  [
    "who was shown an older Service may apply again what was applied since",
    faulty("lossy"),
    {
      seed: 1721074,
      latency: "random",
      faults: [
        { p: "P35", write: 30 },
        { p: "P28", write: 25, on: "/bindy.firestoned.io/bind9clusters/default/dns", policy: "Orphan", then: "gone" },
        { p: "P7", kind: "bindy.firestoned.io/arecords", event: 1, by: 1_000 },
        { p: "P8", change: 31, back: 4, as: "restart", by: 20_000 },
      ],
    },
  ],
  [
    "an instance that a person makes again before its cluster does is that person's",
    faulty("refused"),
    {
      seed: 1915011,
      faults: [
        { p: "P13", change: 8, of: "others" },
        {
          p: "P28",
          write: 12,
          on: "/bindy.firestoned.io/bind9instances/default/dns-primary-0",
          policy: "Foreground",
          then: "again",
        },
      ],
      latency: "random",
    },
  ],
  [
    "servers of a cluster that is made again are numbered as their names are free",
    faulty("lossy"),
    {
      seed: 2221037,
      latency: "random",
      faults: [
        {
          p: "P28",
          write: 1,
          on: "/bindy.firestoned.io/bind9clusters/default/dns",
          policy: "Foreground",
          then: "again",
        },
        { p: "P8", change: 21, back: 1, as: "restart", by: 20_000 },
        { p: "P8", change: 36, back: 4, as: "reconnect", by: 40_000 },
      ],
    },
  ],
  [
    "a zone that says whose a record is leaves the rest to the record",
    faulty("http-429"),
    {
      seed: 3009011,
      latency: "random",
      faults: [
        { p: "P19", write: 31, on: "/bindy.firestoned.io/arecords/default/www", type: "Ready", how: "removed" },
        { p: "P12", kind: "/services", event: 3, at: "start" },
        { p: "P9", kind: "/pods", event: 5, by: 500 },
        { p: "P16", write: 21, every: 3 },
      ],
    },
  ],
  [
    "a pod whose label somebody changed is made again when its Deployment is put right",
    faulty("http-403"),
    {
      seed: 3006197,
      faults: [
        {
          p: "P30",
          how: "changed",
          write: 17,
          on: "/apps/deployments/default/dns-secondary-1",
          kind: "Deployment",
          at: "/spec/template/metadata/labels/app.kubernetes.io~1instance",
        },
        { p: "P25", write: 17, by: 40_000, side: "before", for: 0 },
      ],
      latency: "random",
    },
  ],
  [
    "an instance that asked for its turn while the clock was ahead does not wait for that hour",
    faulty("truncated"),
    {
      seed: 3024615,
      faults: [
        {
          p: "P30",
          how: "changed",
          write: 12,
          on: "/apps/deployments/default/dns-primary-0",
          kind: "Deployment",
          at: "/spec/template/spec/containers/1/env/9/value",
        },
        { p: "P24", write: 12, by: 3_600_000 },
        { p: "P10", kind: "/pods", event: 5 },
      ],
      latency: "random",
    },
  ],
  [
    "a pod that had answered, and fails once after the server was put back, is still well",
    faulty("refused"),
    { seed: 4015007, latency: "random", faults: [{ p: "P31", change: 56, lost: 3, versions: "back" }] },
  ],
  [
    "what was deleted is there again on a server that was put back, and its end was never told",
    deleted,
    { seed: 6003504, latency: "random", faults: [{ p: "P31", change: 92, lost: 1, versions: "back" }] },
  ],
  [
    "a zone ends before its process has heard of a pod that has it",
    faulty("wrong-json"),
    {
      seed: 6025490,
      latency: "random",
      faults: [
        { p: "P8", change: 37, back: 4, as: "reconnect", by: 40_000 },
        { p: "P26", write: 5, kind: "Bind9Instance", how: "stored" },
        {
          p: "P28",
          write: 41,
          on: "/bindy.firestoned.io/dnszones/default/example-com",
          policy: "Foreground",
          then: "again",
        },
        { p: "P35", write: 34 },
      ],
    },
  ],
  [
    "a server that asks to be left alone is, by a zone that ends on three servers",
    deleted,
    {
      seed: 8003034,
      faults: [
        { p: "P15", write: 59, after: 2, for: 30_000 },
        { p: "P5", write: 35 },
      ],
      latency: "random",
    },
  ],
  [
    "I6 a zone that ends goes from a server that its instance left behind",
    deleted,
    {
      seed: 8203696,
      latency: "random",
      faults: [
        { p: "P18", write: 37, again: true },
        { p: "P32", at: 5_962, many: 6 },
        {
          p: "P28",
          write: 66,
          on: "/bindy.firestoned.io/bind9instances/default/dns-primary-0",
          policy: "Orphan",
          then: "again",
        },
      ],
    },
  ],
  [
    "I22 a status waits its second also while the time of day stands still",
    faulty("rndc-auth"),
    {
      seed: 9019834,
      latency: "random",
      faults: [
        { p: "P24", write: 34, by: 0 },
        { p: "P5", write: 22 },
        { p: "P8", change: 16, back: 4, as: "restart", by: 20_000 },
      ],
    },
  ],
  [
    "a zone does not go from an instance again on which another pass has just heard that it went",
    deleted,
    {
      seed: 10003068,
      faults: [
        { p: "P8", change: 65, back: 1, as: "reconnect", by: 40_000 },
        { p: "P1", write: 26 },
        { p: "P1", write: 58 },
      ],
    },
  ],
  [
    "a clock that is put right four times is waited for",
    created,
    {
      seed: 11000211,
      faults: [
        { p: "P24", write: 22, by: 3_600_000 },
        { p: "P24", write: 8, by: 3_600_000 },
        { p: "P24", write: 18, by: -3600000 },
        { p: "P24", write: 32, by: -3600000 },
      ],
    },
  ],
  [
    "what somebody said of a pod of an instance that goes is theirs until it is gone",
    crashing,
    {
      seed: 11002374,
      latency: "random",
      faults: [
        { p: "P15", write: 17, after: 60, for: 0 },
        {
          p: "P19",
          write: 41,
          on: "/bindy.firestoned.io/bind9instances/default/dns-primary-0",
          type: "Pod-0",
          how: "changed",
        },
        { p: "P23", change: 9 },
        { p: "P27", write: 47, namespace: "default" },
      ],
    },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(scenario, plan);
  expect(violations).toEqual([]);
});
