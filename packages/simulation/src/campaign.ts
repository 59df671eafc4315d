// Several scenarios, one after the other.
import type { Scenario } from "./scenario.ts";
import { type Report, type SimulateOptions, simulate } from "./simulate.ts";

/** A report for each. One that fails does not keep the others from being tried. */
export async function runCampaign(
  scenarios: readonly Scenario[],
  options: SimulateOptions = {},
): Promise<readonly Report[]> {
  const reports: Report[] = [];
  for (const scenario of scenarios) reports.push(await simulate(scenario, options));
  return reports;
}

/** So many plans, times `TELLTALE_PLANS` where that is set: a test at each edit tries some, the nightly one ten times as many. */
export function budget(plans: number): number {
  const factor = Number(process.env["TELLTALE_PLANS"] ?? 1);
  if (!(factor > 0))
    throw new TypeError(`TELLTALE_PLANS is "${process.env["TELLTALE_PLANS"]}"; give a factor, such as 10`);
  return Math.ceil(plans * factor);
}
