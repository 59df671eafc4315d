// Applies under faults. `TELLTALE_PLANS=10` tries ten times as many plans.
import { budget, replay, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { changed, removed, rendered, retained, waiting } from "./apply.scenarios.ts";

test.each([rendered, waiting, changed, removed, retained])(
  "$name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans: budget(15) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);

test("a request for a Workspace that comes after the next one is no request too many", async () => {
  const faults = [{ p: "P25", write: 2, by: 40_000, side: "before", for: 0 }] as const;
  const { violations } = await replay(rendered, { seed: 1, faults: [...faults] });
  expect(violations).toEqual([]);
});
