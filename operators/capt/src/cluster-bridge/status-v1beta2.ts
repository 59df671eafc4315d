// The status of a Cluster in version v1beta2 (8.3). Pure.
import { type Instant, plus } from "@telltale/kinds";
import { type Draft, type SafeText, text } from "@telltale/status";
import { validEndpoint } from "../endpoint.ts";
import { reshaped } from "../failure-domains.ts";
import type { FailureDomainList } from "../kinds/capt-cluster.ts";
import type { ClusterV1beta2 } from "../kinds/cluster.ts";
import { present, writeFields } from "../status-fields.ts";
import {
  controlPlaneSaid,
  failureOf,
  infrastructureSaid,
  initializedSaid,
  own,
  type Said,
  sidesOf,
  simulatedSaid,
  summed,
} from "./conditions.ts";
import { phaseOf } from "./phase.ts";
import { plan } from "./plan.ts";
import { wakeOf } from "./wake.ts";
import { isLeaving, objectOf, type World } from "./world.ts";

/** All that the bridge owns of it. */
export const ownedV1beta2 = [
  "phase",
  "observedGeneration",
  "conditions",
  "initialization",
  "failureDomains",
  "controlPlane",
  "deprecated",
] as const;

const words = { noInfrastructure: "ObjectDoesNotExist", notInitialized: "NotInitialized" } as const;

type Type =
  | "Available"
  | "InfrastructureReady"
  | "ControlPlaneInitialized"
  | "ControlPlaneAvailable"
  | "Paused"
  | "Simulated"
  | "Deleting";
type Stored = NonNullable<ClusterV1beta2["status"]>;

export function statusV1beta2(world: World, draft: Draft<typeof ClusterV1beta2>, now: Instant): void {
  const { cluster, infrastructure, controlPlane, paused } = world;
  // A Cluster that is read in this version has this version's status.
  const stored = (cluster.status ?? {}) as Stored;
  if (paused !== undefined) {
    draft.aside().state({ type: "Paused", ...own("True", "Paused", paused) });
    return;
  }
  const failure = failureOf(world);
  const sides = sidesOf(world, {
    provisioned: stored.initialization?.infrastructureProvisioned === true,
    initialized: stored.initialization?.controlPlaneInitialized === true,
  });
  draft.phase(
    phaseOf({
      isDeleting: isLeaving(cluster),
      hasFailed: failure !== undefined,
      isEndpointValid: validEndpoint(cluster.spec?.controlPlaneEndpoint) !== undefined,
      ...sides,
    }),
  );
  const initialization = {
    ...(sides.infrastructure === "waiting" ? {} : { infrastructureProvisioned: true }),
    ...(sides.controlPlane === "done" ? { controlPlaneInitialized: true } : {}),
  };
  const versions = objectOf(controlPlane)?.status?.versions;
  writeFields<typeof ClusterV1beta2>(draft, {
    initialization: unlessEmpty(initialization),
    // The shape that was asked for.
    failureDomains: reshaped(objectOf(infrastructure)?.status?.failureDomains, "list") as FailureDomainList as never,
    controlPlane: unlessEmpty({ ...stored.controlPlane, ...present({ versions }) }),
    deprecated: deprecated(stored, failure),
  });
  for (const [type, said] of saidOf(world)) {
    if (said === undefined) draft.without(type);
    else {
      const { at, severity: _none, ...condition } = said;
      draft.state({ type, ...condition }, at === undefined ? {} : { at });
    }
  }
  const wake = wakeOf(world);
  if (wake !== undefined) draft.wake(plus(now, wake));
}

function saidOf(world: World): readonly (readonly [Type, Said | undefined])[] {
  const said: readonly (readonly [Type, Said | undefined])[] = [
    ["InfrastructureReady", infrastructureSaid(world, words)],
    ["ControlPlaneInitialized", initializedSaid(world, words)],
    ["ControlPlaneAvailable", controlPlaneSaid(world, "Available")],
  ];
  const simulated = simulatedSaid(world);
  const deleting = deletingSaid(world);
  const leaving: Said | undefined = deleting.status === "True" ? own("False", "Deleting", deleting.message) : undefined;
  return [
    ["Available", leaving ?? summed(said, "Available", simulated)],
    ...said,
    ["Simulated", simulated],
    ["Paused", own("False", "NotPaused", text`not paused`)],
    ["Deleting", deleting],
  ];
}

function deletingSaid(world: World): Said {
  if (!isLeaving(world.cluster)) return own("False", "NotDeleting", text`not deleting`);
  const planned = plan(world);
  const next = planned.do === "delete" ? planned.next : "nothing";
  const { machines, controlPlane, infrastructure } = world;
  const named = (what: string, it: { readonly name?: string }): SafeText => text`waiting for ${what} ${it.name ?? ""}`;
  if (next === "machines") {
    return own("True", "WaitingForMachineDeletion", text`waiting for ${machines.length} machines`);
  }
  if (next === "controlPlane") {
    const message = named("CAPTControlPlane", controlPlane as { name?: string });
    return own("True", "WaitingForControlPlaneDeletion", message);
  }
  if (next === "infrastructure") {
    const message = named("CAPTCluster", infrastructure as { name?: string });
    return own("True", "WaitingForInfrastructureDeletion", message);
  }
  return own("True", "DeletionCompleted", text`everything is gone`);
}

/** What others keep there stays. */
function deprecated(stored: Stored, failure: ReturnType<typeof failureOf>): Stored["deprecated"] | undefined {
  const { failureReason: _reason, failureMessage: _message, ...others } = stored.deprecated?.v1beta1 ?? {};
  const v1beta1 = unlessEmpty({ ...others, ...failure });
  return v1beta1 === undefined ? undefined : { v1beta1 };
}

const unlessEmpty = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value;
