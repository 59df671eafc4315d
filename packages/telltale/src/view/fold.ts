// Which nodes are worth a line: everything that is not well with the way to it, and what is well as far as there is room. Pure.
import { nodesOf, type TreeNode } from "../world/forest.ts";
import { worstIn } from "../world/why.ts";
import type { Branch } from "./tree.ts";

/** Everything. */
export const unfolded = (node: TreeNode): Branch => ({ node, children: node.children.map(unfolded), hidden: 0 });

/** Kubernetes' own objects below something that is well, and all of them well, are only counted. */
export function folded(node: TreeNode): Branch {
  const isCounted = node.children.every((child) => isPlain(child));
  if (node.health === "well" && isCounted) return { node, children: [], hidden: countBelow(node) };
  const worth = node.children.filter((child) => !isMute(child));
  const hidden = node.children.filter((child) => isMute(child)).reduce((sum, child) => sum + 1 + countBelow(child), 0);
  return { node, children: worth.map(folded), hidden };
}

const countBelow = (node: TreeNode): number => [...nodesOf(node)].length - 1;

const isPlain = (node: TreeNode): boolean =>
  [...nodesOf(node)].every((it) => isBuiltIn(it.apiVersion) && it.health === "well");

/** Built into Kubernetes, or nearly. */
export const isBuiltIn = (apiVersion: string): boolean =>
  !apiVersion.includes("/") || /^(apps|batch|autoscaling|policy|extensions|[a-z.]+\.k8s\.io)\//.test(apiVersion);

/** Objects that have nothing to say, now and ever. */
const isMute = ({ kind, apiVersion, health, children }: TreeNode): boolean =>
  health === "well" &&
  children.length === 0 &&
  isBuiltIn(apiVersion) &&
  /^(ConfigMap|Secret|ServiceAccount|Service|Role|RoleBinding)$/.test(kind);

/** As much as fits: children of what is well go first, then children of anything, then whole trees, the well ones first. */
export function fitted(
  trees: readonly TreeNode[],
  rows: number,
): { readonly shown: readonly Branch[]; readonly left: number } {
  const sizes = (all: readonly Branch[]) => all.reduce((sum, it) => sum + size(it), 0);
  const places = new Set(trees.map(({ namespace }) => namespace)).size;
  const room = Math.max(1, rows - 2 * places + 1);
  const ways: readonly ((node: TreeNode) => Branch)[] = [folded, troubled, alone];
  for (const way of ways) {
    const all = trees.map(way);
    if (sizes(all) <= room) return { shown: all, left: 0 };
  }
  // What is not well, then what has something below it, then the rest.
  const need = (tree: TreeNode) => (worstIn(tree) === "well" ? 2 : 0) + (tree.children.length === 0 ? 1 : 0);
  const byNeed = [...trees].sort((a, b) => need(a) - need(b));
  const kept = new Set(byNeed.slice(0, room));
  return { shown: trees.filter((tree) => kept.has(tree)).map(alone), left: trees.length - kept.size };
}

const size = ({ children }: Branch): number => 1 + children.reduce((sum, child) => sum + size(child), 0);

/** Only what is not well, and the way to it. */
function troubled(node: TreeNode): Branch {
  const children = node.children.filter((child) => worstIn(child) !== "well");
  return {
    node,
    children: children.map(troubled),
    hidden: countBelow(node) - children.reduce((sum, it) => sum + 1 + countBelow(it), 0),
  };
}

const alone = (node: TreeNode): Branch => ({ node, children: [], hidden: countBelow(node) });
