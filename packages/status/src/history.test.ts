import { type Condition, type ConditionStatus, conditions, defineKind, instant, on, positive } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { checkStep, type Known } from "./history.ts";

const early = "2026-01-01T00:00:00Z";
const late = "2026-01-01T01:00:00Z";
const stored = (type: string, status: ConditionStatus = "True", more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: "Said",
  message: "so",
  lastTransitionTime: early,
  observedGeneration: 1,
  ...more,
});

type Status = Record<string, unknown>;
const object = (status: Status | undefined, generation = 1, uid = "u") => ({
  metadata: { name: "w", uid, generation },
  status,
});
const broken = (before: Status, after: Status, known?: Known, generation = 1) =>
  checkStep(Widget, object(before, generation), object(after, generation), known).map((v) => `${v.rule} ${v.at}`);
const list = (...conditions: Condition[]): Status => ({ conditions });

describe("one step of one object", () => {
  it("rule 15: a transition time moves with a flip", () => {
    expect(broken(list(stored("Built")), list(stored("Built", "False", { lastTransitionTime: late })))).toEqual([]);
  });

  it("rule 15: and not without one, unless a reset restarted the clock", () => {
    const moved = [list(stored("Built")), list(stored("Built", "True", { lastTransitionTime: late }))] as const;
    expect(broken(...moved)).toEqual(["15 Built"]);
    expect(broken(...moved, { restamped: ["Built"] })).toEqual([]);
  });

  it("rule 15: a flip that kept its old time is found by the time of the step", () => {
    const kept = [list(stored("Built")), list(stored("Built", "False"))] as const;
    expect(broken(...kept, { at: instant(Date.parse(late)) })).toEqual(["15 Built"]);
    expect(broken(...kept, { at: instant(Date.parse(early) + 999) })).toEqual([]);
    expect(broken(...kept)).toEqual([]);
  });

  it("rule 17: a transition time does not go back", () => {
    expect(broken(list(stored("Built", "True", { lastTransitionTime: late })), list(stored("Built", "False")))).toEqual(
      ["17 Built"],
    );
  });

  it("rule 21: a mirror and a child may bring any time along", () => {
    for (const type of ["Linked", "Part-0"]) {
      expect(broken(list(stored(type, "True", { lastTransitionTime: late })), list(stored(type)))).toEqual([]);
    }
  });

  it("rule 19: a flip there and back within one pass leaves no trace", () => {
    expect(broken(list(stored("Built")), list(stored("Built")))).toEqual([]);
    expect(broken(list(stored("Built")), list(stored("Built", "True", { lastTransitionTime: late })))).toContain(
      "15 Built",
    );
  });

  it("rule 20: a condition that is always there is not removed, a derived one neither; others may go", () => {
    expect(broken(list(stored("Built"), stored("Ready")), list())).toEqual(["20 Built", "20 Ready"]);
    expect(broken(list(stored("Extra"), stored("Recoverable"), stored("Part-0")), list())).toEqual([]);
  });

  it("rule 25: a condition speaks of the generation that was read, not of a later one", () => {
    const after = list(stored("Built", "True", { observedGeneration: 3 }));
    expect(broken(list(stored("Built")), after, {}, 2)).toEqual(["25 Built"]);
    expect(broken(list(stored("Built")), after, { readGeneration: 2 }, 3)).toEqual(["25 Built"]);
    expect(broken(list(stored("Built")), after, { readGeneration: 3 }, 3)).toEqual([]);
  });

  it("rule 25: what was not touched is not asked again", () => {
    const theirs = list(stored("example.com/X", "True", { observedGeneration: 9 }));
    expect(broken(theirs, theirs)).toEqual([]);
  });

  it("rule 26: a status does not speak of a generation that does not exist", () => {
    expect(broken({}, { observedGeneration: 2 })).toEqual(["26 observedGeneration"]);
  });

  it("rule 27: no generation goes back, neither the status's nor a condition's", () => {
    expect(broken({ observedGeneration: 3 }, { observedGeneration: 2 }, {}, 3)).toEqual(["27 observedGeneration"]);
    const back = broken(
      list(stored("Built", "True", { observedGeneration: 3 })),
      list(stored("Built", "True", { observedGeneration: 2 })),
      {},
      3,
    );
    expect(back).toEqual(["27 Built"]);
  });

  it("rule 27: but for one that the object has not reached: that is put right", () => {
    const found = broken(
      { observedGeneration: 5, ...list(stored("Built", "True", { observedGeneration: 5 })) },
      { observedGeneration: 4, ...list(stored("Built", "True", { observedGeneration: 4 })) },
      {},
      4,
    );
    expect(found).toEqual([]);
  });

  it("rule 28: the generation moves together with a condition that speaks for it", () => {
    const before = { observedGeneration: 1, ...list(stored("Built")) };
    expect(broken(before, { ...before, observedGeneration: 2 }, {}, 2)).toEqual(["28 observedGeneration"]);
    const both = { observedGeneration: 2, ...list(stored("Built", "True", { observedGeneration: 2 })) };
    expect(broken(before, both, {}, 2)).toEqual([]);
    expect(broken({ observedGeneration: 1 }, { observedGeneration: 2 }, {}, 2)).toEqual([]);
  });

  describe("rule 42: a step in which nothing speaks for it", () => {
    const inputs = [stored("Built"), stored("Broken", "False"), stored("Linked")];
    const ready = stored("Ready", "True");
    it("rule 42: does not touch a derived top condition", () => {
      const touched = list(stored("Ready", "True", { message: "new" }), ...inputs);
      expect(broken(list(ready, ...inputs), touched)).toEqual(["42 Ready"]);
    });
    it("rule 42: may move its generation", () => {
      const moved = list(stored("Ready", "True", { observedGeneration: 2 }), ...inputs);
      expect(broken(list(ready, ...inputs), moved, {}, 2)).toEqual([]);
    });
    it("rule 42: is none where an input has changed", () => {
      const changed = list(
        stored("Ready", "False", { lastTransitionTime: late }),
        stored("Built", "False", { lastTransitionTime: late }),
        ...inputs.slice(1),
      );
      expect(broken(list(ready, ...inputs), changed)).toEqual([]);
    });
    it("rule 42: does not touch a top condition that is set by hand either", () => {
      const Hand = defineKind({
        group: "telltale.test",
        version: "v1",
        kind: "Hand",
        conditions: conditions({
          Ready: positive({ means: "x", reasons: { Said: on(["True", "False"], "so", "nothing") } }),
        }),
      });
      const check = (after: Condition, known?: Known) =>
        checkStep(Hand, object(list(ready)), object(list(after)), known).map((v) => v.rule);
      expect(check(stored("Ready", "True", { lastTransitionTime: late }))).toEqual([42, 15]);
      expect(check(stored("Ready", "True", { lastTransitionTime: late }), { restamped: ["Ready"] })).toEqual([]);
      expect(check(stored("Ready", "False", { lastTransitionTime: late, message: "down" }))).toEqual([]);
    });
  });

  it("rule 53: latches stay, and what is written once stays as it is", () => {
    expect(broken({ provisioned: true }, { provisioned: false })).toEqual(["53 provisioned"]);
    expect(broken({ provisioned: true }, {})).toEqual(["53 provisioned"]);
    expect(broken({ provisioned: false }, { provisioned: true })).toEqual([]);
    expect(broken({ startTime: early }, { startTime: late })).toEqual(["53 startTime"]);
    expect(broken({}, { startTime: late })).toEqual([]);
  });

  it("rule 53: a final phase is not left, and only what the kind thaws changes in it", () => {
    const done = {
      phase: "Done",
      observedGeneration: 1,
      replicas: 1,
      ...list(stored("Built"), stored("example.com/X")),
    };
    expect(broken(done, { ...done, phase: "Running" })).toEqual(["53 phase"]);
    expect(broken(done, { ...done, replicas: 2 })).toEqual(["53 replicas"]);
    expect(broken(done, { ...done, observedGeneration: 2 }, {}, 2)).toEqual([]);
    expect(broken(done, { ...done, ...list(stored("Built"), stored("example.com/X"), stored("Drifted")) })).toEqual([]);
    expect(
      broken(done, { ...done, ...list(stored("Built", "True", { message: "new" }), stored("example.com/X")) }),
    ).toEqual(["53 Built"]);
    expect(broken(done, { ...done, ...list(stored("Built"), stored("example.com/X"), stored("Extra")) })).toEqual([
      "53 Extra",
    ]);
  });

  it("rule 53: Succeeded is final once it is True or False", () => {
    const Run = defineKind({
      group: "telltale.test",
      version: "v1",
      kind: "Run",
      conditions: conditions({
        Succeeded: positive({ means: "x", reasons: { Said: on(["True", "False", "Unknown"], "so", "nothing") } }),
      }),
    });
    const step = (from: ConditionStatus, to: ConditionStatus) =>
      checkStep(
        Run,
        object(list(stored("Succeeded", from))),
        object(list(stored("Succeeded", to, { lastTransitionTime: late }))),
      ).map((v) => v.rule);
    expect([
      step("Unknown", "True"),
      step("Unknown", "False"),
      step("True", "False"),
      step("False", "Unknown"),
    ]).toEqual([[], [], [53], [53]]);
  });

  it("rule 60: conditions of others are neither changed, nor removed, nor put into another order", () => {
    const a = stored("example.com/A");
    const b = stored("example.com/B");
    expect(broken(list(a, b), list(a))).toEqual(["60 example.com/B", "60 conditions"]);
    expect(broken(list(a), list({ ...a, message: "ours" }))).toEqual(["60 example.com/A"]);
    expect(broken(list(a, b), list(b, a))).toEqual(["60 conditions"]);
    expect(broken(list(a, b), list(stored("Built"), a, stored("example.com/C"), b))).toEqual([]);
  });

  it("rule 78: a phase is reached by declared arrows, several in one write if need be", () => {
    expect(broken({ phase: "Pending" }, { phase: "Running" })).toEqual([]);
    expect(broken({ phase: "Pending" }, { phase: "Done" })).toEqual([]);
    expect(broken({}, { phase: "Pending" })).toEqual([]);
    expect(broken({}, { phase: "Failed" })).toEqual([]);
    expect(broken({ phase: "Running" }, { phase: "Strange" })).toEqual(["78 phase"]);
    expect(broken({}, { phase: "Strange" })).toEqual(["78 phase"]);
  });

  it("rule 82: progress does not run back within an epoch", () => {
    const progress: NonNullable<Known["progress"]> = (s) => {
      const { percent, epoch } = (s["progress"] ?? {}) as { percent?: number; epoch?: string };
      return percent === undefined ? undefined : { epoch: epoch ?? "", done: percent };
    };
    const at = (percent: number, epoch: string) => ({ progress: { percent, epoch } });
    expect(broken(at(50, "a"), at(40, "a"), { progress })).toEqual(["82 progress"]);
    expect(broken(at(50, "a"), at(40, "b"), { progress })).toEqual([]);
    expect(broken(at(50, "a"), at(50, "a"), { progress })).toEqual([]);
    expect(broken(at(50, "a"), {}, { progress })).toEqual([]);
  });

  it("rule 68: another object of the same name has another history", () => {
    const before = object({ observedGeneration: 9, provisioned: true, ...list(stored("Built")) }, 9, "old");
    expect(checkStep(Widget, before, object({ observedGeneration: 1 }, 1, "new"))).toEqual([]);
  });

  it("a first status breaks nothing", () => {
    expect(checkStep(Widget, object(undefined), object({ observedGeneration: 1, ...list(stored("Built")) }))).toEqual(
      [],
    );
  });
});
