// Machines under faults: whatever goes wrong, there is exactly one in the end, or none where there should be none.
// `TELLTALE_PLANS=10` tries ten times as many.
import { budget, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { scenarios } from "./scenarios.ts";

test.each(Object.values(scenarios))(
  "$name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans: budget(20) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);

const alike = new Set(["vsphere", "lost", "vanished", "resized"]);

test.each(Object.entries(scenarios).flatMap(([key, it]) => (alike.has(key) ? [] : it)))(
  "$name: its host is out of reach, begins anew, or loses its answers, and nothing comes to harm meanwhile",
  async (scenario) => {
    const { failure } = await simulate(scenario, { only: ["P36", "P37", "P38"], plans: budget(4) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);
