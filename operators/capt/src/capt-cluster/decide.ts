// What a pass over a CAPTCluster comes to: the row that was seen, the failure that is remembered, and the clocks, in this
// order. Readiness goes before timeouts. Pure.
import type { Instant, Ms } from "@telltale/kinds";
import { plus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { deadline, inMinutes, networkWaits } from "../deadlines.ts";
import { isTimeout, type Verdict, verdictOn } from "../failure.ts";
import { sanitize } from "../sanitize.ts";
import { errorOf } from "../workspace-conditions.ts";
import { type Hopeless, type NetworkSaid, placeOf, type Sketch, sketch } from "./sketch.ts";
import { isProvisioned, type World } from "./world.ts";

export type Decision =
  | { readonly is: "troubled" } // a request failed: what is known stays
  | { readonly is: "failed"; readonly seen: Sketch; readonly isRecoverable: boolean } // for good: only looked at
  | { readonly is: "failing"; readonly seen: Sketch; readonly failure: Failure; readonly isTerminal: boolean }
  | { readonly is: "overdue"; readonly seen: Sketch; readonly failure: Failure } // still, under the policy degraded
  | { readonly is: "going"; readonly seen: Sketch; readonly wakeAt: Instant | undefined };

export interface Failure {
  readonly token: Token;
  readonly message: SafeText;
}

export type Token = Hopeless | (typeof networkWaits)[number]["reason"];

const watching: Ms = 60_000;

export function decide(world: World, now: Instant): Decision {
  if (world.trouble !== undefined) return { is: "troubled" };
  const { it, policy, limits } = world;
  const { standing, isReset } = verdictOf(world);
  const seen = sketch(world);
  if (standing.is === "failed") {
    return { is: "failed", seen, isRecoverable: seen.row === "C11" && isTimeout(standing.token) };
  }
  if (seen.failure !== undefined) return { is: "failing", seen, failure: seen.failure, isTerminal: true };
  const wake = seen.again === undefined ? undefined : plus(now, seen.again);
  const isDone = isProvisioned(it) || seen.ready === true;
  if (isDone) return { is: "going", seen, wakeAt: wake };
  if (standing.is === "overdue") {
    // It was a token of ours when it was written.
    return { is: "overdue", seen, failure: { token: standing.token as Token, message: text`${standing.message}` } };
  }
  const timeline = {
    before: it.status?.conditions ?? [],
    next: saidOf(seen),
    madeAt: it.metadata.creationTimestamp,
    isRestarted: isReset || isUnpaused(world),
    isOver: false,
  };
  const { expired, wakeAt } = deadline(networkWaits, timeline, limits, now);
  if (expired === undefined) return { is: "going", seen, wakeAt: earlier(wake, wakeAt) };
  const limit = inMinutes(expired.limitOf(limits));
  const message = text`${awaited(world, expired.reason)} not ready within ${limit}: ${lastError(world)}`;
  return { is: "failing", seen, failure: { token: expired.reason, message }, isTerminal: policy === "terminal" };
}

export const verdictOf = ({ it }: World): Verdict => verdictOn(it, "VPCFailed");

/** Whether this is the first pass since it was paused: whoever waited waits anew. */
export const isUnpaused = ({ it }: World): boolean =>
  it.status?.conditions?.some(({ type, status }) => type === "Paused" && status === "True") ?? false;

/** The moment at which a failure is looked at again. Nothing but an edit mends a contradiction. */
export const failureWake = (token: string, now: Instant): Instant | undefined =>
  token === "InvalidVPCConfig" ? undefined : plus(now, watching);

/** The conditions of a row that clocks may look at. */
function saidOf({ creating, below }: Sketch): readonly NetworkSaid[] {
  return [creating, ...(below === "omit" ? [] : below)];
}

function awaited({ chain }: World, token: Token): string {
  if (token === "VPCReadyTimeout") return "VPC";
  return token === "SecretTimeout" ? `Secret ${placeOf(chain)}` : `workspace ${chain.workspaceName ?? ""}`;
}

function lastError({ it, chain: { class: is, workspace } }: World): SafeText {
  if (workspace !== undefined && (is === "Error" || is === "Degraded")) return errorOf(workspace);
  return sanitize(it.status?.workspaceTemplateStatus?.lastFailureMessage ?? "no error reported");
}

const earlier = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;
