// How a network and a control plane go: their applies before them.
import type { Kind, KubeObject } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import { findCondition, type SafeText, text } from "@telltale/status";
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
