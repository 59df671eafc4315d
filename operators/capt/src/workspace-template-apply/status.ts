// What an apply says of itself: how far it came, and what its Workspace says. Pure.
import { formatTime, type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, findCondition, mirror, names, text } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { annotations } from "../names.ts";
import { nothingReal } from "../provider/words.ts";
import { sanitize } from "../sanitize.ts";
import { isSimulated } from "../workspace-class.ts";
import { secretsOf, workspacesOf } from "./dependencies.ts";
import type { Plan } from "./plan.ts";
import { plan } from "./plan.ts";
import { revisionOn, type World } from "./world.ts";

type ApplyDraft = Draft<typeof WorkspaceTemplateApply>;

/** When to look again although nothing happened (6.5). */
const intervals = { waiting: 30_000, made: 10_000, crossed: 60_000, quiet: 300_000 } as const satisfies Record<
  string,
  Ms
>;

export function status(world: World, draft: ApplyDraft, now: Instant): void {
  const after = plan(world);
  template(world, draft);
  dependencies(world, draft);
  applied(world, after, draft);
  fields(world, draft, now);
  mirrored(world.workspace, draft);
  draft.condition("Paused", false, "NotPaused", "not paused");
  draft.condition("Deleting", false, "NotDeleting", "not deleting");
  const again = interval(world, after);
  if (again !== undefined) draft.wake(plus(now, again));
}

function template({ rendering, made }: World, draft: ApplyDraft): void {
  if (made.as === "refused") {
    draft.condition("TemplateResolved", false, "InvalidTemplate", text`the server refuses the Workspace: ${made.why}`);
  } else if (rendering.as === "absent") {
    const message = text`WorkspaceTemplate ${rendering.template} not found`;
    draft.condition("TemplateResolved", false, "WorkspaceTemplateNotFound", message);
  } else if (rendering.as === "refused") {
    draft.condition("TemplateResolved", false, rendering.reason, rendering.message);
  } else {
    draft.condition("TemplateResolved", true, "TemplateResolved", "the template is rendered");
  }
}

const listed = (list: readonly string[]) => names(list, { max: 20 });

function dependencies({ apply, workspace, dependencies: are }: World, draft: ApplyDraft): void {
  if (are.as === "missing secrets") {
    draft.condition("DependenciesReady", false, "WaitingForSecrets", text`Secrets not found: ${listed(are.names)}`);
  } else if (are.as === "waiting for workspaces") {
    draft.condition("DependenciesReady", false, "WaitingForWorkspace", text`not ready: ${listed(are.names)}`);
  } else if (are.as === "cycle") {
    draft.condition("DependenciesReady", false, "DependencyCycle", text`each waits for the next: ${listed(are.names)}`);
  } else {
    // They gate the first creation only, and are not looked at any more after it.
    const wasGated = workspace !== undefined && secretsOf(apply).length + workspacesOf(apply).length > 0;
    const message = wasGated ? "nothing is waited for any more: the workspace was made" : "nothing is waited for";
    draft.condition("DependenciesReady", true, "DependenciesReady", message);
  }
}

function applied({ place, workspace, made, rendering }: World, after: Plan, draft: ApplyDraft): void {
  if (made.as === "conflict") {
    const message = text`Workspace ${place.name} belongs to ${made.whose}`;
    draft.condition("Applied", false, "WorkspaceNameConflict", message);
  } else if (workspace === undefined) {
    draft.condition("Applied", false, "NotApplied", text`workspace ${place.name} does not exist yet`);
  } else if (after.do === "hold") {
    const message = text`workspace ${place.name} differs from the template; annotation ${annotations.holdRevision} holds it`;
    draft.condition("Applied", false, "Held", message);
  } else if (workspace.metadata.deletionTimestamp !== undefined) {
    draft.condition("Applied", false, "NotApplied", text`workspace ${place.name} is being deleted`);
  } else if (made.as === "refused") {
    draft.condition(
      "Applied",
      false,
      "NotApplied",
      text`workspace ${place.name} is as it was: the server refuses the change`,
    );
  } else if (rendering.as !== "rendered") {
    const message = text`workspace ${place.name} exists; what it should be is not known, as TemplateResolved says`;
    draft.condition("Applied", "Unknown", "NotRendered", message);
  } else {
    draft.condition("Applied", true, "Applied", text`workspace ${place.name} exists as rendered`);
  }
}

function fields({ apply, place, workspace, made }: World, draft: ApplyDraft, now: Instant): void {
  const isThere = workspace !== undefined && made.as !== "conflict";
  draft.set({ applied: isThere });
  if (!isThere) return;
  const revision = revisionOn(workspace);
  draft.set({ workspaceName: place.name, ...(revision === undefined ? {} : { revision }) });
  const { lastAppliedTime, revision: known } = apply.status ?? {};
  const isNew = made.as === "created" || made.as === "updated" || known !== revision;
  if (isNew || lastAppliedTime === undefined) draft.set({ lastAppliedTime: since(workspace, made, now) });
}

/** Who lost their status, or crashed before it was written, knows at least when an unchanged Workspace was made. */
function since({ metadata }: Workspace, made: World["made"], now: Instant): string {
  if (made.as === "nothing" && metadata.generation === 1) return metadata.creationTimestamp ?? formatTime(now);
  return formatTime(now);
}

/** The Workspace's own conditions, as they are. One that it does not have, we do not have either. */
export function mirrored(workspace: Workspace | undefined, draft: ApplyDraft): void {
  for (const type of ["Ready", "Synced"] as const) {
    const found = findCondition(workspace?.status?.conditions, type);
    if (found === undefined) {
      draft.without(type);
      continue;
    }
    const said = mirror(found, type, { status: "Unknown", reason: "NotYetReported", message: "" });
    draft.state({ ...said.condition, message: sanitize(said.condition.message) }, said.options);
  }
  if (workspace === undefined || !isSimulated(workspace)) draft.without("Simulated");
  else
    draft.condition("Simulated", true, "Simulated", text`workspace ${workspace.metadata.name ?? ""}: ${nothingReal}`);
}

function interval(world: World, after: Plan): Ms | undefined {
  const { workspace, rendering, dependencies: are, made } = world;
  if (made.as === "conflict") return intervals.crossed;
  if (made.as === "created" || made.as === "updated") return intervals.made;
  if (workspace !== undefined) return after.do === "hold" ? undefined : intervals.quiet;
  const isWaiting = rendering.as === "absent" || are.as === "missing secrets" || are.as === "waiting for workspaces";
  return isWaiting ? intervals.waiting : undefined;
}
