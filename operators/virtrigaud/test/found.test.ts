// What the simulation has found in machines and their migrations, so that it is not lost again.
import { type Plan, replay, type Scenario } from "@telltale/simulation";
import { expect, test } from "vitest";
import { scenarios as copies } from "./copies.scenarios.ts";
import { scenarios as kept } from "./copies-kept.scenarios.ts";
import { scenarios as migrations } from "./migrations.scenarios.ts";
import { type Hypervisor, scenarios } from "./scenarios.ts";

const byJob = migrations.find(({ name }) => name === "converted-by-a-job");
const copied = copies.find(({ name }) => name === "copied-on-libvirt");

/** Put back to before it was stored, it has another uid: what its first life made is nobody's, and stays. */
const left: Scenario<Hypervisor> | undefined = scenarios["deleted"] && {
  ...scenarios["deleted"],
  differs: () => false,
  end({ backend: { machines } }) {
    if (machines.join() !== "web") throw new Error(`the hypervisor has [${machines.join(", ")}], not [web]`);
  },
};
const forced: Plan = { seed: 1, faults: [{ p: "P18", write: 3, again: true }] };
const afterForce = "who is forced away and applied again waits without writing while a machine of before has its name";

const found: readonly (readonly [string, Scenario<Hypervisor> | undefined, Plan])[] = [
  [
    "a Provider is not let go while a machine of it is on its way",
    scenarios["resized"],
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
    "a migration whose snapshot a backup has not got takes another one, under another name",
    migrations.find(({ name }) => name === "moved-without-tasks"),
    { seed: 901, faults: [{ p: "P31", change: 13, lost: 1, versions: "back" }] },
  ],
  [
    "a copy is known for one's own by who does not see yet that it was asked for",
    copies.find(({ name }) => name === "copied"),
    {
      seed: 33234,
      latency: "random",
      faults: [
        { p: "P9", kind: "/namespaces", event: 5, by: 500 },
        { p: "P8", change: 13, back: 4, as: "restart", by: 20000 },
      ],
    },
  ],
  [
    "a copy is known for one's own by who has gone back to an older server",
    copies.find(({ name }) => name === "copied"),
    { seed: 40001, faults: [{ p: "P8", change: 9, back: 1, as: "reconnect", by: 40000 }] },
  ],
  [
    "a snapshot that another process has begun to delete is not ready again",
    kept.find(({ name }) => name === "expired"),
    {
      seed: 62925,
      faults: [
        { p: "P8", change: 26, back: 1, as: "reconnect", by: 40000 },
        { p: "P3", write: 28, when: "before" },
      ],
    },
  ],
  [
    "a migration waits until its machine is made: one that is lost on the way is made again",
    migrations.find(({ name }) => name === "moved"),
    { seed: 40001, faults: [{ p: "P29", write: 11, how: "lagging" }] },
  ],
  [
    "a migration that locked a machine on its way out lets it go",
    byJob,
    {
      seed: 50001,
      faults: [
        {
          p: "P28",
          write: 12,
          on: "/infra.virtrigaud.io/virtualmachines/default/web",
          policy: "Background",
          then: "again",
        },
      ],
    },
  ],
  [
    "a copy that is ready for a spec that was changed on the way says all of it for that spec",
    copied,
    {
      seed: 51239,
      faults: [
        { p: "P26", write: 17, kind: "VirtualMachine", how: "recreated" },
        {
          p: "P22",
          write: 3,
          on: "/infra.virtrigaud.io/vmclones/default/copy",
          at: "/options/powerOn",
          to: "true",
          how: "moves",
        },
      ],
    },
  ],
  [
    "a snapshot is not taken twice where the one who asked for it had a clock that was an hour behind",
    copies.find(({ name }) => name === "taken-on-libvirt"),
    {
      seed: 31368,
      faults: [
        { p: "P35", write: 11 },
        { p: "P24", write: 2, by: -3600000 },
      ],
    },
  ],
  [
    "a snapshot whose deletion is gone with a server that was put back is not said to be on its way out",
    migrations.find(({ name }) => name === "moved"),
    { seed: 30929, latency: "random", faults: [{ p: "P31", change: 53, lost: 3, versions: "on" }] },
  ],
  [
    "a leader that was paused before it made a machine does not make it once another has made and removed it",
    scenarios["created"],
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
  [
    "a migration that waits on its way out speaks of the generation that its deletion made",
    migrations[0],
    {
      seed: 20,
      latency: "random",
      faults: [
        { p: "P6", pass: 15, times: 3 },
        { p: "P27", write: 37, namespace: "default" },
        { p: "P25", write: 47, by: 40000, side: "before", for: 0 },
      ],
    },
  ],
  [
    "a machine that is lost before its migration begins is made again, and then moved",
    migrations[0],
    { seed: 132, latency: "random", faults: [{ p: "P29", write: 6, how: "lagging" }] },
  ],
  [
    "a transfer is looked at again after the clock was put back",
    byJob,
    {
      seed: 109,
      latency: "random",
      faults: [
        { p: "P24", write: 6, by: 3600000 },
        { p: "P8", change: 56, back: 1, as: "restart", by: 20000 },
      ],
    },
  ],
  [
    "a migration goes with its namespace, in which no Job can be made any more",
    migrations.find(({ name }) => name === "removed-by-a-job"),
    {
      seed: 84,
      latency: "random",
      faults: [
        { p: "P7", kind: "/namespaces", event: 5, by: 30000 },
        { p: "P27", write: 56, namespace: "default" },
      ],
    },
  ],
  [
    "a pass that gets no answer after the end says so, and the next one what the end was",
    byJob,
    { seed: 1, faults: [{ p: "P25", write: 57, by: 40000, side: "before", for: 0 }] },
  ],
  [
    "a clone may speak of a machine that only the server itself has shown so far",
    copied,
    {
      seed: 7070,
      latency: "random",
      faults: [
        { p: "P5", write: 10 },
        { p: "P29", write: 14, how: "slow" },
        { p: "P13", change: 18, of: "others" },
        { p: "P2", write: 2 },
      ],
    },
  ],
  [
    "a machine that was found to be lost is not doubted again by who begins anew",
    copies.find(({ name }) => name === "copied"),
    {
      seed: 1576,
      latency: "random",
      faults: [
        {
          p: "P28",
          write: 18,
          on: "/infra.virtrigaud.io/virtualmachines/default/web2",
          policy: "Background",
          then: "gone",
        },
        { p: "P26", write: 15, kind: "VMClone", how: "unconvertible" },
      ],
    },
  ],
  ...["created", "powered", "resized"].map((name) => [`${afterForce}: ${name}`, scenarios[name], forced] as const),
  [
    "who is put back to before it was stored leaves the machine that it cannot prove to be its own",
    left,
    { seed: 1, faults: [{ p: "P31", change: 3, lost: 1, versions: "back" }] },
  ],
];

test.each(found)("%s", async (_what, scenario, plan) => {
  const { violations } = await replay(scenario ?? expect.fail("no such scenario"), plan);
  expect(violations).toEqual([]);
});
