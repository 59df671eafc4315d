// What has to be there before the first run: Secrets, and other Workspaces that are ready. Pure; `observe.ts` looks.
import { isTrue } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { type ApplyRef, labelValue } from "../names.ts";

export type Dependencies =
  | { readonly as: "ready" }
  | { readonly as: "missing secrets"; readonly names: readonly string[] } // `ns/name`, sorted
  | { readonly as: "waiting for workspaces"; readonly names: readonly string[] }
  | { readonly as: "cycle"; readonly names: readonly string[] };

type Spec = WorkspaceTemplateApply["spec"];
type Named = NonNullable<Spec["waitForSecrets"]>[number];

const placed = (list: readonly Named[] | undefined, namespace: string): readonly ApplyRef[] =>
  (list ?? []).map((it) => ({ namespace: it.namespace ?? namespace, name: it.name }));

export const secretsOf = ({ metadata, spec }: WorkspaceTemplateApply): readonly ApplyRef[] =>
  placed(spec.waitForSecrets, metadata.namespace ?? "");

export const workspacesOf = ({ metadata, spec }: WorkspaceTemplateApply): readonly ApplyRef[] =>
  placed(spec.waitForWorkspaces, metadata.namespace ?? "");

export const nameOf = ({ namespace, name }: ApplyRef): string => `${namespace}/${name}`;

/** By what a Workspace's labels say of its apply, an apply is found: a label may be too short for its name. */
export const linkOf = ({ namespace, name }: ApplyRef): string => `${namespace}/${labelValue(name)}`;

export const isReady = (workspace: Workspace | undefined): boolean =>
  workspace !== undefined &&
  workspace.metadata.deletionTimestamp === undefined &&
  isTrue(workspace.status?.conditions, "Ready");

/**
 * The applies on the way back to the first one, if its waiting leads back to it. `next` says for whom one waits; an apply that
 * has its Workspace waits for nobody.
 */
export function cycleOf(first: ApplyRef, next: (ref: ApplyRef) => readonly ApplyRef[]): readonly string[] | undefined {
  const seen = new Set<string>();
  const walk = (at: ApplyRef, way: readonly string[]): readonly string[] | undefined => {
    for (const ref of next(at)) {
      const name = nameOf(ref);
      if (name === nameOf(first)) return way;
      if (seen.has(name)) continue;
      seen.add(name);
      const found = walk(ref, [...way, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(first, [nameOf(first)]);
}
