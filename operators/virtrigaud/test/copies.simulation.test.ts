// Snapshots and clones under faults. `TELLTALE_PLANS=10` tries ten times as many plans.
import { budget, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { scenarios } from "./copies.scenarios.ts";
import { scenarios as kept } from "./copies-kept.scenarios.ts";

test.each([...scenarios, ...kept])(
  "$name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans: budget(1) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
