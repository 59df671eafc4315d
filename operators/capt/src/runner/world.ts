// What a pass knows of one Workspace and its run. Pure.

import { findCondition } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import { annotations } from "../names.ts";
import type { EngineName, Order, Outcome } from "./engine.ts";
import type { Kept } from "./record.ts";
import type { Standing } from "./runs.ts";
import type { Quirks } from "./simulated/script.ts";

export interface World {
  readonly workspace: Workspace;
  readonly engine: EngineName;
  readonly standing: Standing;
  /** Its last run went well, and its connection Secret is not there. */
  readonly isCut?: boolean;
  /** Somebody else runs Workspaces here, and how that was seen. */
  readonly rival?: string;
  /** Whether runs may begin. */
  readonly isOpen: boolean;
  readonly quirks: Quirks;
  /** What this pass has published. */
  readonly told?: Told;
  /** Whether an apply has begun in this pass. */
  readonly isApplying?: boolean;
}

export interface Told {
  readonly order: Order;
  readonly outcome: Outcome;
}

/** What is kept of a Workspace. */
export type Shelved =
  | { readonly is: "none" }
  | { readonly is: "kept"; readonly kept: Kept }
  | { readonly is: "unreadable" };

export const uidOf = ({ metadata }: Workspace): string => metadata.uid ?? "";
export const generationOf = ({ metadata }: Workspace): number => metadata.generation ?? 0;
export const noteOf = ({ metadata }: Workspace, name: keyof typeof annotations): string | undefined =>
  metadata.annotations?.[annotations[name]];

/** Whether the spec as it is now was run, and how that went. */
export function syncOf(workspace: Workspace): "good" | "bad" | "unknown" {
  const { status } = workspace;
  const synced = findCondition(status?.conditions, "Synced");
  // Nothing has looked at it meanwhile.
  if (findCondition(status?.conditions, "Ready")?.reason === "NoRunner") return "unknown";
  if (synced === undefined || status?.observedGeneration !== generationOf(workspace)) return "unknown";
  return synced.status === "True" ? "good" : "bad";
}

/** Whether a person has said that nothing is to be done. */
export const isPaused = (workspace: Workspace): boolean => noteOf(workspace, "crossplanePaused") === "true";

/** What `managementPolicies` and `deletionPolicy` let a runner do. */
export function mayDo({ spec }: Workspace, what: "Create" | "Update" | "Delete"): boolean {
  const policies = spec.managementPolicies ?? ["*"];
  if (what === "Delete" && spec.deletionPolicy === "Orphan") return false;
  return policies.includes("*") || policies.includes(what);
}
