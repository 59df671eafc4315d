// Snapshots that are kept for a time in the simulation: one that expires, and schedules on the days on which clocks change. Whatever is
// not kept is gone from the hypervisor as well.
import { instant } from "@telltale/kinds";
import type { Fault, Scenario } from "@telltale/simulation";
import { VMSnapshot } from "../src/kinds/index.ts";
import { base, differsTaken, has, unproven } from "./copies.scenarios.ts";
import type { Hypervisor } from "./scenarios.ts";
import { namespace, of, second } from "./simulated-world.ts";

const minute = 60 * second;
const web = { vmRef: { name: "web" } };
const brief = { retentionPolicy: { maxAge: "10m", gracePeriod: "5m" } };
const inBerlin = { enabled: true, timezone: "Europe/Berlin" };

const isEdit = ({ p }: Fault): boolean => ["P22", "P33", "P34"].includes(p);

const differs = unproven((fault, all) => {
  const { p, at, kind, how } = fault;
  // What takes a snapshot while it is no schedule has that one until it is deleted.
  if (isEdit(fault) && String(at).startsWith("/schedule")) return true;
  // What somebody removes is gone: no run is made twice.
  if (p === "P30") return true;
  // A schedule that is made again makes up for no run from before it was there.
  if (p === "P28" || (p === "P26" && kind === VMSnapshot.kind && how === "recreated")) return true;
  return differsTaken(fault, all);
});

/** A child is made of what its schedule says at the run. */
const differsScheduled: typeof differs = (fault, all) =>
  (isEdit(fault) && /^\/(vmRef|snapshotConfig|retentionPolicy|metadata)/.test(String(fault["at"]))) ||
  differs(fault, all);

export const scenarios: readonly Scenario<Hypervisor>[] = [
  {
    ...base(),
    name: "expired",
    differs,
    apply: [of(VMSnapshot, "before", { ...web, ...brief })],
    quiet: 12 * minute,
    end: ({ backend }) => has(backend, [], ["web"]),
  },
  {
    // Half past two comes twice: at 0:30 and at 1:30 UTC.
    ...base(),
    name: "scheduled-in-autumn",
    differs: differsScheduled,
    start: instant(Date.UTC(2026, 9, 25, 0, 23)),
    apply: [
      of(VMSnapshot, "nightly", {
        ...web,
        schedule: { ...inBerlin, cronSpec: "30,35,40 2 * * *", successfulJobsHistoryLimit: 1 },
      }),
    ],
    quiet: 12 * minute,
    people: [
      {
        at: 78 * minute,
        what: "looks again, after the second half past two",
        act: (client) => client.list(VMSnapshot, { namespace }),
      },
    ],
    end: ({ backend }) => has(backend, ["nightly-20261025004000"], ["web"]),
  },
  {
    // Half past two does not come: it is three at 1:00 UTC.
    ...base(),
    name: "scheduled-in-spring",
    differs: differsScheduled,
    start: instant(Date.UTC(2026, 2, 29, 0, 53)),
    apply: [of(VMSnapshot, "nightly", { ...web, ...brief, schedule: { ...inBerlin, cronSpec: "30 2 * * *" } })],
    quiet: 12 * minute,
    end: ({ backend }) => has(backend, [], ["web"]),
  },
];
