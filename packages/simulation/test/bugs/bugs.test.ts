// Is the tool any good? Each mistake that operators are known for is found, and an operator without them passes.
import { describe, expect, test } from "vitest";
import { budget, simulate, story } from "../../src/index.ts";
import { bakeryScenario } from "./bakery.ts";
import { bugs } from "./bugs.ts";

describe("within two thousand plans is found", () => {
  test.each(bugs)(
    "%s",
    async (_what, invariants, bug) => {
      const { failure } = await simulate(bakeryScenario(bug), { plans: 2000 });
      const broken = failure?.violations.map(({ invariant }) => invariant) ?? [];
      expect(broken.filter((it) => invariants.includes(it))).not.toEqual([]);
    },
    600_000,
  );
});

test("the sound bakery passes", async () => {
  const { failure } = await simulate(bakeryScenario(), { plans: budget(600) });
  expect(failure === undefined ? "" : story(failure)).toBe("");
}, 1_800_000);
