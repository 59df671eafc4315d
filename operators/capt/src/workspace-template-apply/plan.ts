// Decides what happens to the Workspace of an apply (6.5). Pure.
import { contains } from "@telltale/runtime";
import type { Workspace } from "../kinds/workspace.ts";
import type { WorkspaceSpec } from "../kinds/workspace-spec.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { annotations, labels } from "../names.ts";
import { isLinked, ownershipOf, refOf, revisionOn, type Taken, type World } from "./world.ts";

export type Plan =
  | { readonly do: "nothing" }
  | { readonly do: "hold" } // it differs, and a person wants it to stay as it is
  | { readonly do: "apply"; readonly wanted: Wanted };

/** What the Workspace has to say. */
export interface Wanted {
  readonly spec: WorkspaceSpec;
  readonly revision: string;
  readonly isOwned: boolean;
  readonly filter: string | undefined;
}

const nothing: Plan = { do: "nothing" };

export function plan({ apply, workspace, rendering, dependencies, isOwned, filter, taken }: World): Plan {
  if (rendering.as !== "rendered") return nothing;
  const wanted: Wanted = { spec: rendering.spec, revision: rendering.revision, isOwned, filter };
  if (workspace === undefined) return dependencies.as === "ready" ? { do: "apply", wanted } : nothing;
  if (workspace.metadata.deletionTimestamp !== undefined) return nothing;
  if (!differs(workspace, apply, wanted, taken)) return nothing;
  return isHeld(apply, workspace, wanted, taken) ? { do: "hold" } : { do: "apply", wanted };
}

/** Whether a Workspace is not as it should be. What others say of it beside us is theirs. */
export function differs(
  workspace: Workspace,
  apply: WorkspaceTemplateApply,
  wanted: Wanted,
  taken: Taken | undefined,
): boolean {
  return isRetained(workspace) || lacks(workspace, apply, wanted, taken);
}

/** Whether it was kept when its apply went: whoever has it again says so. */
export const isRetained = ({ metadata }: Workspace): boolean =>
  metadata.annotations?.[annotations.retained] !== undefined;

/** Whether a Workspace lacks anything that we say of it. */
export function lacks(
  workspace: Workspace,
  apply: WorkspaceTemplateApply,
  wanted: Wanted,
  taken: Taken | undefined,
): boolean {
  const { metadata } = workspace;
  const isOwned = metadata.ownerReferences?.some(({ uid }) => uid === apply.metadata.uid) ?? false;
  return (
    ownershipOf(workspace, apply) !== "ours" ||
    !isLinked(workspace, refOf(apply)) ||
    isOwned !== wanted.isOwned ||
    (wanted.filter !== undefined && metadata.labels?.[labels.watchFilter] !== wanted.filter) ||
    isOther(workspace, wanted, taken)
  );
}

/** Whether a Workspace says what is wanted, as far as the server lets it. */
export function isOther(workspace: Workspace, { spec, revision }: Wanted, taken: Taken | undefined): boolean {
  if (revisionOn(workspace) !== revision) return true;
  if (contains(workspace.spec, spec)) return false;
  return taken?.revision !== revision || taken.generation !== workspace.metadata.generation;
}

/** Whose a Workspace is, is put right in any case; what it says is held. */
const isHeld = (
  { metadata }: WorkspaceTemplateApply,
  workspace: Workspace,
  wanted: Wanted,
  taken: Taken | undefined,
): boolean => metadata.annotations?.[annotations.holdRevision] !== undefined && isOther(workspace, wanted, taken);
