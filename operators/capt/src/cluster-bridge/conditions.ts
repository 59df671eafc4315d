// What a Cluster says of its two sides, before it is put into the shape of a version. Pure.
import type { Condition, ConditionStatus } from "@telltale/kinds";
import { findCondition, isTrue, type SafeText, text } from "@telltale/status";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { nothingReal } from "../provider/words.ts";
import { sanitize } from "../sanitize.ts";
import type { Side } from "./phase.ts";
import type { ClusterReason } from "./reasons.ts";
import { roleKinds } from "./references.ts";
import { objectOf, type Provider, type World } from "./world.ts";

export interface Said {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: SafeText;
  /** Since when, where it repeats somebody else's condition. */
  readonly at?: string;
  readonly severity?: "Info" | "Error";
}

/** A reason for what is not there: the two versions have different words. */
export interface Words {
  readonly noInfrastructure: ClusterReason;
  readonly notInitialized: ClusterReason;
}

type Failing = { readonly failureReason?: string; readonly failureMessage?: string } | undefined;
const hasFailed = (status: Failing): boolean =>
  status?.failureReason !== undefined || status?.failureMessage !== undefined;

/** Undefined: the Cluster names none. */
export function infrastructureSaid({ infrastructure }: World, { noInfrastructure }: Words): Said | undefined {
  if (infrastructure.is === "none") return undefined;
  const found = objectOf(infrastructure);
  const source = findCondition(found?.status?.conditions, "Ready");
  if (source !== undefined) return repeated(source, hasFailed(found?.status));
  const reason = infrastructure.is === "absent" ? noInfrastructure : "WaitingForInfrastructure";
  return waiting(reason, missing(infrastructure, roleKinds.infrastructure.kind));
}

/** `type`: the condition of the control plane that is repeated. */
export function controlPlaneSaid({ controlPlane }: World, type: "Ready" | "Available"): Said | undefined {
  if (controlPlane.is === "none") return undefined;
  const found = objectOf(controlPlane);
  const source = findCondition(found?.status?.conditions, type);
  if (source !== undefined) return repeated(source, hasFailed(found?.status));
  return waiting("WaitingForControlPlane", missing(controlPlane, roleKinds.controlPlane.kind));
}

/** Once True it stays: a control plane that was there is not undone by trouble. */
export function initializedSaid({ cluster, controlPlane }: World, { notInitialized }: Words): Said | undefined {
  if (controlPlane.is === "none") return undefined;
  const stored = findCondition(cluster.status?.conditions, "ControlPlaneInitialized")?.status === "True";
  if (stored || objectOf(controlPlane)?.status?.initialized === true) {
    return own("True", "Initialized", text`the control plane is initialized`);
  }
  return waiting(
    notInitialized,
    text`waiting for ${roleKinds.controlPlane.kind} ${controlPlane.name} to be initialized`,
  );
}

/** Whatever rests on a simulated run is never told as real. Undefined: nothing does. */
export function simulatedSaid({ infrastructure, controlPlane }: World): Said | undefined {
  for (const [provider, { kind }] of [
    [infrastructure, roleKinds.infrastructure],
    [controlPlane, roleKinds.controlPlane],
  ] as const) {
    const object = objectOf<CAPTCluster | CAPTControlPlane>(provider);
    if (object === undefined || !isTrue(object.status?.conditions, "Simulated")) continue;
    return own("True", "Simulated", text`${kind} ${object.metadata.name ?? ""}: ${nothingReal}`);
  }
  return undefined;
}

/** All of the others are True, or what the first says that is not. */
export function summed(
  all: readonly (readonly [string, Said | undefined])[],
  ok: ClusterReason,
  simulated: Said | undefined,
): Said {
  for (const [type, said] of all) {
    if (said === undefined || said.status === "True") continue;
    const { status, reason, severity } = said;
    const message = text`${type}: ${said.message}`;
    return { status, reason, message, ...(severity === undefined ? {} : { severity }) };
  }
  return simulated ?? own("True", ok, text``);
}

export interface FailureSaid {
  readonly failureReason?: string;
  readonly failureMessage?: string;
}

/** The infrastructure's failure, else the control plane's; named, because a person reads it on the Cluster. */
export function failureOf({ infrastructure, controlPlane }: World): FailureSaid | undefined {
  for (const [kind, provider] of [
    [roleKinds.infrastructure.kind, infrastructure],
    [roleKinds.controlPlane.kind, controlPlane],
  ] as const) {
    const object = objectOf<{
      readonly metadata: { namespace?: string; name?: string };
      readonly status?: FailureSaid;
    }>(provider);
    const { failureReason, failureMessage } = object?.status ?? {};
    if (object === undefined || !hasFailed(object.status)) continue;
    const { namespace = "", name = "" } = object.metadata;
    return {
      ...(failureReason === undefined ? {} : { failureReason }),
      failureMessage: `${kind} ${namespace}/${name}: ${sanitize(failureMessage ?? "")}`,
    };
  }
  return undefined;
}

/** How far each side is, once and for all. `known`: what the Cluster has said already. */
export function sidesOf(
  { infrastructure, controlPlane }: World,
  known: { readonly provisioned: boolean; readonly initialized: boolean },
): { readonly infrastructure: Side; readonly controlPlane: Side } {
  const isProvisioned = known.provisioned || objectOf(infrastructure)?.status?.initialization?.provisioned === true;
  const isInitialized = known.initialized || objectOf(controlPlane)?.status?.initialized === true;
  return {
    infrastructure: infrastructure.is === "none" ? "none" : isProvisioned ? "done" : "waiting",
    controlPlane: controlPlane.is === "none" ? "none" : isInitialized ? "done" : "waiting",
  };
}

function repeated({ status, reason, message, lastTransitionTime }: Condition, isFailed: boolean): Said {
  return {
    status,
    reason,
    message: sanitize(message),
    at: lastTransitionTime,
    ...(status === "False" ? { severity: isFailed ? "Error" : "Info" } : {}),
  };
}

/** In words of the bridge's own. */
export const own = (status: ConditionStatus, reason: ClusterReason, message: SafeText): Said => ({
  status,
  reason,
  message,
});

const waiting = (reason: ClusterReason, message: SafeText): Said => ({
  ...own("False", reason, message),
  severity: "Info",
});

function missing(provider: Provider<unknown>, kind: string): SafeText {
  if (provider.is === "foreign") return text`${provider.kind} ${provider.name} is not this operator's`;
  const name = provider.is === "none" ? "" : provider.name;
  return provider.is === "absent" ? text`${kind} ${name} does not exist` : text`${kind} ${name} has not reported yet`;
}
