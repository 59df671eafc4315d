// How many pods a Deployment may have too many, and how many too few, while it changes them. Pure.
import { resolveIntOrPercent } from "@telltale/kinds";
import type { Deployment } from "@telltale/kinds/builtin";

export interface Budget {
  /** As many pods as are wanted in the end. */
  readonly wanted: number;
  /** Beyond those. */
  readonly surge: number;
  /** At least so many must be available. */
  readonly least: number;
}

export function budgetOf({ spec }: Deployment): Budget {
  const wanted = spec?.replicas ?? 1;
  const { type, rollingUpdate } = spec?.strategy ?? {};
  if (type === "Recreate") return { wanted, surge: 0, least: wanted };
  const surge = resolveIntOrPercent(rollingUpdate?.maxSurge ?? "25%", wanted, "up") ?? 0;
  const spare = resolveIntOrPercent(rollingUpdate?.maxUnavailable ?? "25%", wanted, "down") ?? 0;
  // With neither nothing could ever move.
  const missing = surge === 0 && spare === 0 ? 1 : spare;
  return { wanted, surge, least: wanted - Math.min(missing, wanted) };
}
