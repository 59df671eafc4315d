// Runs Workspaces without running anything: what a real run would take time for takes time, and what it would leave behind is
// there. Everything comes from the order, the clock and a count of failures, so that the same calls have the same results.
import { type Clock, jitter, seededRandom, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { sanitize } from "../../sanitize.ts";
import type { Desk, Engine, Order, Outcome } from "../engine.ts";
import { failedClass } from "../error-class.ts";
import { revisionOf } from "../inputs.ts";
import { isSimulated, type Snapshot, simulatedLineage, snapshotOf } from "../state.ts";
import { stoppedOutcome } from "../stopped.ts";
import { parseOverrides, parseScript, type Script, type SimulatedStep } from "./script.ts";
import { simulatedOutputs } from "./values.ts";

/** How often the state is told of: a real one is not looked at more often. */
const glance: Ms = 1_000;

export function simulatedEngine({ clock }: { readonly clock: Clock }): Engine {
  /** How often each step of a Workspace has failed as it was told to. */
  const failures = new Map<string, number>();

  async function step(which: SimulatedStep, order: Order, script: Script, desk: Desk): Promise<Outcome | undefined> {
    await sleep(clock, latencyOf(which, order, script), desk.signal);
    return failure(which, order, script);
  }

  function failure(which: SimulatedStep, order: Order, script: Script): Outcome | undefined {
    for (const [i, told] of script.fail.entries()) {
      const key = `${order.uid}/${i}`;
      const count = failures.get(key) ?? 0;
      if (told.operation !== which || count >= told.times) continue;
      failures.set(key, count + 1);
      return { as: "failed", class: told.class ?? failedClass[order.operation], message: sanitize(told.message) };
    }
    return undefined;
  }

  async function plan(order: Order, script: Script, desk: Desk): Promise<Outcome> {
    const failed = (await step("init", order, script, desk)) ?? (await step("plan", order, script, desk));
    if (failed !== undefined) return failed;
    const { stored } = order;
    if (stored === undefined || revisionIn(stored) !== revisionOf(order.inputs)) return { as: "changes" };
    return { as: "settled", outputs: outputsOf(order) };
  }

  /** One resource after the other. */
  async function change(operation: "apply" | "destroy", order: Order, script: Script, desk: Desk): Promise<Outcome> {
    const had = order.stored?.resources ?? 0;
    const total = operation === "apply" ? script.resources : had;
    const each = latencyOf(operation, order, script) / Math.max(1, total);
    const fault = failure(operation, order, script);
    let state = order.stored;
    let told = clock.uptime();
    const say = (done: number) => {
      const now = clock.uptime();
      state = stateOf(
        order,
        operation === "apply" ? Math.max(had, done) : had - done,
        state,
        operation === "apply" && done === total,
      );
      desk.progress({ operation, total, done, ...(done < total ? { current: address(done) } : {}) });
      if (now - told < glance) return;
      told = now;
      desk.state(state);
    };
    const at = (outcome: Outcome): Outcome => (state === undefined ? outcome : { ...outcome, state });
    try {
      if (total === 0) await sleep(clock, each, desk.signal);
      for (let done = 1; done <= total; done += 1) {
        await sleep(clock, each, desk.signal);
        if (fault !== undefined && done === total) return at(fault); // all but the last one was made
        say(done);
      }
    } catch {
      return at(stoppedOutcome(desk.signal.reason));
    }
    if (fault !== undefined) return at(fault);
    state = stateOf(order, operation === "apply" ? total : 0, state, operation === "apply");
    return at(operation === "apply" ? { as: "applied", outputs: outputsOf(order) } : { as: "destroyed" });
  }

  return {
    name: "simulated",
    async run(order, desk) {
      const script = parseScript(order.simulation?.script);
      if (order.stored !== undefined && !isSimulated(order.stored)) {
        return { as: "failed", class: "StateConflict", message: sanitize("the state is a real one") };
      }
      if (order.operation !== "plan") return change(order.operation, order, script, desk);
      try {
        return await plan(order, script, desk);
      } catch {
        return stoppedOutcome(desk.signal.reason);
      }
    },
    // A simulated run has no process that could outlive the operator's.
    left: async () => undefined,
    resume: async () => ({ as: "stale" }),
    stateOf: async () => undefined,
    clear: async (uid) => {
      for (const key of [...failures.keys()]) if (key.startsWith(`${uid}/`)) failures.delete(key);
    },
    abandon: async () => {},
    known: async () => [],
  };
}

function latencyOf(step: SimulatedStep, { id }: Order, { latency, seed }: Script): Ms {
  if (seed === undefined) return latency[step];
  const mixed = [...`${id}/${step}`].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) >>> 0, seed);
  return jitter(seededRandom(mixed), latency[step], 0.1);
}

const outputsOf = ({ workspace, inputs, simulation }: Order) =>
  simulatedOutputs(workspace.name, inputs.module, parseOverrides(simulation?.outputs));

const address = (index: number): string => `simulated_resource.r${index}`;

/** A state as a real program would write it, and it says that it is none. */
function stateOf(order: Order, resources: number, before: Snapshot | undefined, isWhole: boolean): Snapshot {
  const state = {
    version: 4,
    terraform_version: "simulated",
    serial: (before?.serial ?? 0) + 1,
    lineage: before?.lineage ?? `${simulatedLineage}${order.uid}`,
    // What was not made to its end is planned again.
    revision: isWhole ? revisionOf(order.inputs) : "",
    outputs: {},
    resources: Array.from({ length: Math.max(0, resources) }, (_, i) => ({
      mode: "managed",
      type: "simulated_resource",
      name: `r${i}`,
      instances: [],
    })),
  };
  const snapshot = snapshotOf(JSON.stringify(state));
  if (snapshot === undefined) throw new Error("a simulated state is none");
  return snapshot;
}

function revisionIn({ text }: Snapshot): string | undefined {
  const { revision } = JSON.parse(text) as { revision?: unknown };
  return typeof revision === "string" ? revision : undefined;
}
