// Is the tool any good? Each mistake that operators are known for is found, and an operator without them passes.
import { describe, expect, test } from "vitest";
import { budget, simulate, story } from "../../src/index.ts";
import { bakeryScenario } from "./bakery.ts";
import { bugs } from "./bugs.ts";

/** Campaigns look for each among all that can go wrong; a test at each edit where it is known to be. */
const isCampaign = budget(1) >= 10;

describe("within two thousand plans is found", () => {
  test.each(bugs)(
    "$what",
    async ({ breaks, by, bug }) => {
      const only = isCampaign || by === undefined ? {} : { only: [by] };
      const { failure } = await simulate(bakeryScenario(bug), { plans: 2000, ...only });
      const broken = failure?.violations.map(({ invariant }) => invariant) ?? [];
      expect(broken.filter((it) => breaks.includes(it))).not.toEqual([]);
    },
    600_000,
  );
});

test("the sound bakery passes", async () => {
  const { failure } = await simulate(bakeryScenario(), { plans: budget(300) });
  expect(failure === undefined ? "" : story(failure)).toBe("");
}, 1_800_000);
