// What a policy counts of the placements by it (3.5 step 6). The VirtualMachine controller writes it, once per attempt. Pure.
import { formatTime, type Instant, type Ms, parseGoDuration } from "@telltale/kinds";
import type { VMPlacementPolicyStatus } from "../kinds/index.ts";
import type { Decision } from "./decision.ts";

export type PlacementStats = NonNullable<VMPlacementPolicyStatus["placementStats"]>;

export type Outcome =
  | { readonly is: "placed"; readonly at: Decision } // and the provider took it
  | { readonly is: "nowhere"; readonly violations: number };

/** `took`: from the first attempt until the provider took it. */
export function statsAfter(
  stats: PlacementStats | undefined,
  outcome: Outcome,
  took: Ms,
  now: Instant,
): PlacementStats {
  const { totalPlacements = 0, successfulPlacements = 0, failedPlacements = 0, constraintViolations = 0 } = stats ?? {};
  const counted = { ...stats, totalPlacements: totalPlacements + 1 };
  if (outcome.is === "nowhere") {
    return {
      ...counted,
      failedPlacements: failedPlacements + 1,
      constraintViolations: constraintViolations + outcome.violations,
    };
  }
  const before = parseGoDuration(stats?.averagePlacementTime ?? "0s") ?? 0;
  const mean = (before * successfulPlacements + took) / (successfulPlacements + 1);
  return {
    ...counted,
    successfulPlacements: successfulPlacements + 1,
    lastPlacementTime: formatTime(now),
    averagePlacementTime: `${Math.round(mean) / 1000}s`,
    ...distributed(stats, outcome.at),
  };
}

/** As many keys as the schema allows, with one for all that come later. */
const maxKeys = 1_000;
const otherPlaces = "other";

/** By host, where one was chosen, else by cluster. */
function distributed(
  stats: PlacementStats | undefined,
  { host, cluster }: Decision,
): Pick<PlacementStats, "placementDistribution"> {
  const place = host !== undefined ? `host:${host}` : cluster !== undefined ? `cluster:${cluster}` : undefined;
  if (place === undefined) return {};
  const { placementDistribution: before = {} } = stats ?? {};
  const isKnown = place in before || Object.keys(before).length < maxKeys - 1;
  const key = isKnown ? place : otherPlaces;
  return { placementDistribution: { ...before, [key]: (before[key] ?? 0) + 1 } };
}
