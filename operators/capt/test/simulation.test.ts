// Whole Clusters under faults. `TELLTALE_PLANS=10` tries ten times as many plans.
import { budget, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { besideClusterApi, created, deleted, late, networkFails, planeFails } from "./scenarios.ts";

test.each([created, networkFails, planeFails, late, deleted, besideClusterApi])(
  "$name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans: budget(12) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
