// The operator under faults, with the Job controller, a scheduler and simulated pods beside it. `TELLTALE_PLANS=10` tries ten times as many.
import { simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { deleted, failing, passing } from "./scenarios.ts";

const plans = 15 * Number(process.env["TELLTALE_PLANS"] ?? 1);

test.each([passing, failing, deleted])(
  "$name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
