// Several runs of one scenario as one recording: what all had in common, and what differed.
import { isObject, type Json, type JsonObject, same } from "../../packages/workloads/test/golden/json.ts";
import { phaseAt, phasesOf } from "../../packages/workloads/test/golden/phases.ts";
import { repeated, type State, type Told } from "../../packages/workloads/test/golden/recording.ts";
import type { Scenario } from "../../packages/workloads/test/golden/scenario.ts";
import type { Observed } from "../../packages/workloads/test/golden/symbols.ts";
import { longestCommon } from "./longest-common.ts";

export function combine(
  { name: scenario, steps }: Pick<Scenario, "name" | "steps">,
  server: string,
  runs: readonly Observed[],
): readonly JsonObject[] {
  const phases = phasesOf(steps);
  // Of actions that nobody waits between, either may be the last before a state.
  const keyOf = ({ step, event, body }: State) => JSON.stringify([phaseAt(phases, step), event, inOrder(body)]);
  const objects = [...new Set(runs.flatMap((run) => [...run.objects.keys()]))];
  const states: JsonObject[] = [];
  const varied: JsonObject[] = [];
  /** By run: `Kind/name#n` of the run to that of the recording. */
  const numbers = runs.map(() => new Map<string, string>());
  for (const object of objects) {
    const sequences = runs.map((run) => run.objects.get(object) ?? []);
    const common = longestCommon(sequences.map((it) => it.map(keyOf)));
    const [first = []] = sequences;
    let before: State | undefined;
    for (const [n, places] of common.entries()) {
      const state = first[places[0] ?? -1];
      if (state === undefined) continue;
      states.push(sorted({ record: "state", object, n, step: state.step, event: state.event }, shown(state, before)));
      before = state;
      for (const [run, place] of places.entries()) numbers[run]?.set(`${object}#${place}`, `${object}#${n}`);
    }
    for (const [run, sequence] of sequences.entries()) {
      const mine = common.map((places) => places[run] ?? -1);
      for (const [place, state] of sequence.entries()) {
        if (mine.includes(place)) continue;
        const after = mine.findLastIndex((it) => it < place);
        const change = changeOf(sequence[place - 1]?.body ?? {}, state.body);
        const line = { record: "varied", object, run: run + 1, after, step: state.step, event: state.event };
        varied.push({ ...line, change });
      }
    }
  }
  const orders = runs.map((run, i) => run.order.flatMap((it) => numbers[i]?.get(it) ?? []));
  const [order = []] = orders;
  return [
    {
      record: "header",
      scenario,
      server,
      runs: runs.length,
      statesPerRun: runs.map((run) => [...run.objects.values()].reduce((sum, it) => sum + it.length, 0)),
      statesCommon: states.length,
      variedCount: varied.length,
    },
    ...states,
    { record: "order", common: longestCommon(orders).map((places) => order[places[0] ?? -1] ?? "") },
    ...eventsOf(runs),
    ...varied,
  ];
}

/** A state without what is as it was before. */
function shown({ event, body }: State, before: State | undefined): JsonObject {
  if (event === "DELETED" || before === undefined || before.event === "DELETED") return body;
  return Object.fromEntries(
    Object.entries(body).filter(([key, value]) => !repeated.includes(key) || !same(value, before.body[key])),
  );
}

/** What has to be put over one value to make it the other; null is for what is gone. */
function changeOf(before: JsonObject, after: JsonObject): JsonObject {
  const change: Record<string, Json> = {};
  for (const key of Object.keys(before)) if (!(key in after)) change[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (same(old, value)) continue;
    change[key] = isObject(old) && isObject(value) ? changeOf(old, value) : inOrder(value);
  }
  return change;
}

function eventsOf(runs: readonly Observed[]): readonly JsonObject[] {
  const key = (told: Told) => JSON.stringify(told);
  const found = new Map<string, { readonly told: Told; readonly step: number; count: number }>();
  for (const run of runs) {
    for (const [i, told] of run.events.entries()) {
      const known = found.get(key(told)) ?? { told, step: run.eventSteps[i] ?? 0, count: 0 };
      known.count += 1;
      found.set(key(told), known);
    }
  }
  const line = (record: string, { told, step }: { readonly told: Told; readonly step: number }): JsonObject =>
    sorted({ record }, { ...told }, { step });
  const all = [...found.values()];
  return [
    ...all.filter(({ count }) => count === runs.length).map((it) => line("event", it)),
    ...all.filter(({ count }) => count < runs.length).map((it) => line("event-varied", it)),
  ];
}

const sorted = (head: JsonObject, body: JsonObject, tail: JsonObject = {}): JsonObject => ({
  ...head,
  ...Object.fromEntries(
    Object.keys(body)
      .sort()
      .map((key) => [key, inOrder(body[key] ?? null)]),
  ),
  ...tail,
});

function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  return isObject(value) ? sorted({}, value) : value;
}
