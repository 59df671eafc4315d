// The templates that a set has had, each kept as a ControllerRevision: which stands for the present one, what it is called, which
// may go (3.4). Pure.
import { canonicalJson, fnv1a32, type KubeObject, parseTime, safeEncode } from "@telltale/kinds";
import type { ControllerRevision } from "@telltale/kinds/builtin";
import type { VMSet } from "../kinds/index.ts";
import type { Template } from "./objects.ts";
import type { World } from "./world.ts";

export type Hash = (text: string) => string;

export const revisionHash: Hash = (text) => safeEncode(fnv1a32(text));

export const hashOf = (template: Template, collisions: number | undefined, hash: Hash): string =>
  hash(`${textOf(template)}${collisions ?? ""}`);

/** What of a template makes a revision. */
export const dataOf = ({ metadata, spec }: Template): object => {
  const { labels, annotations } = metadata ?? {};
  return { metadata: { ...(labels && { labels }), ...(annotations && { annotations }) }, spec };
};

const textOf = (template: Template): string => canonicalJson(dataOf(template));

export const tells = ({ data }: ControllerRevision, template: Template): boolean =>
  canonicalJson(data) === textOf(template);

/** The template that a revision holds. Of one whose data somebody else wrote: none. */
export function templateOf(revision: ControllerRevision | undefined): Template | undefined {
  const data = revision?.data as Template | undefined;
  return data?.spec === undefined ? undefined : data;
}

/** The part of its name that is the hash. */
export const hashIn = (set: VMSet, name: string | undefined): string =>
  name?.slice((set.metadata.name ?? "").length + 1) ?? "";

export type Choice =
  | { readonly is: "newest"; readonly revision: ControllerRevision } // nothing has changed
  | { readonly is: "older"; readonly revision: ControllerRevision; readonly to: number } // back to it
  | { readonly is: "new"; readonly number: number }; // there was none like it

/** `revisions` in their order. */
export function choose(revisions: readonly ControllerRevision[], template: Template): Choice {
  const newest = revisions.at(-1);
  const number = (newest?.revision ?? 0) + 1;
  const same = revisions.findLast((it) => tells(it, template));
  if (same === undefined) return { is: "new", number };
  return same === newest ? { is: "newest", revision: same } : { is: "older", revision: same, to: number };
}

/** The newest last. */
export const inOrder = (revisions: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  [...revisions].sort((a, b) => a.revision - b.revision || bornAt(a) - bornAt(b));

const bornAt = ({ metadata }: KubeObject): number => parseTime(metadata?.creationTimestamp) ?? 0;

/** Those that no machine is of and nobody has named, beyond the newest of them that are kept. What a stored status names is needed. */
export function unneeded(
  { set, revisions, members, rules }: Pick<World, "set" | "revisions" | "members" | "rules">,
  named: readonly (string | undefined)[],
): readonly ControllerRevision[] {
  const used = new Set(named);
  for (const { revision } of members) used.add(`${set.metadata.name}-${revision}`);
  const unused = revisions.filter(({ metadata }) => !used.has(metadata?.name));
  return unused.slice(0, Math.max(0, unused.length - rules.historyLimit));
}
