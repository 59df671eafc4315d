// One plan: a world is made, lives with its faults, becomes quiet, and is judged.

import type { KindRef } from "@telltale/kinds";
import { dumpOf } from "./dump.ts";
import type { Fault, Plan } from "./fault.ts";
import type { Invariant } from "./invariant.ts";
import { invariants as standard } from "./invariants/index.ts";
import { perturbationOf } from "./perturbations/index.ts";
import type { Reference, Seen } from "./reference.ts";
import type { Scenario } from "./scenario.ts";
import { keyOf } from "./target.ts";
import type { Trace } from "./trace.ts";
import type { Violation } from "./violation.ts";
import { World } from "./world.ts";

export interface Outcome {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  readonly trace: Trace;
  readonly seen: Reference;
}

export async function runPlan(
  scenario: Scenario,
  plan: Plan,
  reference?: Reference,
  invariants: readonly Invariant[] = standard,
): Promise<Outcome> {
  const world = await World.begin({ scenario, plan, invariants });
  const first = world.server.store.revision;
  const watched = new Set<string>();
  world.network.rules.push({
    request({ target }) {
      if (target.isWatch) watched.add(`${target.group}/${target.resource}`);
      return undefined;
    },
  });
  // Only a run in which nothing goes wrong is looked through for places.
  const places = reference === undefined ? placesIn(world) : nowhere;
  for (const fault of plan.faults) arm(fault, world);
  await world.run();
  // What a new process writes after all is judged belongs to no plan.
  const changes = [...world.history.changes];
  const writes = Map.groupBy(
    changes.filter(({ sent }) => sent?.write !== undefined),
    ({ sent }) => sent?.write ?? 0,
  );
  const seen: Reference = {
    scenario,
    trace: world.trace,
    changes,
    writes: [...writes].map(([write, made]) => ({ write, changes: made })),
    events: places.events(),
    reads: places.reads,
    passes: places.passes(),
    watched: [...watched].sort(),
    end: dumpOf(world.server, first, scenario.given),
  };
  // It speaks of the end without faults.
  if (scenario.end !== undefined && world.expects === "same") {
    try {
      await scenario.end({ client: world.person, backend: world.backend });
    } catch (error) {
      world.violations.push({ invariant: "end", what: error instanceof Error ? error.message : String(error) });
    }
  }
  world.judge(reference, seen.end);
  await world.rebirth();
  await world.close();
  return { plan, violations: world.violations, trace: world.trace, seen };
}

/** Brings a fault about. What becomes of the traffic by its rules is told to be its doing. */
function arm(fault: Fault, world: World): void {
  const { rules } = world.network;
  const before = new Set(rules);
  perturbationOf(fault).arm(fault, world);
  for (const rule of rules) if (!before.has(rule)) rule.by = fault.p;
}

interface Places extends Pick<Reference, "reads"> {
  events(): Reference["events"];
  passes(): number;
}

const nowhere: Places = { reads: [], events: () => [], passes: () => 0 };

/** What reaches the operator, and how often it looks. */
function placesIn(world: World): Places {
  const events: (Omit<Seen, "isOwn"> & { readonly version: string })[] = [];
  const counts = new Map<string, number>();
  const reads: { kind: string; write: number }[] = [];
  let passes = 0;
  const note = ({ group, plural }: KindRef) => reads.push({ kind: `${group}/${plural}`, write: world.network.writes });
  world.watch({
    pass({ controller }) {
      passes += 1;
      note(controller.kind);
    },
    reads: note,
  });
  world.network.rules.push({
    line({ target }, { object: { metadata } }) {
      const kind = `${target.group}/${target.resource}`;
      const event = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, event);
      const { name = "", namespace, resourceVersion: version = "" } = metadata ?? {};
      const key = keyOf({ ...target, name, ...(namespace === undefined ? {} : { namespace }) });
      events.push({ kind, event, key, at: world.clock.now(), version });
      return undefined;
    },
  });
  return {
    reads,
    passes: () => passes,
    events() {
      const authors = new Map(world.history.changes.map(({ revision, author }) => [String(revision), author]));
      return events.map(({ version, ...event }) => ({ ...event, isOwn: authors.get(version) !== undefined }));
    },
  };
}
