// The runner under faults. `TELLTALE_PLANS=10` tries ten times as many.
import { budget, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { changed, cutShort, deleted, failing, invalid, made } from "./runner.scenarios.ts";

test.each([made, failing, invalid, changed, deleted, cutShort])(
  "a Workspace that is $name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans: budget(20) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
