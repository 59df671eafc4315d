import { expect, test } from "vitest";
import { invariants } from "./invariants/index.ts";
import { invariantOf, isOfRuns } from "./rules.ts";

test("every rule of status stands for an invariant that there is", () => {
  const ids = new Set(invariants.map(({ id }) => id));
  for (let rule = 1; rule <= 83; rule += 1) expect(ids).toContain(invariantOf(rule));
});

test("how words are chosen is no matter of a run", () => {
  expect([2, 3, 36, 15].map((rule) => isOfRuns({ rule }))).toEqual([false, false, false, true]);
});

test("every invariant of the reference, and safety, is there once", () => {
  expect(invariants.map(({ id }) => id)).toEqual(Array.from({ length: 31 }, (_, i) => `I${i + 1}`));
});
