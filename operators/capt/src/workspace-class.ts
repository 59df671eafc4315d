// What a Workspace is to those that wait for it (3.6.2): one word for its two conditions. Pure.
import { type Condition, type Instant, type Ms, plus } from "@telltale/kinds";
import { findCondition, isTrue, since } from "@telltale/status";
import type { WorkspaceState } from "./kinds/capt-control-plane.ts";
import type { Workspace } from "./kinds/workspace.ts";
import { annotations } from "./names.ts";

/** Waiting is a state of its apply, not of a Workspace. */
export type WorkspaceClass = Exclude<WorkspaceState, "Waiting">;

/** For how long what the last good run left is taken to be there, while runs fail. */
export const believed: Ms = 1_800_000;

/** When that is over. Undefined: the last run went through, or nobody runs it at all. */
export function doubtedAt({ status }: Workspace): Instant | undefined {
  const synced = findCondition(status?.conditions, "Synced");
  if (synced?.status !== "False" || synced.reason === "ReconcilePaused") return undefined;
  const failing = since(status?.conditions, "Synced");
  return failing === undefined ? undefined : plus(failing, believed);
}

/** Whether nobody has seen for too long what a Workspace describes, whatever it says of it. */
export function isDoubted(workspace: Workspace, now: Instant): boolean {
  const at = doubtedAt(workspace);
  return at !== undefined && at <= now;
}

/** Undefined: it is not there, though its apply says that it made it. */
export function classify(workspace: Workspace | undefined, now: Instant): WorkspaceClass {
  if (workspace === undefined) return "Missing";
  const synced = syncedOf(workspace);
  const ready = readyOf(workspace);
  const isReady = ready?.status === "True" && !isDoubted(workspace, now);
  const isDeleting = ready?.status === "False" && ready.reason === "Deleting";
  if (isDeleting || workspace.metadata.deletionTimestamp !== undefined) return "Deleting";
  if (ready?.reason === "NoRunner") return "NoRunner";
  if (synced?.status === "False" && synced.reason === "ReconcilePaused") return "Paused";
  if (ready?.status === "False" && ready.reason === "Unavailable") return "NotReady";
  if (synced?.status === "False") return isReady ? "Degraded" : "Error";
  if (synced?.status === "True") return isReady ? "Available" : "Creating";
  return isReady ? "Degraded" : "Pending";
}

export const syncedOf = ({ status }: Workspace): Condition | undefined => findCondition(status?.conditions, "Synced");
export const readyOf = ({ status }: Workspace): Condition | undefined => findCondition(status?.conditions, "Ready");

/** Whether it is only pretended that there is anything: nothing that rests on it may seem real. */
export const isSimulated = ({ status }: Workspace): boolean => isTrue(status?.conditions, "Simulated");

/** Whether what the conditions say is about the spec as it is now. Older providers do not tell, and are believed. */
export function isCurrent({ metadata, status }: Workspace): boolean {
  const observed = status?.observedGeneration;
  // -1 is what our definition stores where nobody has said anything.
  return observed === undefined || observed < 0 || observed >= (metadata.generation ?? 0);
}

/** Errors of a run that no retry mends (12.7). */
const hopeless = ["InvalidConfiguration", "UnsupportedSource", "StateConflict"];

/** Whether the runner has given up on the spec as it is now. */
export function isHopeless(workspace: Workspace): boolean {
  const named = workspace.metadata.annotations?.[annotations.errorClass] ?? "";
  return syncedOf(workspace)?.status === "False" && hopeless.includes(named) && isCurrent(workspace);
}
