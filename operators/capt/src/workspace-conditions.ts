// What a Workspace says, in the words of those that wait for it: `WorkspaceSynced` and `WorkspaceReady` of both providers. Pure.
import type { Condition } from "@telltale/kinds";
import { type NewCondition, type SafeText, text } from "@telltale/status";
import type { Chain } from "./chain.ts";
import type { Workspace } from "./kinds/workspace.ts";
import { sanitize } from "./sanitize.ts";
import { isSimulated, readyOf, syncedOf } from "./workspace-class.ts";

type Mirrored = NewCondition<"WorkspaceSynced" | "WorkspaceReady">;

/** `wasReady`: what is made of it could be used once, and nothing is waited for. */
export function workspaceConditions(chain: Chain, wasReady: boolean): readonly Mirrored[] {
  return [syncedSaid(chain), readySaid(chain, wasReady)];
}

/** The text of the error that a Workspace reports. */
export function errorOf(workspace: Workspace): SafeText {
  const synced = syncedOf(workspace);
  const said = synced?.status === "False" ? synced : (readyOf(workspace) ?? synced);
  const message = sanitize(said?.message ?? "");
  return message === "" ? sanitize(said?.reason ?? "no error reported") : message;
}

function syncedSaid({ workspace, workspaceName = "" }: Chain): Mirrored {
  const found = workspace === undefined ? undefined : syncedOf(workspace);
  if (found === undefined || found.status === "Unknown") {
    const message =
      workspaceName === "" ? text`workspace not created yet` : text`workspace ${workspaceName} has not reported yet`;
    return { type: "WorkspaceSynced", status: "Unknown", reason: "NotYetReported", message };
  }
  const { status } = found;
  const message = told(found, text`workspace ${workspaceName} is synced`);
  if (status === "True") return { type: "WorkspaceSynced", status, reason: "ReconcileSuccess", message };
  const isPending = found.message?.includes("external-create-pending") === true;
  const known = found.reason === "ReconcilePaused" ? "ReconcilePaused" : "ReconcileError";
  return { type: "WorkspaceSynced", status, reason: isPending ? "ExternalCreatePending" : known, message };
}

/** Unknown: it was never made, or it was there and nobody can tell whether it still is. False: it is waited for, or it says so. */
function readySaid(chain: Chain, wasReady: boolean): Mirrored {
  const { class: is, workspace, workspaceName = "" } = chain;
  const say = (status: Mirrored["status"], reason: string, message: SafeText): Mirrored => ({
    type: "WorkspaceReady",
    status,
    reason,
    message,
  });
  const waited = wasReady ? "Unknown" : "False";
  if (is === "None") return say("Unknown", "WorkspaceNotCreated", text`workspace not created yet`);
  if (workspace === undefined) {
    return say(waited, "WorkspaceMissing", text`workspace ${workspaceName} no longer exists`);
  }
  const found = readyOf(workspace);
  if (is === "Available" || is === "Degraded") {
    const reason = isSimulated(workspace) ? "Simulated" : "Available";
    return say("True", reason, told(found, text`workspace ${workspaceName} is available`));
  }
  if (is === "Deleting")
    return say("False", "Deleting", told(found, text`workspace ${workspaceName} is being deleted`));
  if (is === "NoRunner")
    return say("Unknown", "NoRunner", told(found, text`no program runs workspace ${workspaceName}`));
  if (found?.status === "True") {
    if (is === "Paused") return say("Unknown", "WorkspacePaused", paused(workspaceName));
    return say("Unknown", "NotSeen", text`workspace ${workspaceName}: ${errorOf(workspace)}`);
  }
  if (is === "Creating") {
    const message = told(found, text`workspace ${workspaceName} is being created`);
    return found?.status === "False" || !wasReady
      ? say("False", "Creating", message)
      : say("Unknown", "NotYetReported", message);
  }
  if (found?.status !== "False") {
    if (found?.reason === "NotSeen") return say("Unknown", "NotSeen", told(found, text`not seen`));
    return say(waited, "NotYetReported", text`workspace ${workspaceName} has not reported yet`);
  }
  const reason = found.reason === "Creating" ? "Creating" : "Unavailable";
  return say("False", reason, told(found, text`workspace ${workspaceName} is not ready`));
}

const paused = (name: string): SafeText => text`workspace ${name} is paused`;

const told = (found: Condition | undefined, otherwise: SafeText): SafeText => {
  const message = sanitize(found?.message ?? "");
  return message === "" ? otherwise : message;
};
