// What a pass knows of one apply.
import type { SafeText } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { type ApplyRef, annotations, labels, labelValue } from "../names.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Rendered } from "./render.ts";

export interface World {
  readonly apply: WorkspaceTemplateApply;
  /** Where its Workspace is, or would be. */
  readonly place: Place;
  readonly workspace: Workspace | undefined;
  /** Whether a Workspace of this apply carries an owner reference to it. */
  readonly isOwned: boolean;
  /** The watch filter that a Workspace carries on, so that whoever runs it here runs no others. */
  readonly filter: string | undefined;
  readonly rendering: Rendering;
  readonly dependencies: Dependencies;
  readonly made: Made;
  /** What the server made of our last apply, where that is not what we said. */
  readonly taken: Taken | undefined;
}

/** Somebody may change what we say on its way in: it is not said again before something changes. */
export interface Taken {
  readonly revision: string;
  readonly generation: number | undefined;
}

export interface Place {
  readonly name: string;
  readonly namespace?: string;
}

/** `absent`: there is no such template. */
export type Rendering = Rendered | { readonly as: "absent"; readonly template: string };

/** What this pass did with the Workspace. */
export type Made =
  | { readonly as: "nothing" }
  | { readonly as: "created" | "updated" }
  | { readonly as: "conflict"; readonly whose: SafeText } // the name is somebody else's
  | { readonly as: "refused"; readonly why: SafeText }; // the server does not want it

export const refOf = ({ metadata }: WorkspaceTemplateApply): ApplyRef => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

/** Whose a Workspace is, to an apply. */
export type Ownership =
  | "ours"
  | "inherited" // made by an apply of the same name that is gone, or was retained by one
  | "foreign";

export function ownershipOf(workspace: Workspace, apply: WorkspaceTemplateApply): Ownership {
  if (workspace.metadata.annotations?.[annotations.applyUid] === apply.metadata.uid) return "ours";
  if (isLinked(workspace, refOf(apply))) return "inherited";
  return apply.metadata.annotations?.[annotations.adoptWorkspace] === "true" ? "inherited" : "foreign";
}

/** Whether a Workspace carries the labels that lead back to an apply of this name. */
export function isLinked({ metadata }: Workspace, { namespace, name }: ApplyRef): boolean {
  const { labels: on = {} } = metadata;
  return on[labels.applyName] === labelValue(name) && on[labels.applyNamespace] === namespace;
}

/** Whether it was made from a template: what is retained or adopted may not have been. */
export const revisionOn = ({ metadata }: Workspace): string | undefined => metadata.annotations?.[annotations.revision];
