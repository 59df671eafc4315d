// What a CAPTCluster says of itself, given what was seen and decided. Pure.
import type { Instant } from "@telltale/kinds";
import { type Draft, text } from "@telltale/status";
import { clockConditions } from "../deadlines.ts";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import { forget, speak } from "../provider/say.ts";
import { isPretended, nothingReal, recovered } from "../provider/words.ts";
import type { TypeOf } from "../said.ts";
import { writeFields } from "../status-fields.ts";
import { decide, failureWake, type Made, verdictOf } from "./decide.ts";
import { endpointSaid, hasEndpointStep } from "./endpoint-step.ts";
import { fieldsOf } from "./fields.ts";
import { failed, type NetworkSaid, type Sketch, say } from "./sketch.ts";
import { isProvisioned, type World } from "./world.ts";

type Kind = typeof CAPTCluster;
type NetworkDraft = Draft<Kind>;

export function status(world: World, draft: NetworkDraft, now: Instant): void {
  const decision = decide(world, now);
  if (decision.is === "troubled") {
    troubled(world, draft, now);
    return;
  }
  speak<TypeOf<Kind>>(world, draft, {
    said: conditionsOf(world, decision),
    gone: goneOf(world, decision),
    all: allTypes,
    clocks: clockConditions.network,
    making: "VPCCreating",
    isReset: verdictOf(world).isReset,
    isOver: isProvisioned(world.it) || decision.is === "failed",
  });
  writeFields(draft, fieldsOf(world, decision));
  draft.wake(wakeOf(world, decision, now));
}

/** C16: one condition at most, and only of what was never ready. Nothing is forgotten for a request that failed, unless that lasts. */
function troubled(world: World, draft: NetworkDraft, now: Instant): void {
  const { it, trouble } = world;
  if (trouble === undefined) return;
  if (world.isBlind === true && isProvisioned(it)) {
    forget(world, draft, ["Ready", "VPCReady", ...below], now);
    draft.unset("ready");
    return;
  }
  const { message, retryAfter } = trouble;
  const reason = "VPCReconciliationFailed";
  const { standing, isReset } = verdictOf(world);
  const isTold = !isProvisioned(it) && standing.is === "well" && !isReset;
  if (isTold) draft.condition("Ready", "Unknown", reason, message).set({ ready: it.status?.ready ?? false });
  // Of these two only the first is written, with VPCReady; both are tried again, later and later.
  const how = isTold ? "transient" : "throttled";
  draft.fail({ class: how, reason, message, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

function conditionsOf(world: World, decision: Made): readonly NetworkSaid[] {
  const { seen } = decision;
  const below = seen.below === "omit" ? [] : seen.below;
  const always = [say("Paused", "False", "NotPaused", text`not paused`), ...simulated(world)];
  if (decision.is === "failed") return [...below, ...always, ...recovery(decision)];
  const rest = [
    ...always,
    say("Deleting", "False", "NotDeleting", text`not deleting`),
    ...(hasEndpointStep(seen.row) ? [endpointSaid(world)] : []),
  ];
  if (decision.is === "going") {
    const notFailed = say("VPCFailed", "False", "NotFailed", text`not failed`);
    return [...readiness(seen), seen.creating, notFailed, ...below, ...rest];
  }
  const { token, message } = decision.failure;
  return [
    say("VPCReady", "False", token, message),
    say("Ready", "False", token, message),
    failed,
    say("VPCFailed", "True", token, message),
    ...below,
    ...rest,
  ];
}

/** `Ready` repeats `VPCReady`; only a contradiction in the spec of a network that is there is told by `Ready` alone. */
function readiness({ vpc, wrong }: Sketch): readonly NetworkSaid[] {
  if (vpc === undefined) return [];
  if (wrong !== undefined) return [vpc, say("Ready", "False", "InvalidVPCConfig", wrong)];
  const { status: is, reason, message } = vpc;
  return [
    vpc,
    { type: "Ready", status: is, reason: is === "True" && reason !== "Simulated" ? "Ready" : reason, message },
  ];
}

const simulated = ({ chain }: World): readonly NetworkSaid[] =>
  isPretended(chain) ? [say("Simulated", "True", "Simulated", text`VPC: ${nothingReal}`)] : [];

function recovery({ seen, isRecoverable }: Extract<Made, { is: "failed" }>): readonly NetworkSaid[] {
  if (!isRecoverable) return [];
  return [say("RecoveryAvailable", "True", "ReadyAfterTimeout", recovered(`VPC ${seen.vpcId ?? ""}`))];
}

const below = ["WorkspaceSynced", "WorkspaceReady", "ConnectionSecretReady"] as const;

function goneOf({ chain }: World, decision: Made): readonly TypeOf<Kind>[] {
  const isRecovered = decision.is === "failed" && decision.isRecoverable;
  const omitted = decision.seen.below === "omit" && decision.is !== "failed" ? below : [];
  return [
    ...(isRecovered ? [] : ["RecoveryAvailable" as const]),
    ...(isPretended(chain) ? [] : ["Simulated" as const]),
    ...omitted,
  ];
}

const allTypes: readonly TypeOf<Kind>[] = [
  "Ready",
  ...below,
  "EndpointReady",
  "VPCCreating",
  "VPCFailed",
  "VPCReady",
  "Paused",
  "Deleting",
];

function wakeOf({ it }: World, decision: Made, now: Instant): Instant | undefined {
  if (decision.is === "going") return decision.wakeAt;
  return failureWake(decision.is === "failed" ? (it.status?.failureReason ?? "") : decision.failure.token, now);
}
