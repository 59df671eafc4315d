// How the Workspace of a network or of a control plane is spoken of, and which revision of its module it runs. Pure.
import { type SafeText, text } from "@telltale/status";
import { type Chain, isUnseen, type Place, renderFailure } from "../chain.ts";
import { annotations } from "../names.ts";
import { sanitize } from "../sanitize.ts";
import { isHopeless, isSimulated, readyOf, syncedOf } from "../workspace-class.ts";
import { errorOf } from "../workspace-conditions.ts";
import type { ProviderWorld } from "./world.ts";

export const workspaceOf = ({ workspaceName = "not created yet" }: Chain): string => workspaceName;
export const applying = (chain: Chain): SafeText => text`applying workspace ${workspaceOf(chain)}`;
export const taken = text`create workspacetemplateapplies failed: HTTP 409`;
export const notFound = ({ namespace, name }: Place): SafeText =>
  text`WorkspaceTemplate ${namespace}/${name} not found`;

/** A Workspace without a reference writes no Secret: it is waited for all the same, as the tables say. */
export const placeText = (place: Place | undefined): string =>
  place === undefined ? "without a name" : `${place.namespace}/${place.name}`;

/** What rests on a run that was asked to be simulated is told as that, wherever it is told. */
export const isPretended = ({ workspace }: Chain): boolean => workspace !== undefined && isSimulated(workspace);

export const nothingReal = text`nothing of it is real: its runs are simulated`;

export interface Unready {
  /** Unknown: it may be there and work; nobody can tell. */
  readonly status: "False" | "Unknown";
  readonly reason: "WorkspacePaused" | "WorkspaceMissing" | "WorkspaceNotReady" | "NotSeen";
  readonly message: SafeText;
}

/** Whether the Workspace itself says that what it describes is not there, or cannot be used. */
const isSeenUnready = ({ class: is, workspace }: Chain): boolean =>
  workspace !== undefined && (is === "Deleting" || readyOf(workspace)?.status === "False");

/** Why a Workspace cannot be used. `wasReady`: it could be, once. */
export function unready(chain: Chain, wasReady: boolean): Unready {
  const { class: is, workspace } = chain;
  const name = workspaceOf(chain);
  const status = wasReady && !isSeenUnready(chain) ? "Unknown" : "False";
  if (is === "Paused") return { status, reason: "WorkspacePaused", message: text`workspace ${name} is paused` };
  if (is === "Missing" || is === "None") {
    return { status, reason: "WorkspaceMissing", message: text`workspace ${name} no longer exists` };
  }
  if (status === "Unknown" && workspace !== undefined && is === "Error") {
    return { status, reason: "NotSeen", message: text`workspace ${name}: ${errorOf(workspace)}` };
  }
  const found = workspace === undefined ? undefined : (readyOf(workspace) ?? syncedOf(workspace));
  const reason = is === "Deleting" ? "Deleting" : sanitize(found?.reason ?? "NotYetReported");
  return { status, reason: "WorkspaceNotReady", message: text`workspace ${name} is not ready: ${reason}` };
}

export const noRunner = (chain: Chain): SafeText => {
  const message = sanitize((chain.workspace === undefined ? undefined : readyOf(chain.workspace))?.message ?? "");
  return text`workspace ${workspaceOf(chain)}: ${message}`;
};

/** False: nothing was ever made. Unknown: what an earlier run made is not looked at. */
export const runnerStatus = ({ workspace }: Chain): "False" | "Unknown" =>
  workspace !== undefined && readyOf(workspace)?.status === "Unknown" ? "Unknown" : "False";

export interface Unusable {
  readonly token: "InvalidTemplate" | "WorkspaceFailed";
  readonly message: SafeText;
}

/**
 * What cannot be rendered, and what the runner gave up on: no retry mends it. As long as nobody has looked at the apply as it is now, what
 * there is was made of an earlier one: an edit of the spec may have mended it.
 */
export function unusable(chain: Chain): Unusable | undefined {
  const refused = renderFailure(chain);
  if (refused !== undefined && refused.reason !== "WorkspaceTemplateNotFound") {
    return { token: "InvalidTemplate", message: text`${refused.message}` };
  }
  const { workspace } = chain;
  if (workspace === undefined || !isHopeless(workspace) || isUnseen(chain)) return undefined;
  return { token: "WorkspaceFailed", message: text`workspace ${workspaceOf(chain)}: ${errorOf(workspace)}` };
}

/** What the Workspace reports now. */
export const troubleBelow = ({ class: is, workspace }: Chain): SafeText | undefined =>
  workspace !== undefined && (is === "Error" || is === "Degraded") ? errorOf(workspace) : undefined;

/** Its own. That of the network is told by the network, which may fail at the very same moment. */
export const lastError = ({ it, chain }: ProviderWorld): SafeText =>
  troubleBelow(chain) ?? sanitize(it.status?.workspaceTemplateStatus?.lastFailureMessage ?? "no error reported");

export const recovered = (what: string): SafeText =>
  text`${what} became available after the timeout; set annotation capt.infrastructure.cluster.x-k8s.io/reset-failure to continue`;

/** What the Workspace was last told to be. */
export const revisionOf = ({ workspace, apply }: Chain): string | undefined =>
  workspace?.metadata.annotations?.[annotations.revision] ?? apply?.status?.revision;

/** `applied`: the revision that was last seen applied. */
export function revisionFields({ it, chain }: ProviderWorld, applied: string | undefined) {
  const { lastFailedRevision: before, lastFailureMessage } = it.status?.workspaceTemplateStatus ?? {};
  const error = troubleBelow(chain);
  const isAvailable = chain.class === "Available";
  const failed = error === undefined ? before : (revisionOf(chain) ?? before);
  return {
    ready: isAvailable,
    lastAppliedRevision: applied,
    // One that was applied in the end has not failed.
    lastFailedRevision: isAvailable && failed === applied ? undefined : failed,
    lastFailureMessage: error ?? (isAvailable ? undefined : lastFailureMessage),
  };
}
