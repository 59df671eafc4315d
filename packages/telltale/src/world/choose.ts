// Which trees somebody asked for: by kind and name, as kubectl takes them. Pure.
import type { Discovered } from "@telltale/client";
import { nearest } from "../program/parse.ts";
import { misused, Problem } from "../program/problem.ts";
import { find, groupOf, type TreeNode } from "./forest.ts";
import { isShown } from "./roots.ts";

export type Wanted =
  | { readonly as: "all"; readonly namespace?: string }
  | { readonly as: "kind"; readonly kind: Discovered; readonly namespace?: string }
  | { readonly as: "one"; readonly kind: Discovered; readonly name: string; readonly namespace?: string };

/** `locusttest demo`, `locusttest/demo`, `deploy`, or nothing. */
export function wantedIn(words: readonly string[], kinds: readonly Discovered[], namespace?: string): Wanted {
  const [first, second] = words.flatMap((word) => word.split("/"));
  const place = namespace === undefined ? {} : { namespace };
  if (first === undefined) return { as: "all", ...place };
  const kind = kindIn(first, kinds);
  if (kind === undefined) {
    const names = kinds.map(({ singular }) => singular);
    throw misused(`the server has no kind ${first}`, `${nearest(first, names)}kubectl api-resources lists them`);
  }
  return second === undefined ? { as: "kind", kind, ...place } : { as: "one", kind, name: second, ...place };
}

/** `Deployment`, `deployments`, `deploy` or `deployments.apps`; where several share a name, ours before Kubernetes' own. */
function kindIn(word: string, kinds: readonly Discovered[]): Discovered | undefined {
  const [name = "", ...group] = word.split(".");
  const lower = name.toLowerCase();
  const fits = ({ kind, plural, singular, shortNames, group: of }: Discovered): boolean =>
    (group.length === 0 || of === group.join(".")) &&
    (kind === name || plural === lower || singular === lower || shortNames.includes(lower));
  return kinds.find(fits);
}

export function pick(trees: readonly TreeNode[], wanted: Wanted): readonly TreeNode[] {
  const isThere = ({ namespace }: TreeNode): boolean =>
    wanted.namespace === undefined || namespace === wanted.namespace || namespace === "";
  if (wanted.as === "all") return trees.filter((tree) => isShown(tree) && isThere(tree));
  const isKind = (node: TreeNode): boolean =>
    node.kind === wanted.kind.kind && groupOf(node.apiVersion) === wanted.kind.group && isThere(node);
  if (wanted.as === "kind") return all(trees, isKind);
  const found = find(trees, (node) => isKind(node) && node.name === wanted.name);
  if (found !== undefined) return [found];
  const names = all(trees, isKind).map(({ name }) => name);
  const there = names.length === 0 ? "there is none" : `there are ${names.slice(0, 5).join(", ")}`;
  throw new Problem(`there is no ${wanted.kind.singular} ${wanted.name}`, `${nearest(wanted.name, names)}${there}`);
}

function all(trees: readonly TreeNode[], is: (node: TreeNode) => boolean): readonly TreeNode[] {
  return trees.flatMap((tree) => (is(tree) ? [tree] : all(tree.children, is)));
}
