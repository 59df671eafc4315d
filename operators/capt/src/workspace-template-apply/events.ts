// What is announced of an apply: each thing when it begins, and not again while it lasts. Pure.
import { findCondition } from "@telltale/status";
import type { WorkspaceTemplateApplyStatus } from "../kinds/workspace-template-apply.ts";
import type { World } from "./world.ts";

export interface Announced {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export function eventsOf(
  { made, place }: World,
  before: WorkspaceTemplateApplyStatus,
  after: WorkspaceTemplateApplyStatus,
): readonly Announced[] {
  const events: Announced[] = [];
  const normal = (reason: string, message: string) => events.push({ type: "Normal", reason, message });
  if (made.as === "created") normal("CreatedWorkspace", `created workspace ${place.name}`);
  if (made.as === "updated") normal("UpdatedWorkspace", `updated workspace ${place.name}`);
  const waits = findCondition(after.conditions, "DependenciesReady");
  const waited = findCondition(before.conditions, "DependenciesReady");
  const isWait = waits?.reason === "WaitingForSecrets" || waits?.reason === "WaitingForWorkspace";
  if (isWait && waits.reason !== waited?.reason) normal(waits.reason, waits.message);
  const now = stageOf(after);
  if (now !== undefined && now !== stageOf(before)) normal(now, `workspace ${place.name}: ${wordsOf[now]}`);
  return events;
}

type Stage = "WaitingForSync" | "WaitingForReady" | "WorkspaceReady";
const wordsOf: Readonly<Record<Stage, string>> = {
  WaitingForSync: "its run has not gone through yet",
  WaitingForReady: "its run went through, it is not ready yet",
  WorkspaceReady: "it is ready",
};

/** How far the Workspace is, as its apply repeats it. */
function stageOf({ applied, conditions }: WorkspaceTemplateApplyStatus): Stage | undefined {
  const ready = findCondition(conditions, "Ready");
  // Nothing is on its way where nobody can tell how it is, or nothing is run.
  if (applied !== true || ready?.status === "Unknown" || ready?.reason === "NoRunner") return undefined;
  if (findCondition(conditions, "Synced")?.status !== "True") return "WaitingForSync";
  return ready?.status === "True" ? "WorkspaceReady" : "WaitingForReady";
}
