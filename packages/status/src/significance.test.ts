import { type Condition, defineKind, Fields, Int32, instant, Optional, Text } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { dueAt, type Significance, significance, standardSpacing } from "./significance.ts";

const built: Condition = {
  type: "Built",
  status: "True",
  reason: "Complete",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const status = { phase: "Running", replicas: 1, progress: { percent: 5, epoch: "a" }, conditions: [built] };
const judge = (change: Record<string, unknown>) => significance(Widget, status, { ...status, ...change });

describe("how urgent a difference is", () => {
  it.each<[string, Record<string, unknown>, Significance]>([
    ["nothing at all", {}, "none"],
    ["an equal copy", { conditions: [{ ...built }], progress: { epoch: "a", percent: 5 } }, "none"],
    ["another phase", { phase: "Done" }, "transition"],
    ["a flip", { conditions: [{ ...built, status: "False" }] }, "transition"],
    ["a new condition", { conditions: [built, { ...built, type: "Broken" }] }, "transition"],
    ["a condition that went away", { conditions: [] }, "transition"],
    ["one condition in the place of another", { conditions: [{ ...built, type: "Broken" }] }, "transition"],
    ["a message", { conditions: [{ ...built, message: "new" }] }, "detail"],
    ["a reason", { conditions: [{ ...built, reason: "Other" }] }, "detail"],
    ["a field", { replicas: 2 }, "detail"],
    ["what the kind calls volatile", { progress: { percent: 6, epoch: "a" } }, "volatile"],
    ["something volatile that was not there", { progress: { percent: 5, epoch: "a", sampled: "x" } }, "volatile"],
    ["something else beside the volatile", { progress: { percent: 6, epoch: "b" } }, "detail"],
    ["something volatile and a field", { progress: { percent: 6, epoch: "a" }, replicas: 2 }, "detail"],
    ["something volatile and a flip", { progress: { percent: 6, epoch: "a" }, phase: "Done" }, "transition"],
    ["a volatile parent that went away", { progress: undefined }, "detail"],
  ])("rule 83: %s", (_name, change, expected) => {
    expect(judge(change)).toBe(expected);
  });

  it("rule 83: something volatile where nothing was stored before", () => {
    expect(significance(Widget, {}, { progress: { percent: 1 } })).toBe("volatile");
  });

  it("rule 83: where the kind names what is urgent, that and nothing else is", () => {
    const urgent = { ...Widget, urgent: ["replicas", "conditions.Built"] };
    expect(significance(urgent, status, { ...status, replicas: 2 })).toBe("transition");
    expect(significance(urgent, status, { ...status, phase: "Done" })).toBe("detail");
    expect(significance(urgent, status, { ...status, conditions: [{ ...built, status: "False" }] })).toBe("transition");
    expect(significance(urgent, status, { ...status, conditions: [{ ...built, message: "new" }] })).toBe("detail");
    expect(significance(urgent, status, { ...status, conditions: [built, { ...built, type: "Broken" }] })).toBe(
      "detail",
    );
  });

  it("rule 83: a condition can be volatile, and the others are not", () => {
    const quiet = { ...Widget, volatile: ["conditions.Built"] };
    const other = { ...built, type: "Broken" };
    const old = { conditions: [built, other] };
    expect(significance(quiet, old, { conditions: [{ ...built, message: "5%" }, other] })).toBe("volatile");
    expect(significance(quiet, old, { conditions: [built, { ...other, message: "5%" }] })).toBe("detail");
  });

  it("knows details and nothing where nothing is volatile", () => {
    const Plain = defineKind({
      group: "telltale.test",
      version: "v1",
      kind: "Plain",
      status: Fields({ a: Optional(Int32()), b: Optional(Text()) }),
    });
    expect(significance(Plain, { a: 1 }, { a: 1, b: undefined })).toBe("none");
    expect(significance(Plain, { a: 1 }, { a: 2 })).toBe("detail");
  });
});

describe("when a difference may be written", () => {
  const now = instant(1_000_000);

  it("rule 83: a transition at once, a detail once a second, the volatile every fifteen", () => {
    const last = instant(now - 100);
    expect(dueAt("transition", last, now)).toBe(now);
    expect(dueAt("detail", last, now)).toBe(last + 1000);
    expect(dueAt("volatile", last, now)).toBe(last + 15_000);
  });

  it("at once where nothing was written yet, or long ago, or in a future that a clock made up", () => {
    for (const last of [undefined, instant(now - 60_000), instant(now + 60_000)]) {
      expect(dueAt("volatile", last, now)).toBe(now);
    }
  });

  it("takes the kind's own spacing", () => {
    expect(dueAt("detail", now, now, { detail: 5, volatile: 7 })).toBe(now + 5);
    expect(dueAt("volatile", now, now, { detail: 5, volatile: 7 })).toBe(now + 7);
  });

  it("rule 83: the last value always arrives, transitions without delay and the rest within their spacing", () => {
    const change = fc.record({
      wait: fc.integer({ min: 0, max: 5000 }),
      kind: fc.constantFrom<Significance>("transition", "detail", "volatile"),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), (changes) => {
        const rank = { none: 0, volatile: 1, detail: 2, transition: 3 };
        let time = instant(1_000_000);
        let value = 0;
        let written = { value: 0, at: undefined as typeof time | undefined };
        let pending: { kind: Significance; due: typeof time } | undefined;
        let writes = 0;
        const write = (at: typeof time) => {
          written = { value, at };
          pending = undefined;
          writes += 1;
        };
        for (const { wait, kind } of changes) {
          const next = instant(time + wait);
          if (pending !== undefined && pending.due <= next) write(pending.due);
          time = next;
          value += 1;
          // What is pending together is as urgent as the most urgent of it.
          const most: Significance = pending !== undefined && rank[pending.kind] > rank[kind] ? pending.kind : kind;
          const due = dueAt(most, written.at, time);
          expect(due).toBeGreaterThanOrEqual(time);
          expect(due).toBeLessThanOrEqual(time + standardSpacing.volatile);
          if (most === "transition") expect(due).toBe(time);
          pending = { kind: most, due };
          if (due === time) write(time);
        }
        if (pending !== undefined) write(pending.due);
        expect(written.value).toBe(value);
        expect(writes).toBeLessThanOrEqual(changes.length);
      }),
    );
  });
});
