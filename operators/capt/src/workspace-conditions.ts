// What a Workspace says, in the words of those that wait for it: `WorkspaceSynced` and `WorkspaceReady` of both providers. Pure.
import type { Condition } from "@telltale/kinds";
import { type NewCondition, type SafeText, text } from "@telltale/status";
import type { Chain } from "./chain.ts";
import type { Workspace } from "./kinds/workspace.ts";
import { sanitize } from "./sanitize.ts";
import { isSimulated, readyOf, syncedOf } from "./workspace-class.ts";

type Mirrored = NewCondition<"WorkspaceSynced" | "WorkspaceReady">;

export function workspaceConditions(chain: Chain): readonly Mirrored[] {
  return [syncedSaid(chain), readySaid(chain)];
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

/** Unknown: it was never made. False: it is waited for. */
function readySaid(chain: Chain): Mirrored {
  const { class: is, workspace, workspaceName = "" } = chain;
  const no = (reason: string, message: SafeText): Mirrored => ({
    type: "WorkspaceReady",
    status: "False",
    reason,
    message,
  });
  if (is === "None") {
    return {
      type: "WorkspaceReady",
      status: "Unknown",
      reason: "WorkspaceNotCreated",
      message: text`workspace not created yet`,
    };
  }
  const found = workspace === undefined ? undefined : readyOf(workspace);
  if (is === "Missing") return no("WorkspaceMissing", text`workspace ${workspaceName} no longer exists`);
  if (is === "Available" || is === "Degraded") {
    return {
      type: "WorkspaceReady",
      status: "True",
      reason: workspace !== undefined && isSimulated(workspace) ? "Simulated" : "Available",
      message: told(found, text`workspace ${workspaceName} is available`),
    };
  }
  if (is === "Deleting") return no("Deleting", told(found, text`workspace ${workspaceName} is being deleted`));
  if (is === "NoRunner") {
    const message = told(found, text`no program runs workspace ${workspaceName}`);
    return { type: "WorkspaceReady", status: "Unknown", reason: "NoRunner", message };
  }
  if (is === "Pending") return no("NotYetReported", text`workspace ${workspaceName} has not reported yet`);
  if (is === "Creating") return no("Creating", told(found, text`workspace ${workspaceName} is being created`));
  if (found === undefined || found.status === "Unknown") {
    return no("NotYetReported", text`workspace ${workspaceName} has not reported yet`);
  }
  const reason = found.reason === "Creating" ? "Creating" : "Unavailable";
  return no(reason, told(found, text`workspace ${workspaceName} is not ready`));
}

const told = (found: Condition | undefined, otherwise: SafeText): SafeText => {
  const message = sanitize(found?.message ?? "");
  return message === "" ? otherwise : message;
};
