// The status of a Cluster in version v1beta1 (8.3). Pure.
import { type Instant, plus } from "@telltale/kinds";
import { type Draft, findCondition, text } from "@telltale/status";
import { validEndpoint } from "../endpoint.ts";
import { reshaped } from "../failure-domains.ts";
import type { FailureDomainMap } from "../kinds/capt-cluster.ts";
import type { ClusterV1beta1 } from "../kinds/cluster.ts";
import { writeFields } from "../status-fields.ts";
import {
  controlPlaneSaid,
  failureOf,
  infrastructureSaid,
  initializedSaid,
  type Said,
  sidesOf,
  simulatedSaid,
  summed,
} from "./conditions.ts";
import { phaseOf } from "./phase.ts";
import { wakeOf } from "./wake.ts";
import { isLeaving, objectOf, type World } from "./world.ts";

/** All that the bridge owns of it. */
export const ownedV1beta1 = [
  "phase",
  "observedGeneration",
  "conditions",
  "infrastructureReady",
  "controlPlaneReady",
  "failureReason",
  "failureMessage",
  "failureDomains",
] as const;

const words = {
  noInfrastructure: "WaitingForInfrastructure",
  notInitialized: "WaitingForControlPlaneProviderInitialized",
} as const;

type Type = "Ready" | "InfrastructureReady" | "ControlPlaneReady" | "ControlPlaneInitialized";

export function statusV1beta1(world: World, draft: Draft<typeof ClusterV1beta1>, now: Instant): void {
  const { cluster, infrastructure, controlPlane, paused } = world;
  if (paused !== undefined) {
    // This version has no condition for it: nothing is said, and nothing moves.
    draft.fail({ class: "waiting", reason: "Paused", message: text`paused`, retryAfter: 300_000 });
    return;
  }
  const failure = failureOf(world);
  const said: readonly (readonly [Type, Said | undefined])[] = [
    ["InfrastructureReady", infrastructureSaid(world, words)],
    ["ControlPlaneReady", controlPlaneSaid(world, "Ready")],
    ["ControlPlaneInitialized", initializedSaid(world, words)],
  ];
  const simulated = simulatedSaid(world);
  const isInitialized = findCondition(cluster.status?.conditions, "ControlPlaneInitialized")?.status === "True";
  draft.phase(
    phaseOf({
      isDeleting: isLeaving(cluster),
      hasFailed: failure !== undefined,
      isEndpointValid: validEndpoint(cluster.spec?.controlPlaneEndpoint) !== undefined,
      ...sidesOf(world, { provisioned: false, initialized: isInitialized }),
    }),
  );
  const cc = objectOf(infrastructure)?.status;
  // The shape that was asked for.
  const domains = reshaped(cc?.failureDomains, "map") as FailureDomainMap | undefined;
  writeFields<typeof ClusterV1beta1>(draft, {
    infrastructureReady: infrastructure.is === "none" || cc?.ready === true,
    controlPlaneReady: objectOf(controlPlane)?.status?.ready === true,
    failureReason: failure?.failureReason,
    failureMessage: failure?.failureMessage,
    failureDomains: domains as never,
  });
  for (const [type, it] of [
    ["Ready", summed(said, "Ready", simulated)] as const,
    ...said,
    ["Simulated", simulated] as const,
  ]) {
    if (it === undefined) draft.without(type);
    else {
      const { at, ...condition } = it;
      draft.state({ type, ...condition }, at === undefined ? {} : { at });
    }
  }
  const wake = wakeOf(world);
  if (wake !== undefined) draft.wake(plus(now, wake));
}
