// How a network and a control plane go: their applies before them.
import type { Kind, KubeObject } from "@telltale/kinds";
import { done, doneAndTold, type Finalized, type Hands } from "@telltale/runtime";
import { findCondition, type NewCondition, names, type SafeText, text } from "@telltale/status";
import { isOwned } from "../chain.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { asking } from "../trouble.ts";

/** Its own, by reference; and whatever has one of these names, in case the cache is behind. Read past the cache (P-10). */
export async function appliesOf<K extends Kind>(
  it: KubeObject,
  names: readonly string[],
  hands: Hands<K>,
): Promise<readonly WorkspaceTemplateApply[]> {
  const namespace = it.metadata?.namespace ?? "";
  const known = hands.children(WorkspaceTemplateApply).map(({ metadata }) => metadata.name ?? "");
  const found: WorkspaceTemplateApply[] = [];
  for (const name of new Set([...names, ...known])) {
    const live = () => hands.live(WorkspaceTemplateApply, { namespace, name });
    const apply = await asking("get", WorkspaceTemplateApply.plural, live);
    if (apply !== undefined && isOwned(apply, it)) found.push(apply);
  }
  return found;
}

/** What the apply says of its own end is seen at the top. */
export function waitsFor({ metadata, status }: WorkspaceTemplateApply): SafeText {
  const why = findCondition(status?.conditions, "Deleting");
  const more = why?.status === "True" && why.message !== "" ? `: ${why.message}` : "";
  return text`waiting for WorkspaceTemplateApply ${metadata.name ?? ""}${more}`;
}

export const notLeaving = (applies: readonly WorkspaceTemplateApply[]): readonly WorkspaceTemplateApply[] =>
  applies.filter(({ metadata }) => metadata.deletionTimestamp === undefined);

/** Conditions that tell of an end. */
type Last = "Ready" | "Available" | "Deleting";

interface Leaver<T extends Last> {
  state(it: NewCondition<T>): unknown;
}

/**
 * Everything is gone. Where finalizers of others hold the object, that is the last word on it: nobody of ours will say anything more.
 */
export function completed<T extends Last>(
  { metadata }: KubeObject,
  draft: Leaver<NoInfer<T>>,
  ours: readonly string[],
  types: readonly T[],
): Finalized {
  const others = (metadata?.finalizers ?? []).filter((name) => !ours.includes(name));
  if (others.length === 0) return done;
  const message = text`everything that it had made is gone; finalizers of others hold it: ${names(others)}`;
  for (const type of types) {
    const said = type === "Deleting" ? (["True", "DeletionCompleted"] as const) : (["False", "Deleting"] as const);
    draft.state({ type, status: said[0], reason: said[1], message });
  }
  return doneAndTold;
}
