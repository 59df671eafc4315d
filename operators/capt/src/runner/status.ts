// What a Workspace says of itself: the conditions and outputs that Crossplane's provider would show. Pure.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, findCondition, type SafeText, text } from "@telltale/status";
import type { Workspace, WorkspaceStatus } from "../kinds/workspace.ts";
import { sanitize } from "../sanitize.ts";
import { believed, doubtedAt, readyOf } from "../workspace-class.ts";
import { nextUnsync, readySince, unsyncAt } from "./decide.ts";
import type { Progress } from "./engine.ts";
import { noRunnerFix } from "./missing-engine.ts";
import { shownOutputs } from "./outputs.ts";
import { troubleOf } from "./runs.ts";
import { checksumOf } from "./shelf.ts";
import { generationOf, noteOf, syncOf, type World } from "./world.ts";

export type WorkspaceDraft = Draft<typeof import("../kinds/workspace.ts").Workspace>;

export function status(world: World, draft: WorkspaceDraft, now: Instant): void {
  const { workspace, told, engine, standing, rival } = world;
  if (rival !== undefined) {
    draft.fail({ class: "waiting", reason: "RunnerConflict", message: text`${rival}` }); // it is theirs to speak
    return;
  }
  if (engine === "none") {
    withoutRunner(workspace, draft);
    return;
  }
  if (engine === "simulated") draft.condition("Simulated", true, "Simulated", simulated);
  const isCurrent = told !== undefined && told.order.generation === generationOf(workspace);
  if (isCurrent && told.outcome.as === "failed") {
    failing(draft, workspace, troubleOf(told.outcome), now);
  } else if (isCurrent && (told.outcome.as === "settled" || told.outcome.as === "applied")) {
    const outputs = shownOutputs(told.outcome.outputs);
    const checksum = checksumOf(workspace);
    draft.set({ atProvider: Object.keys(outputs).length === 0 ? { checksum } : { outputs, checksum } });
    well(world, draft, now);
  } else if (told === undefined && standing.at === "idle" && unsyncAt(world, now) !== undefined) {
    failing(draft, workspace, sanitize(unsyncAt(world, now)?.message ?? ""), now);
  } else if (told === undefined && standing.at === "idle" && syncOf(workspace) !== "unknown") {
    still(world, draft, now);
  } else {
    underWay(world, draft, now);
  }
  const since = readySince(workspace) ?? (isCurrent ? now : undefined);
  if (since !== undefined) draft.wake(nextUnsync(world, since, now));
}

/** A run wakes us when it ends; this is for what nobody tells of. */
const glance: Ms = 5_000;
/** What no run has made does not exist. What an earlier run made is not looked at any more. */
function withoutRunner(workspace: Workspace, draft: WorkspaceDraft): void {
  if (hasRun(workspace)) {
    draft
      .aside()
      .condition("Ready", "Unknown", "NoRunner", text`What an earlier run made is not looked at: ${noRunner}`);
    draft.keep("Synced");
    return;
  }
  draft.unset("atProvider").condition("Ready", false, "NoRunner", noRunner).without("Synced", "Simulated");
}

const hasRun = (workspace: Workspace): boolean =>
  workspace.status?.atProvider?.checksum !== undefined && noteOf(workspace, "runner") !== "simulated";

export const noRunner = text`no program runs Workspaces; ${noRunnerFix}`;

const simulated = "Nothing is real: the operator only pretends to run the module";
const making = "The first run is under way";
const notMade = "No run has gone through yet";
const lastGood = "What the last run that went through left was there then";
const notSeen = text`No run has gone through for ${believed / 60_000} minutes: what exists is not known`;

/** How often is looked whether the connection Secret is still there. */
const recheck: Ms = 60_000;

function well({ workspace, quirks, engine }: World, draft: WorkspaceDraft, now: Instant): void {
  draft.condition("Synced", true, "ReconcileSuccess", "The last run went through");
  if (quirks.neverReady) draft.condition("Ready", false, "Creating", making);
  else if (engine === "simulated") draft.condition("Ready", true, "Simulated", simulated);
  else draft.condition("Ready", true, "Available", "What the module describes exists");
  if (workspace.spec.writeConnectionSecretToRef !== undefined) draft.wake(plus(now, recheck));
}

/** Nothing has happened since the last run: what it came to is said again, whatever others made of it. */
function still(world: World, draft: WorkspaceDraft, now: Instant): void {
  const { workspace, standing } = world;
  if (syncOf(workspace) === "good") {
    well(world, draft, now);
    return;
  }
  const last = standing.at === "idle" ? standing.last : undefined;
  const trouble = last?.generation === generationOf(workspace) ? last.trouble : undefined;
  if (trouble !== undefined) failing(draft, workspace, trouble, now);
  else doubting(draft.keep("Synced"), workspace, now);
}

/** Ready stays for a while: what is there does not go away because a run failed. */
export function failing(draft: WorkspaceDraft, workspace: Workspace, message: SafeText, now: Instant): void {
  const rest = withoutProgress(workspace);
  // In an apply an empty map whose members were ours becomes null, which the server then refuses.
  if (Object.keys(rest).length === 0) draft.unset("atProvider");
  else draft.set({ atProvider: rest });
  doubting(draft.condition("Synced", false, "ReconcileError", message), workspace, now);
}

/** What the last good run left is believed to be there, but not for ever. */
function doubting(draft: WorkspaceDraft, workspace: Workspace, now: Instant): void {
  const ready = readyOf(workspace);
  const at = doubtedAt(workspace);
  if (ready?.status === "False" && ready.reason === "Creating") draft.condition("Ready", false, "Creating", notMade);
  else if (ready?.status !== "True") draft.keep("Ready");
  else if (at !== undefined && at <= now) draft.condition("Ready", "Unknown", "NotSeen", notSeen);
  else {
    const message = ready.reason === "Simulated" ? simulated : lastGood;
    draft.condition("Ready", true, ready.reason === "Simulated" ? "Simulated" : "Available", message);
    draft.wake(at ?? plus(now, believed));
  }
}

/** A run has not ended: what is known of the last one stays, and does not speak for this generation. */
function underWay({ workspace, standing, isApplying }: World, draft: WorkspaceDraft, now: Instant): void {
  const ready = findCondition(workspace.status?.conditions, "Ready");
  const wasWithoutRunner = ready?.reason === "NoRunner" && ready.status === "False";
  if (wasWithoutRunner || (isApplying === true && ready === undefined))
    draft.condition("Ready", false, "Creating", making);
  if (standing.at === "running") draft.set(progressing(workspace, standing.progress));
  draft.aside();
  if (standing.at !== "idle") draft.wake(plus(now, glance));
}

export function progressing(workspace: Workspace, progress: Progress | undefined): Partial<WorkspaceStatus> {
  if (progress === undefined || progress.operation === "plan") return {};
  const { operation, total, done, current } = progress;
  const shown = { operation, total, done, ...(current === undefined ? {} : { current }) };
  return { atProvider: { ...withoutProgress(workspace), progress: shown } };
}

function withoutProgress({ status: said }: Workspace): Omit<NonNullable<WorkspaceStatus["atProvider"]>, "progress"> {
  const { progress: _progress, ...rest } = said?.atProvider ?? {};
  return rest;
}

/** A paused Workspace says so, and that nobody looks what there is; nothing else changes. */
export function pausedStatus(workspace: Workspace, draft: WorkspaceDraft): void {
  draft.condition("Synced", false, "ReconcilePaused", paused).aside();
  if (readyOf(workspace)?.status === "True") draft.condition("Ready", "Unknown", "ReconcilePaused", paused);
}

const paused = "The annotation crossplane.io/paused is set";
