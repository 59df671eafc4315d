// The comparison finds what is wrong, and lets pass what is allowed.
import { describe, expect, test } from "vitest";
import { compare, type Difference, said } from "./compare.ts";
import type { JsonObject } from "./json.ts";
import { type Recording, readRecording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

const steps: Scenario["steps"] = [
  { do: "create", manifest: { kind: "Job", metadata: { name: "j" } } },
  { until: "settled" },
  { do: "delete", kind: "Job", name: "j" },
  { until: "settled" },
];

const condition = (type: string, reason: string, status = "True"): JsonObject => ({ type, status, reason });

const state = (n: number, step: number, status: JsonObject, event = n === 0 ? "ADDED" : "MODIFIED"): JsonObject => ({
  record: "state",
  object: "Job/j",
  n,
  step,
  event,
  metadata: { name: "j" },
  ...(event === "DELETED" ? {} : { status }),
});

const told = (message: string): JsonObject => ({
  record: "event",
  regarding: "Job/j",
  type: "Normal",
  reason: "Made",
  message,
  component: "job-controller",
});

const lines = [
  state(0, 0, {}),
  state(1, 0, { active: 1 }),
  state(2, 0, { active: 1, ready: 1 }),
  state(3, 0, { ready: 1, conditions: [condition("A", "Ok"), condition("B", "Fine")] }),
  state(4, 2, {}, "DELETED"),
  told("made a pod"),
  { record: "varied", object: "Job/j", run: 2, after: 1, step: 0, event: "MODIFIED", change: { status: { ready: 0 } } },
];

const recorded = readRecording(lines);
const differences = (ours: readonly JsonObject[]): readonly Difference[] =>
  compare({ name: "it", steps }, readRecording(ours), recorded);
const without = (...numbers: readonly number[]): JsonObject[] => lines.filter((_, i) => i < 6 && !numbers.includes(i));
const changed = (n: number, status: JsonObject): JsonObject[] =>
  without().map((line) => (line["n"] === n ? { ...line, status } : line));

describe("what passes", () => {
  test("the same states and Events", () => {
    expect(differences(without())).toEqual([]);
  });

  test("states in between that are merged into the next", () => {
    expect(differences(without(1, 2))).toEqual([]);
  });

  test("a state that only some runs showed, where they showed it", () => {
    const ours = without();
    ours.splice(2, 0, state(9, 0, { active: 1, ready: 0 }));
    expect(differences(ours)).toEqual([]);
  });

  test("conditions in another order", () => {
    expect(differences(changed(3, { ready: 1, conditions: [condition("B", "Fine"), condition("A", "Ok")] }))).toEqual(
      [],
    );
  });

  test("an Event whose text was combined with others", () => {
    const combined = told("(combined from similar events): made a pod");
    expect(differences([...without(), combined])).toEqual([]);
    expect(differences([...without(5), combined])).toEqual([]);
  });

  test("a difference that is allowed, and only that", () => {
    const ours = readRecording(changed(3, { ready: 2, conditions: [condition("A", "Ok"), condition("B", "Fine")] }));
    const allowed = [{ scenario: "it", object: "Job/j", path: "status.ready", reason: "a test" }];
    expect(compare({ name: "it", steps }, ours, recorded, allowed)).toEqual([]);
    expect(compare({ name: "other", steps }, ours, recorded, allowed)).toHaveLength(1);
  });
});

describe("what is found", () => {
  test("an invented state, with the recorded one that comes nearest", () => {
    const found = differences(changed(2, { active: 1, ready: 5 }));
    expect(found).toMatchObject([{ is: "invented", object: "Job/j", n: 2, near: { n: "#2" } }]);
    expect(found.map(said).join()).toContain("status.ready: ours 5, recorded 1");
  });

  test("a state that comes too late", () => {
    const ours = without();
    ours.splice(
      4,
      0,
      state(9, 0, { active: 1 }),
      state(10, 0, { ready: 1, conditions: [condition("A", "Ok"), condition("B", "Fine")] }),
    );
    expect(differences(ours)).toMatchObject([{ is: "invented" }, { is: "invented" }]);
  });

  test("a state of another phase", () => {
    const ours = without().map((line) => (line["n"] === 3 ? { ...line, step: 2 } : line));
    expect(differences(ours).map(({ is }) => is)).toEqual(["end"]);
  });

  test("a last state that is missing", () => {
    const found = differences(without(4));
    expect(found).toMatchObject([{ is: "end", object: "Job/j", near: { n: "#4" } }]);
  });

  test("a condition with a wrong reason", () => {
    const found = differences(changed(3, { ready: 1, conditions: [condition("A", "Bad"), condition("B", "Fine")] }));
    expect(found.map(said).join()).toContain('status.conditions[A].reason: ours "Bad", recorded "Ok"');
  });

  test("a condition that is not there, as one line", () => {
    const found = differences(changed(3, { ready: 1, conditions: [condition("A", "Ok")] }));
    expect(found.map(said).join()).toContain('status.conditions[B]: ours absent, recorded "True Fine"');
  });

  test("an Event too many, and one too few", () => {
    expect(differences([...without(), told("made two pods")])).toMatchObject([{ is: "extra event" }]);
    expect(differences(without(5))).toMatchObject([{ is: "missing event", event: { message: "made a pod" } }]);
  });

  test("an object too many, and one too few", () => {
    const other = { ...state(0, 0, {}), object: "Job/other" };
    expect(differences([...without(), other])).toMatchObject([{ is: "unknown object", object: "Job/other" }]);
    expect(differences([told("made a pod")])).toMatchObject([{ is: "missing object", object: "Job/j" }]);
  });
});

describe("a recorded file", () => {
  const read = (...states: readonly JsonObject[]): Recording => readRecording(states);
  const bodies = (recording: Recording) => recording.objects.get("Job/j")?.map(({ body }) => body);

  test("has what it left out because it did not change", () => {
    const found = bodies(read({ ...state(0, 0, {}), spec: { a: 1 } }, state(1, 0, { active: 1 })));
    expect(found?.[1]).toMatchObject({ spec: { a: 1 } });
  });

  test("shows what is gone where nothing else differs", () => {
    const subsets = { ...state(0, 0, {}), subsets: [1] };
    expect(bodies(read(subsets, state(1, 0, {})))?.[1]).not.toHaveProperty("subsets");
  });

  test("builds what varied on the state before it in that run", () => {
    expect(recorded.varied.get("Job/j")).toMatchObject([{ after: 1, body: { status: { active: 1, ready: 0 } } }]);
  });
});
