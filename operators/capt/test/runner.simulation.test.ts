// The runner under faults. `TELLTALE_PLANS=10` tries ten times as many.
import { budget, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { changed, cutShort, deleted, failing, invalid, made, onClouds } from "./runner.scenarios.ts";

/** What is outside goes wrong, and the operator ends in the middle of a run. */
const only = ["P1", "P2", "P29", "P35", "P36", "P37", "P38"];

test.each([made, failing, invalid, changed, deleted, cutShort])(
  "a Workspace that is $name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans: budget(20) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);

test.each(Object.values(onClouds))(
  "a Workspace that is $name: one run at a time, and nothing comes to harm while that is out of reach",
  async (scenario) => {
    const { failure } = await simulate(scenario, { only, plans: budget(10) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
