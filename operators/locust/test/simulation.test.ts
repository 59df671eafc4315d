// The operator under faults: some plans beside the Job controller, a scheduler and simulated pods, and more beside a stand-in for them.
// `TELLTALE_PLANS=10` tries ten times as many.
import { budget, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { deleted, failing, passing, quick } from "./scenarios.ts";

const whole = [passing, failing, deleted].map((scenario) => ({ scenario, plans: budget(12) }));
const quickly = Object.values(quick).map((scenario) => ({ scenario, plans: budget(60) }));

test.each([...whole, ...quickly])(
  "$scenario.name: whatever goes wrong, it ends as it should",
  async ({ scenario, plans }) => {
    const { failure } = await simulate(scenario, { plans });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);

test.each(Object.values(quick))(
  "$name: its web API is out of reach, begins anew, or loses its answers, and the run goes on",
  async ({ guards: _none, ...scenario }) => {
    const { failure } = await simulate(scenario, { only: ["P36", "P37", "P38"], plans: budget(6) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
