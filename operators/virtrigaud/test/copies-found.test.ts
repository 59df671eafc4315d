// What the simulation has found in snapshots and clones, so that it is not lost again.
import { type Plan, replay } from "@telltale/simulation";
import { expect, test } from "vitest";
import { scenarios } from "./copies.scenarios.ts";
import { scenarios as kept } from "./copies-kept.scenarios.ts";

const clone = "/infra.virtrigaud.io/vmclones/default/copy";
const snapshot = "/infra.virtrigaud.io/vmsnapshots/default/before";

const found: readonly (readonly [string, string, Plan["seed"], Plan["faults"]])[] = [
  [
    "a clone on its way out says so with its conditions, for the generation that the deletion brings",
    "copied",
    11,
    [{ p: "P13", change: 17, of: "person" }],
  ],
  [
    "a clone whose status is wiped while its request is under way says how it stands",
    "copied",
    10,
    [
      { p: "P35", write: 18 },
      { p: "P21", write: 14, on: clone },
    ],
  ],
  [
    "a request to copy is not begun for a clone that the server has put back meanwhile",
    "copied-on-libvirt",
    40,
    [{ p: "P31", change: 7, lost: 1, versions: "back" }],
  ],
  [
    "a clone tells its type, also where the status of its request could not be written",
    "copied-on-libvirt",
    43,
    [
      { p: "P26", write: 6, kind: "VirtualMachine", how: "stored" },
      { p: "P17", write: 9, times: 4 },
      { p: "P4", write: 11, hears: 503 },
    ],
  ],
  [
    "a copy that is listed is not taken for whole where its task was lost with the status",
    "copied",
    5198,
    [
      { p: "P1", write: 1 },
      { p: "P21", write: 15, on: clone },
      { p: "P29", write: 22, how: "lagging" },
      { p: "P12", kind: "/namespaces", event: 1, at: "token", times: 3 },
    ],
  ],
  [
    "a copy that could not be given its object is known for the clone's own afterwards",
    "copied-on-libvirt",
    3236,
    [
      { p: "P11", kind: "infra.virtrigaud.io/providers", event: 1, inside: true },
      { p: "P2", write: 3 },
      { p: "P16", write: 9, every: 2 },
    ],
  ],
  [
    "a deletion that comes with the answer to a write of its own is not overlooked",
    "taken-on-libvirt",
    22,
    [
      { p: "P28", write: 16, on: snapshot, policy: "Background", then: "gone" },
      { p: "P4", write: 6, hears: 503 },
      { p: "P15", write: 3, after: 1, for: 0 },
      { p: "P10", kind: "/namespaces", event: 3 },
    ],
  ],
  [
    "a snapshot that is being taken is looked at again after the clock was put back",
    "taken",
    1066,
    [{ p: "P24", write: 12, by: -3_600_000 }],
  ],
  [
    "a snapshot whose status was wiped is found again by the name that was sent",
    "taken",
    1082,
    [{ p: "P21", write: 18, on: snapshot }],
  ],
  [
    "a snapshot that has become a schedule says nothing more of being taken",
    "scheduled-in-spring",
    2050,
    [
      { p: "P6", pass: 24, times: 3 },
      {
        p: "P22",
        write: 21,
        on: "/infra.virtrigaud.io/vmsnapshots/default/nightly",
        at: "/schedule/enabled",
        to: "false",
        how: "flips",
      },
    ],
  ],
  [
    "a snapshot is removed there, also while its machine has lost its status",
    "scheduled-in-autumn",
    2097,
    [{ p: "P21", write: 62, on: "/infra.virtrigaud.io/virtualmachines/default/web" }],
  ],
  [
    "a snapshot is looked at within the hour, also after the clock was put back",
    "scheduled-in-autumn",
    901,
    [{ p: "P24", write: 55, by: -3_600_000 }],
  ],
];

test.each(found)("%s", async (_what, name, seed, faults) => {
  const scenario = [...scenarios, ...kept].find((it) => it.name === name) ?? expect.fail(name);
  const { violations } = await replay(scenario, { seed, latency: "random", faults });
  expect(violations).toEqual([]);
});
