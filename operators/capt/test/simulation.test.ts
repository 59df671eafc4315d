// Whole Clusters under faults. `TELLTALE_PLANS=10` tries ten times as many plans.
import { budget, type Scenario, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import * as quick from "./quick-scenarios.ts";
import { besideClusterApi, created, deleted, late, networkFails, planeFails } from "./scenarios.ts";

const campaigns = (scenarios: readonly Scenario[], plans: number) =>
  scenarios.map((scenario) => ({ name: scenario.name, scenario, plans }));

test.each([
  ...campaigns(Object.values(quick), 12),
  ...campaigns([created, networkFails, planeFails, late, deleted, besideClusterApi], 4),
])(
  "$name: whatever goes wrong, it ends as it should",
  async ({ scenario, plans }) => {
    const { failure } = await simulate(scenario, { plans: budget(plans) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
