// Which resources are made, removed or stopped. Pure.
import { type Instant, instant, parseTime, plus } from "@telltale/kinds";
import type { LocustTestStatus } from "../kinds/locust-test.ts";
import { earliest } from "../moments.ts";
import { decide, type Facts, factsOf, hasOtherSpec } from "./decide.ts";
import { isFinal, isUnfinished } from "./jobs.ts";
import { objectOf, type Part, parts, type World } from "./world.ts";

export interface Plan {
  readonly remove: readonly Part[];
  /** In this order. */
  readonly make: readonly Part[];
  /** A test that ran is begun again. */
  readonly isAgain?: boolean;
}

const nothing: Plan = { remove: [], make: [] };

export function plan(world: World, now: Instant): Plan {
  const facts = factsOf(world, now);
  const decision = decide(world, facts, now);
  if (decision.is === "recreate") return { remove: present(world, ["worker"]), make: parts, isAgain: true };
  if (["over", "unread", "succeed", "fail"].includes(decision.is)) return nothing;
  const missing = parts.filter((part) => world[part].is === "absent");
  if (!facts.isCreated) return unfinished(world, facts, missing);
  if (facts.phase === "Running") return running(world, facts, missing);
  return facts.isStarted ? nothing : again(world, facts.status, missing);
}

/** T02, T03, T03a, T03b, T41 */
function unfinished(world: World, { isStarted, worker }: Facts, missing: readonly Part[]): Plan {
  // Of a test that had ended, and whose status was lost since: a master that is made anew would wait for it in vain.
  const isLeftover = worker === "Suspended" && missing.includes("master");
  if (isLeftover) return { remove: present(world, ["worker"]), make: parts };
  if (!hasOtherSpec(world)) return { remove: [], make: missing };
  return isStarted ? nothing : { remove: present(world, parts), make: parts };
}

/** T23, T29 */
function running(world: World, { master, worker }: Facts, missing: readonly Part[]): Plan {
  if (isFinal(master)) return nothing;
  const isWanted = (part: Part) =>
    part === "service" || (part === "worker" && worker === "Absent" && world.config.onJobDeleted === "Recreate");
  return { remove: [], make: missing.filter(isWanted) };
}

/** T09 */
function again(world: World, { appliedSpecHash }: LocustTestStatus, missing: readonly Part[]): Plan {
  if (missing.length === 0) return nothing;
  if (world.hash === appliedSpecHash) return { remove: [], make: missing };
  return { remove: present(world, parts), make: parts };
}

const present = (world: World, of: readonly Part[]): readonly Part[] => of.filter((part) => world[part].is === "ours");

/** Jobs that must make no more load, and when the next one must not. */
export interface Stops {
  readonly stop: readonly ("master" | "worker")[];
  readonly wakeAt?: Instant | undefined;
}

/** S1-S3: by nothing but the status and the Jobs, so that it holds after any restart. */
export function stops(world: World, facts: Facts, status: LocustTestStatus, now: Instant): Stops {
  const { phase, completionTime } = status;
  const end = parseTime(completionTime);
  if ((phase !== "Succeeded" && phase !== "Failed") || end === undefined) return { stop: [] };
  const { master, worker } = facts;
  const { leftoverWorker, leftoverMaster } = world.config.timers;
  const due = {
    worker: phase === "Failed" && !isFinal(master) ? end : plus(end, leftoverWorker),
    master: plus(end, leftoverMaster),
  };
  const open = (["worker", "master"] as const).filter((role) => {
    const state = role === "worker" ? worker : master;
    return isUnfinished(state) && objectOf(world[role])?.spec?.suspend !== true;
  });
  return {
    stop: open.filter((role) => now >= due[role]),
    wakeAt: earliest(...open.filter((role) => now < due[role]).map((role) => due[role])),
  };
}

/** Creation that fails is tried again after 1, 2, 4, ... seconds, at most 300: by how long it has failed, not by a count. */
export function nextTry(since: Instant, now: Instant): Instant {
  // A clock that was put back does not make it wait until it has caught up.
  const began = instant(Math.min(since, now));
  const seconds = (now - began) / 1000;
  if (seconds >= 511) return plus(now, 300_000);
  const tries = Math.floor(Math.log2(seconds + 1)) + 1;
  return plus(began, (2 ** tries - 1) * 1000);
}
