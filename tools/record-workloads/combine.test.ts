// What several runs become is what the readers of a recording take apart again.
import { expect, test } from "vitest";
import type { JsonObject } from "../../packages/workloads/test/golden/json.ts";
import { readRecording, type State, type Told } from "../../packages/workloads/test/golden/recording.ts";
import type { Scenario } from "../../packages/workloads/test/golden/scenario.ts";
import type { Observed } from "../../packages/workloads/test/golden/symbols.ts";
import { combine } from "./combine.ts";

const it: Pick<Scenario, "name" | "steps"> = {
  name: "it",
  steps: [
    { do: "create", manifest: {} },
    { do: "create", manifest: {} },
  ],
};

const state = (status: JsonObject, event: State["event"] = "MODIFIED"): State => ({
  step: 0,
  event,
  body: { metadata: { name: "j" }, spec: { a: 1 }, status },
});

const told = (message: string): Told => ({
  regarding: "Job/j",
  type: "Normal",
  reason: "Made",
  message,
  component: "job-controller",
});

const run = (states: readonly State[], events: readonly Told[] = []): Observed => ({
  objects: new Map([["Job/j", states]]),
  varied: new Map(),
  events,
  eventsVaried: [],
  order: states.map((_, n) => `Job/j#${n}`),
  eventSteps: events.map(() => 0),
});

const first = state({}, "ADDED");
const last = state({ done: true });

test("what is in every run is common, and said without what repeats itself", () => {
  const lines = combine(it, "v1", [run([first, last]), run([first, last])]);
  expect(lines).toEqual([
    { record: "header", scenario: "it", server: "v1", runs: 2, statesPerRun: [2, 2], statesCommon: 2, variedCount: 0 },
    { record: "state", object: "Job/j", n: 0, step: 0, event: "ADDED", ...first.body },
    {
      record: "state",
      object: "Job/j",
      n: 1,
      step: 0,
      event: "MODIFIED",
      metadata: { name: "j" },
      status: { done: true },
    },
    { record: "order", common: ["Job/j#0", "Job/j#1"] },
  ]);
});

test("what is not in every run is what varied, and is read back as it was", () => {
  const lines = combine(it, "v1", [run([first, last]), run([first, state({ half: true }), last])]);
  const { objects, varied } = readRecording(lines);
  expect(objects.get("Job/j")).toEqual([first, last]);
  expect(varied.get("Job/j")).toEqual([{ ...state({ half: true }), after: 0 }]);
  expect(lines.at(-1)).toMatchObject({ record: "varied", run: 2, after: 0, change: { status: { half: true } } });
});

test("what goes and comes between states is said with null", () => {
  const lines = combine(it, "v1", [run([first]), run([first, state({ a: 1 }), state({ b: 2 })])]);
  expect(lines.at(-1)).toMatchObject({ change: { status: { a: null, b: 2 } } });
});

test("Events are told apart by whether every run had them", () => {
  const runs = [run([first], [told("one"), told("two")]), run([first], [told("one")])];
  const { events, eventsVaried } = readRecording(combine(it, "v1", runs));
  expect([events, eventsVaried]).toEqual([[told("one")], [told("two")]]);
});

test("a state is the same whichever of two actions in a row came last before it", () => {
  const { varied } = readRecording(combine(it, "v1", [run([first, last]), run([first, { ...last, step: 1 }])]));
  expect(varied.size).toBe(0);
});
