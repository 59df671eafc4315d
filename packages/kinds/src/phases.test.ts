import { describe, expect, test } from "vitest";
import { phases, refuseMove, unreachable, when } from "./phases.ts";

const machine = phases(
  { Pending: ["Running", "Failed"], Running: [when("again", "Pending"), "Done"], Failed: [] },
  { final: ["Done", "Failed"] },
);

describe("a phase machine", () => {
  test("has each phase once, in the order of its declaration", () => {
    expect(machine.names).toEqual(["Pending", "Running", "Failed", "Done"]);
  });

  test("starts in its first phase where nothing else is said", () => {
    expect(machine.initial).toEqual(["Pending"]);
    expect(phases({ A: ["B"] }, { initial: ["A", "B"] }).initial).toEqual(["A", "B"]);
  });

  test("is final in the phases that it names", () => {
    expect([machine.final({ phase: "Done" }), machine.final({ phase: "Running" }), machine.final({})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("is final when its function says so, and then names no phase", () => {
    const p = phases({ A: ["B"], B: ["A"] }, { final: (status) => status["completed"] === true });
    expect([p.final({ completed: true }), p.final({ phase: "B" }), p.finalNames]).toEqual([true, false, []]);
  });

  test("lets observedGeneration move once final, where nothing else is said", () => {
    expect(machine.thaw).toEqual(["observedGeneration"]);
    expect(phases({ A: [] }, { thaw: [] }).thaw).toEqual([]);
  });
});

describe("a move", () => {
  test.each<[string | undefined, string, string | undefined, string | undefined]>([
    ["Pending", "Running", undefined, undefined],
    ["Pending", "Pending", undefined, undefined],
    ["Done", "Done", undefined, undefined],
    [undefined, "Pending", undefined, undefined],
    ["", "Pending", undefined, undefined],
    ["Running", "Pending", "again", undefined],
    ["Running", "Pending", undefined, 'the arrow from Running to Pending needs the guard "again"'],
    ["Running", "Pending", "other", 'the arrow from Running to Pending needs the guard "again"'],
    ["Pending", "Done", undefined, "no arrow leads from Pending to Done"],
    ["Done", "Pending", undefined, "no arrow leads from Done to Pending"],
    ["Pending", "Gone", undefined, "Gone is not a declared phase"],
    [undefined, "Running", undefined, "a new object starts in Pending, not in Running"],
  ])("from %s to %s with guard %s: %s", (from, to, guard, problem) => {
    expect(refuseMove(machine, from, to, guard)).toBe(problem);
  });
});

test("phases that no path reaches are found, circles included", () => {
  expect(unreachable(machine)).toEqual([]);
  expect(unreachable(phases({ A: ["B"], C: ["D"], D: ["C"] }))).toEqual(["C", "D"]);
  expect(unreachable(phases({ A: ["B"], B: ["A"] }, { initial: ["B"] }))).toEqual([]);
});
