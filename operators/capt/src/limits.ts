// How long an object waits for what: its own spec goes before the flags (9.1).
import type { Ms } from "@telltale/kinds";
import type { Timeouts } from "./config.ts";
import type { Limits } from "./deadlines.ts";
import type { CAPTCluster } from "./kinds/capt-cluster.ts";
import type { CAPTControlPlane } from "./kinds/capt-control-plane.ts";

/**
 * Minutes in objects, durations in flags. Where nobody says how long a Workspace may take, it has as long as what it is for: it
 * begins later, so that a clock of its own could only ever confuse who was first.
 */
export function networkLimits({ spec }: CAPTCluster, flags: Timeouts): Limits {
  const own = spec.timeouts;
  const vpc = minutes(own?.vpcReadyTimeout) ?? flags.vpcReady;
  return {
    overall: vpc,
    vpc,
    workspace: minutes(own?.workspaceReadyTimeout) ?? flags.workspaceReady ?? Number.POSITIVE_INFINITY,
    secret: minutes(own?.secretTimeout) ?? flags.secret,
  };
}

export function controlPlaneLimits({ spec }: CAPTControlPlane, flags: Timeouts): Limits {
  const own = spec.controlPlaneConfig?.timeouts;
  const overall = minutes(own?.controlPlaneTimeout) ?? flags.controlPlane;
  return {
    overall,
    vpc: minutes(own?.vpcReadyTimeout) ?? flags.vpcReady,
    workspace: minutes(own?.workspaceReadyTimeout) ?? flags.workspaceReady ?? Number.POSITIVE_INFINITY,
    secret: minutes(own?.secretTimeout) ?? flags.secret,
  };
}

const minutes = (count: number | undefined): Ms | undefined => (count === undefined ? undefined : count * 60_000);
