// What a pass over a CAPTControlPlane comes to: the row that was seen, the failure that is remembered, and the clocks, in this
// order. Readiness goes before timeouts. Pure.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { controlPlaneWaits, deadline, inMinutes } from "../deadlines.ts";
import { isTimeout, type Verdict, verdictOn } from "../failure.ts";
import { sanitize } from "../sanitize.ts";
import { errorOf } from "../workspace-conditions.ts";
import { nameOf } from "./credentials.ts";
import { partsSaid } from "./parts.ts";
import { type PlaneSaid, say } from "./say.ts";
import { type Hopeless, invalidEndpoint, type Sketch, sketch } from "./sketch.ts";
import { isInitialized, type World } from "./world.ts";

export type Decision =
  | { readonly is: "troubled" } // a request failed: what is known stays
  | { readonly is: "failed"; readonly seen: Sketch; readonly isRecoverable: boolean } // for good: only looked at
  | { readonly is: "failing"; readonly seen: Sketch; readonly failure: Failure; readonly isTerminal: boolean }
  | { readonly is: "overdue"; readonly seen: Sketch; readonly failure: Failure } // still, under the policy degraded
  | { readonly is: "going"; readonly seen: Sketch; readonly wakeAt: Instant };

export interface Failure {
  readonly token: Token;
  readonly message: SafeText;
}

export type Token = Hopeless | (typeof controlPlaneWaits)[number]["reason"] | "InvalidEndpoint";

const watching: Ms = 60_000;

export function decide(world: World, now: Instant): Decision {
  if (world.trouble !== undefined) return { is: "troubled" };
  const { it, policy, limits } = world;
  const { standing, isReset } = verdictOf(world);
  const seen = sketch(world);
  if (standing.is === "failed") {
    return { is: "failed", seen, isRecoverable: isTimeout(standing.token) && isArrived(world, seen, standing.token) };
  }
  if (seen.failure !== undefined) return { is: "failing", seen, failure: seen.failure, isTerminal: true };
  const wake = plus(now, seen.again);
  if (isInitialized(it) || seen.why === undefined) return { is: "going", seen, wakeAt: wake };
  if (standing.is === "overdue") {
    // It was a token of ours when it was written.
    return { is: "overdue", seen, failure: { token: standing.token as Token, message: text`${standing.message}` } };
  }
  const timeline = {
    before: it.status?.conditions ?? [],
    next: [creatingSaid(seen), ...partsSaid(world, seen.endpoint)],
    madeAt: it.metadata.creationTimestamp,
    isRestarted: isReset || isUnpaused(world),
    isOver: false,
  };
  const { expired, wakeAt } = deadline(controlPlaneWaits, timeline, limits, now);
  if (expired === undefined)
    return { is: "going", seen, wakeAt: wakeAt === undefined || wake < wakeAt ? wake : wakeAt };
  const failure = failureOf(world, seen, expired.reason, inMinutes(expired.limitOf(limits)));
  return { is: "failing", seen, failure, isTerminal: policy === "terminal" };
}

export const verdictOf = ({ it }: World): Verdict => verdictOn(it, "Failed");

/** Whether this is the first pass since it was paused: whoever waited waits anew. */
export const isUnpaused = ({ it }: World): boolean =>
  it.status?.conditions?.some(({ type, status }) => type === "Paused" && status === "True") ?? false;

export const failureWake = (now: Instant): Instant => plus(now, watching);

export function creatingSaid({ creating, why, row }: Sketch): PlaneSaid<"Creating"> {
  if (creating === "Ready") return say("Creating", "False", "Ready", text`not creating`);
  return say("Creating", "True", creating, why?.message ?? text`${row}`);
}

/**
 * Whether what was waited for is there, although nobody has written a kubeconfig: while it has failed, no Secret is made, so
 * that material which could be written is as good as written.
 */
function isArrived({ credentials, infrastructure }: World, { row }: Sketch, token: string): boolean {
  if (token === "VPCReadyTimeout") return infrastructure.is === "ready";
  return row === "P12" || (row === "P11" && credentials.kubeconfig.is === "valid");
}

function failureOf(world: World, { row, endpoint }: Sketch, token: Token, limit: string): Failure {
  if (token === "SecretTimeout" && row === "P10" && endpoint.is === "invalid") {
    return { token: "InvalidEndpoint", message: invalidEndpoint(world, endpoint.key) };
  }
  return { token, message: text`${awaited(world, row, token)} not ready within ${limit}: ${lastError(world)}` };
}

function awaited({ infrastructure, chain, credentials }: World, row: Sketch["row"], token: Token): string {
  if (token === "ControlPlaneTimeout") return "control plane";
  if (token === "VPCReadyTimeout") return "named" in infrastructure ? infrastructure.named : "CAPTCluster";
  if (token === "WorkspaceReadyTimeout") return `workspace ${chain.workspaceName ?? ""}`;
  return `Secret ${row === "P11" ? credentials.kubeconfig.place : nameOf(chain.secretPlace)}`;
}

/** Its own. That of the network is told by the network, which may fail at the very same moment. */
function lastError({ it, chain: { class: is, workspace } }: World): SafeText {
  if (workspace !== undefined && (is === "Error" || is === "Degraded")) return errorOf(workspace);
  return sanitize(it.status?.workspaceTemplateStatus?.lastFailureMessage ?? "no error reported");
}
