// Takes the Workspace away before its apply goes, or leaves it where that is wanted (6.6).
import { annotationPatch, type Finalized, waiting } from "@telltale/runtime";
import { type Draft, findCondition, type SafeText, text } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { annotations, finalizers } from "../names.ts";
import { completed } from "../provider/deletion.ts";
import { sanitize } from "../sanitize.ts";
import type { ApplyHands } from "./act.ts";
import { placeOf, type Senses } from "./observe.ts";
import { mirrored } from "./status.ts";
import { isLinked, refOf } from "./world.ts";

const again = 10_000;

export async function finalize(
  apply: WorkspaceTemplateApply,
  hands: ApplyHands,
  draft: Draft<typeof WorkspaceTemplateApply>,
  senses: Senses,
): Promise<Finalized> {
  const workspace = await found(apply, hands, senses);
  if (workspace === undefined || !isOurs(workspace, apply)) return over(apply, hands, draft, senses);
  const { name = "" } = workspace.metadata;
  if (apply.spec.retainWorkspaceOnDelete === true) {
    await retain(workspace, apply, hands, senses);
    hands.event("Normal", "RetainedWorkspace", `workspace ${name} stays`);
    return completed(apply, draft, [finalizers.workspaceTemplateApply], ["Deleting"]);
  }
  if (workspace.metadata.deletionTimestamp === undefined) {
    await hands.remove(senses.Workspace, workspace, "Background");
    hands.event("Normal", "DeletedWorkspace", `deleted workspace ${name}`);
    // Nobody held it: there is nothing to wait for, and our own deletion is no news that would wake us.
    const now = await hands.live(senses.Workspace, refTo(workspace));
    if (now === undefined || !isOurs(now, apply)) return over(apply, hands, draft, senses);
  }
  mirrored(workspace, draft);
  return waits(text`waiting for workspace ${name}${trouble(workspace)}`, draft);
}

function waits(why: SafeText, draft: Draft<typeof WorkspaceTemplateApply>): Finalized {
  draft.keep("Applied", "DependenciesReady", "TemplateResolved");
  draft.condition("Paused", false, "NotPaused", "not paused");
  draft.condition("Deleting", true, "WaitingForWorkspaceDeletion", why);
  return waiting(again);
}

/** There is none. Where a request to make one had no answer, it may still come, and nobody would take it away. */
function over(
  apply: WorkspaceTemplateApply,
  hands: ApplyHands,
  draft: Draft<typeof WorkspaceTemplateApply>,
  { unanswered }: Senses,
): Finalized {
  const until = unanswered.get(apply.metadata.uid ?? "") ?? hands.now;
  if (until <= hands.now) return completed(apply, draft, [finalizers.workspaceTemplateApply], ["Deleting"]);
  draft.keep("Ready", "Synced");
  return waits(text`waiting to see whether the server still makes a workspace: a request had no answer`, draft);
}

/** What its status names, else what it would be called: a status may never have been written. */
async function found(apply: WorkspaceTemplateApply, hands: ApplyHands, senses: Senses): Promise<Workspace | undefined> {
  const place = placeOf(refOf(apply), hands, senses);
  const known = apply.status?.workspaceName;
  const named = known === undefined ? undefined : await hands.live(senses.Workspace, { ...place, name: known });
  if (named !== undefined && isOurs(named, apply)) return named;
  return known === place.name ? undefined : hands.live(senses.Workspace, place);
}

const refTo = ({ metadata: { name = "", namespace } }: Workspace) =>
  namespace === undefined ? { name } : { namespace, name };

/**
 * Also what an apply of this name has left behind, though this one never came to take it over: that apply is gone, and whoever waits
 * for the Workspace would wait for ever. What was retained on purpose stays.
 */
function isOurs(workspace: Workspace, apply: WorkspaceTemplateApply): boolean {
  const notes = workspace.metadata.annotations ?? {};
  if (notes[annotations.applyUid] === apply.metadata.uid) return true;
  return isLinked(workspace, refOf(apply)) && notes[annotations.retained] === undefined;
}

/** So that the garbage collector leaves it, and a person sees why it is there. */
async function retain(
  workspace: Workspace,
  apply: WorkspaceTemplateApply,
  hands: ApplyHands,
  senses: Senses,
): Promise<void> {
  const { annotations: notes, ownerReferences: owners = [] } = workspace.metadata;
  const others = owners.filter(({ uid }) => uid !== apply.metadata.uid);
  const isNoted = notes?.[annotations.retained] !== undefined;
  if (isNoted && others.length === owners.length) return;
  await hands.patch(senses.Workspace, workspace, [
    ...annotationPatch(workspace, { [annotations.retained]: "true" }),
    ...(others.length === owners.length
      ? []
      : ([
          { op: "test", path: "/metadata/ownerReferences", value: owners },
          { op: "replace", path: "/metadata/ownerReferences", value: others },
        ] as const)),
  ]);
}

/** A destroy that does not get on is seen at the top. */
function trouble(workspace: Workspace): SafeText {
  const synced = findCondition(workspace.status?.conditions, "Synced");
  const message = synced?.status === "False" ? sanitize(synced.message) : "";
  return message === "" ? text`` : text`: ${message}`;
}
