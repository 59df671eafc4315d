// What a CAPTControlPlane says of itself, given what was seen and decided. Pure.
import type { Instant } from "@telltale/kinds";
import { type Draft, text } from "@telltale/status";
import { clockConditions } from "../deadlines.ts";
import { formatEndpoint } from "../endpoint.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { failureWake } from "../provider/decide.ts";
import { forget, speak } from "../provider/say.ts";
import { nothingReal, recovered } from "../provider/words.ts";
import { writeFields } from "../status-fields.ts";
import { creatingSaid, decide, type Made, verdictOf } from "./decide.ts";
import { fieldsOf } from "./fields.ts";
import { infrastructureSaid, isSimulated, partsSaid } from "./parts.ts";
import { type PlaneSaid, type PlaneType, say } from "./say.ts";
import { atWork, type Sketch } from "./sketch.ts";
import { isInitialized, type World } from "./world.ts";

type PlaneDraft = Draft<typeof CAPTControlPlane>;

export function status(world: World, draft: PlaneDraft, now: Instant): void {
  const decision = decide(world, now);
  if (decision.is === "troubled") {
    troubled(world, draft, now);
    return;
  }
  const isRecovered = decision.is === "failed" && decision.isRecoverable;
  speak<PlaneType>(world, draft, {
    said: conditionsOf(world, decision),
    gone: [
      ...(isRecovered ? [] : ["RecoveryAvailable" as const]),
      ...(isSimulated(world) ? [] : ["Simulated" as const]),
    ],
    all: allTypes,
    clocks: clockConditions.controlPlane,
    making: "Creating",
    isReset: verdictOf(world).isReset,
    isOver: isInitialized(world.it) || decision.is === "failed",
  });
  const phase = phaseOf(world, decision);
  if (phase !== undefined) draft.phase(phase);
  writeFields(draft, fieldsOf(world, decision));
  draft.wake(decision.is === "going" ? decision.wakeAt : failureWake(now));
}

/** P17: nothing changes for a request that failed, unless that lasts. */
function troubled(world: World, draft: PlaneDraft, now: Instant): void {
  const { trouble, it } = world;
  if (trouble === undefined) return;
  if (world.isBlind === true && isInitialized(it)) {
    forget(world, draft, beyond, now);
    draft.state(infrastructureSaid(world)).unset("ready", "secretsReady");
    return;
  }
  const { message, retryAfter } = trouble;
  draft.fail({ class: "throttled", reason: "Creating", message, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

/** What is asked of the server each time. */
const beyond = [
  "Ready",
  "Available",
  "WorkspaceSynced",
  "WorkspaceReady",
  "ConnectionSecretReady",
  "EndpointReady",
  "KubeconfigReady",
  "CertificatesAvailable",
] as const;

function phaseOf({ it }: World, decision: Made): "Creating" | "Ready" | "Failed" | undefined {
  if (decision.is === "failed") return undefined;
  if (decision.is !== "going") return "Failed";
  return isInitialized(it) || decision.seen.why === undefined ? "Ready" : "Creating";
}

function conditionsOf(world: World, decision: Made): readonly PlaneSaid[] {
  const { seen } = decision;
  const parts = partsSaid(world, seen.endpoint);
  const always = [say("Paused", "False", "NotPaused", text`not paused`), ...simulated(world)];
  if (decision.is === "failed") {
    return [...parts, ...always, ...recovery(world, decision)];
  }
  const rest = [...parts, ...always, say("Deleting", "False", "NotDeleting", text`not deleting`)];
  if (decision.is === "going") {
    const failed = say("Failed", "False", "NotFailed", text`not failed`);
    return [...readiness(world, seen), creatingSaid(seen), failed, ...rest];
  }
  const { token, message } = decision.failure;
  return [
    say("Ready", "False", token, message),
    say("Available", "False", token, message),
    say("Initialized", "False", token, message),
    say("Creating", "False", "Failed", text`not creating`),
    say("Failed", "True", token, message),
    ...rest,
  ];
}

function readiness(world: World, { why, endpoint }: Sketch): readonly PlaneSaid[] {
  const message = isSimulated(world) ? text`${atWork(world, endpoint)}: ${nothingReal}` : atWork(world, endpoint);
  const initialized = say("Initialized", "True", "Initialized", message);
  if (why === undefined) {
    const available = say("Available", "True", isSimulated(world) ? "Simulated" : "Available", message);
    return [say("Ready", "True", isSimulated(world) ? "Simulated" : "Ready", message), available, initialized];
  }
  const { status: is = "False", reason } = why;
  return [
    { type: "Ready", status: is, reason, message: why.message },
    { type: "Available", status: is, reason, message: why.message },
    isInitialized(world.it)
      ? initialized
      : say("Initialized", "False", reason === "NotSeen" ? "WorkspaceNotReady" : reason, why.message),
  ];
}

const simulated = (world: World): readonly PlaneSaid[] =>
  isSimulated(world) ? [say("Simulated", "True", "Simulated", text`control plane: ${nothingReal}`)] : [];

function recovery(
  { it, infrastructure }: World,
  { seen, isRecoverable }: Extract<Made, { is: "failed" }>,
): readonly PlaneSaid[] {
  if (!isRecoverable) return [];
  const { endpoint } = seen;
  const plane = endpoint.is === "found" ? `control plane at ${formatEndpoint(endpoint.endpoint)}` : "control plane";
  const isNetwork = it.status?.failureReason === "VPCReadyTimeout" && "named" in infrastructure;
  const what = isNetwork ? infrastructure.named : plane;
  return [say("RecoveryAvailable", "True", "ReadyAfterTimeout", recovered(what))];
}

const allTypes: readonly PlaneType[] = [
  "Available",
  "Ready",
  "CertificatesAvailable",
  "ConnectionSecretReady",
  "Creating",
  "EndpointReady",
  "Failed",
  "InfrastructureReady",
  "Initialized",
  "KubeconfigReady",
  "RollingOut",
  "WorkspaceReady",
  "WorkspaceSynced",
  "Paused",
  "Deleting",
];
