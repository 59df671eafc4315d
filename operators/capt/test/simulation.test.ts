// Whole Clusters under faults. `TELLTALE_PLANS=10` tries ten times as many plans.
import { budget, type Scenario, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import * as quick from "./quick-scenarios.ts";
import { besideClusterApi, created, deleted, late, networkFails, planeFails } from "./scenarios.ts";

const whole: readonly Scenario[] = [created, networkFails, planeFails, late, deleted, besideClusterApi];

test.each([...Object.values(quick).map((it) => [it, 12] as const), ...whole.map((it) => [it, 4] as const)])(
  "$0.name: whatever goes wrong, it ends as it should",
  async (scenario, plans) => {
    const { failure } = await simulate(scenario, { plans: budget(plans) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
