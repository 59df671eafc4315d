// Clusters of nameservers under faults. `TELLTALE_PLANS=10` tries ten times as many plans, and every way in which a Bindcar goes wrong.
import type { Condition } from "@telltale/kinds";
import { budget, replay, type Scenario, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import {
  crashing,
  created,
  deleted,
  faults,
  faulty,
  rolled,
  scaled,
  twoZones,
  upstream,
  upstreamFaults,
} from "./scenarios.ts";

const some = ["http-503", "hang", "garbage"].map(faulty);

const lives = [created, scaled, crashing, deleted, twoZones, upstream].map((scenario) => ({
  scenario,
  plans: budget(4),
}));
const troubles = [...(budget(1) > 1 ? faults : some), ...upstreamFaults].map((scenario) => ({
  scenario,
  plans: budget(2),
}));

test.each([...lives, ...troubles])(
  "$scenario.name: whatever goes wrong, it ends as it should",
  async ({ scenario, plans }) => {
    const { failure } = await simulate(scenario, { plans });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);

test.each([created, rolled, upstream])(
  "$name: pods are out of reach, begin anew, or lose their answers, and names are answered meanwhile",
  async (scenario) => {
    const { failure } = await simulate(scenario, { only: ["P36", "P37", "P38"], plans: budget(4) });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  },
  600_000,
);

/**
 * Two failures in a row turn it, one success turns it back: of a Bindcar that fails every other time there are two of these. One that
 * only throttles is not known to be broken: what it has is Unknown for as long.
 */
const exceptions: Readonly<Record<string, number>> = { "bindcar-flap": 6, "bindcar-lossy": 2, "bindcar-http-429": 3 };

/** How often `Ready` of an object turns at most: to Unknown and to True to begin with, and there and back for each thing that happens. */
const turns: readonly (readonly [Scenario, number])[] = [
  [created, 2],
  [scaled, 3],
  [crashing, 5],
  [deleted, 3],
  [twoZones, 2],
  ...(budget(1) > 1 ? faults : ["http-503", "flap"].map(faulty)).map((it): [Scenario, number] => [
    it,
    exceptions[it.name] ?? 4,
  ]),
];

test.each(turns)("no flapping: Ready turns for a cause only in $name", async (scenario, most) => {
  const { seen, violations } = await replay(scenario, { seed: 1, faults: [] });
  const words = new Map<string, string[]>();
  for (const { key, after } of seen.changes) {
    const { status } = after as { readonly status?: { readonly conditions?: readonly Condition[] } };
    const ready = key.includes("bindy") && status?.conditions?.find(({ type }) => type === "Ready");
    if (ready) words.set(key, [...(words.get(key) ?? []), ready.status]);
  }
  const counts = [...words.values()].map((all) => all.filter((it, i) => i > 0 && it !== all[i - 1]).length);
  expect(violations).toEqual([]);
  expect(Math.max(...counts)).toBe(most);
});
