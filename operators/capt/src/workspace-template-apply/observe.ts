// Reads what a pass has to know of one apply.
import type { Instant, KindRef } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { Look, MapLook } from "@telltale/runtime";
import { text } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { type ApplyRef, workspaceBase, workspaceName } from "../names.ts";
import { cycleOf, type Dependencies, isReady, nameOf, secretsOf, workspacesOf } from "./dependencies.ts";
import { type Allowed, mayReach, type Refused, render } from "./render.ts";
import { isLinked, type Place, type Rendering, refOf, type Taken, type World } from "./world.ts";

export interface Senses {
  readonly Workspace: KindRef<Workspace>;
  readonly allowed: Allowed;
  /** The value of `--watch-filter`. */
  readonly filter?: string | undefined;
  /** By the uid of a Workspace; see `Taken`. Losing it costs one request that changes nothing. */
  readonly taken: Map<string, Taken>;
  /** By the uid of an apply: until when the server may still make a Workspace of it, as a request had no answer. */
  readonly unanswered: Map<string, Instant>;
}

export async function observe(apply: WorkspaceTemplateApply, look: Look, senses: Senses): Promise<World> {
  const place = placeOf(refOf(apply), look, senses);
  const workspace = look.get(senses.Workspace, place);
  const rendering = renderingOf(apply, look, senses);
  const isOwned = senses.Workspace.scope === "Namespaced" && apply.spec.retainWorkspaceOnDelete !== true;
  // They gate the first creation only (WTA-3).
  const dependencies: Dependencies = workspace === undefined ? await waits(apply, look, senses) : { as: "ready" };
  const taken = senses.taken.get(workspace?.metadata.uid ?? "");
  const { filter } = senses;
  return { apply, place, workspace, isOwned, filter, rendering, dependencies, made: { as: "nothing" }, taken };
}

/** Where the Workspace of an apply is. Older installations called it by its base name, and it keeps that. */
export function placeOf(ref: ApplyRef, look: MapLook, { Workspace: kind }: Senses): Place {
  if (kind.scope === "Namespaced") return { namespace: ref.namespace, name: workspaceName(ref, "Namespaced") };
  const old = { name: workspaceBase(ref.name) };
  const found = look.get(kind, old);
  return found !== undefined && isLinked(found, ref) ? old : { name: workspaceName(ref, "Cluster") };
}

function renderingOf(apply: WorkspaceTemplateApply, look: Look, { allowed }: Senses): Rendering {
  const forbidden = forbiddenSecret(apply, allowed);
  if (forbidden !== undefined) return forbidden;
  const ref = templateOf(apply);
  const template = look.get(WorkspaceTemplate, ref);
  return template === undefined ? { as: "absent", template: nameOf(ref) } : render(template, apply, allowed);
}

export const templateOf = ({ metadata, spec }: WorkspaceTemplateApply): ApplyRef => ({
  namespace: spec.templateRef.namespace ?? metadata.namespace ?? "",
  name: spec.templateRef.name,
});

/** SEC-2: whether a Secret exists is not told to other namespaces. */
function forbiddenSecret(apply: WorkspaceTemplateApply, allowed: Allowed): Refused | undefined {
  const may = mayReach(apply, allowed);
  const at = secretsOf(apply).findIndex(({ namespace }) => !may(namespace));
  if (at < 0) return undefined;
  const namespace = secretsOf(apply)[at]?.namespace ?? "";
  return {
    as: "refused",
    reason: "NamespaceNotAllowed",
    message: text`waitForSecrets[${at}] is in namespace ${namespace}, which is not allowed`,
  };
}

async function waits(apply: WorkspaceTemplateApply, look: Look, senses: Senses): Promise<Dependencies> {
  const cycle = cycleOf(refOf(apply), (ref) => waitedFor(ref, look, senses));
  if (cycle !== undefined) return { as: "cycle", names: cycle };
  const may = mayReach(apply, senses.allowed);
  const secrets: string[] = [];
  for (const ref of secretsOf(apply).filter(({ namespace }) => may(namespace))) {
    if ((await look.live(Secret, ref)) === undefined) secrets.push(nameOf(ref));
  }
  if (secrets.length > 0) return { as: "missing secrets", names: secrets.sort() };
  const workspaces: string[] = [];
  for (const ref of workspacesOf(apply)) {
    if (!isReady(await dependency(ref, look, senses))) workspaces.push(nameOf(ref));
  }
  return workspaces.length > 0 ? { as: "waiting for workspaces", names: workspaces.sort() } : { as: "ready" };
}

/** For whom an apply that has no Workspace yet waits. */
function waitedFor(ref: ApplyRef, look: Look, senses: Senses): readonly ApplyRef[] {
  const apply = look.get(WorkspaceTemplateApply, ref);
  if (apply === undefined || look.get(senses.Workspace, placeOf(ref, look, senses)) !== undefined) return [];
  return workspacesOf(apply);
}

/** A name is that of an apply, else of a Workspace, which need not be one of ours. */
async function dependency(ref: ApplyRef, look: Look, senses: Senses): Promise<Workspace | undefined> {
  if (look.get(WorkspaceTemplateApply, ref) !== undefined) {
    return look.get(senses.Workspace, placeOf(ref, look, senses));
  }
  const place = senses.Workspace.scope === "Namespaced" ? ref : { name: ref.name };
  return look.get(senses.Workspace, place) ?? look.live(senses.Workspace, place);
}
