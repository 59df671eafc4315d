// What a pod asks for and may use: what the test says as a whole, or what the operator is set up with.
import type { Config, Resources, Role } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import type { ResourceRequirements } from "./types.ts";

/** A test that says anything says everything: nothing is merged into it. */
export function buildResources(spec: LocustTestSpec, role: Role, config: Config): ResourceRequirements {
  const own = spec[role].resources;
  return own !== undefined && saysSomething(own) ? own : requirements(config.resources[role]);
}

export function requirements({ requests, limits }: Resources): ResourceRequirements {
  return {
    ...(Object.keys(requests).length > 0 && { requests: { ...requests } }),
    ...(Object.keys(limits).length > 0 && { limits: { ...limits } }),
  };
}

function saysSomething({ requests = {}, limits = {}, claims = [] }: ResourceRequirements): boolean {
  return Object.keys(requests).length + Object.keys(limits).length + claims.length > 0;
}
