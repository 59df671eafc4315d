// Sets and policies under faults. `TELLTALE_PLANS=10` tries ten times as many plans.
import { budget, replay, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { changed, deleted, grows, outage, policed, replaced, surged } from "./sets.scenarios.ts";

// The quick run leaves out what another one does as well.
const all = [grows, surged, changed, deleted, policed, ...(budget(1) > 1 ? [replaced] : [])];

test.each(all)(
  "$name: whatever goes wrong, it ends as it should",
  async (scenario) => {
    const { failure } = await simulate(scenario, { plans: budget(1) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);

test("a roll-out during which the provider cannot be reached for minutes takes one machine at a time", async () => {
  const { failure } = await simulate(outage, { plans: budget(1) });
  expect(failure === undefined ? "" : story(failure)).toBe("");
}, 600_000);

test("a set whose revision's name is taken by somebody else says at once that it is not done", async () => {
  const on = "/apps/controllerrevisions/default/web-6dd7f4bcd4";
  const at = "/data/spec/providerRef/name";
  const fault = { p: "P30", how: "replaced", write: 19, on, kind: "ControllerRevision", at };
  const { violations } = await replay(grows, { seed: 901, faults: [fault] });
  expect(violations).toEqual([]);
});

test("machines that became ready by a clock that was ahead are available once it is put right", async () => {
  const { violations } = await replay(outage, { seed: 1, faults: [{ p: "P24", write: 1, by: 3_600_000 }] });
  expect(violations).toEqual([]);
});
