// Objects as trees, by their owners: any owner graph, ours or not. Pure.
import type { Instant, Kind, KubeObject } from "@telltale/kinds";
import { type Look, look } from "./look.ts";

export interface TreeNode extends Look {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for what is in none. */
  readonly namespace: string;
  readonly uid: string;
  readonly children: readonly TreeNode[];
}

/** What kinds say, by group and kind. */
export type Vocabulary = (object: KubeObject) => Kind | undefined;

export function vocabularyOf(kinds: readonly Kind[]): Vocabulary {
  const known = new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]));
  return ({ apiVersion = "", kind = "" }) => known.get(`${groupOf(apiVersion)}/${kind}`);
}

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";

/** Every object under the first of its owners that is there; the others are roots. In the order of kinds and names. */
export function forest(objects: readonly KubeObject[], words: Vocabulary, now: Instant): readonly TreeNode[] {
  const known = new Map(objects.map((object) => [object.metadata?.uid ?? "", object]));
  const children = Map.groupBy(objects, (object) => ownerOf(object, known));
  const grow = (object: KubeObject, above: ReadonlySet<string>): TreeNode => {
    const uid = object.metadata?.uid ?? "";
    const path = new Set([...above, uid]);
    // Two that own each other would never end.
    const below = (children.get(uid) ?? []).filter((child) => !path.has(child.metadata?.uid ?? ""));
    return {
      apiVersion: object.apiVersion ?? "",
      kind: object.kind ?? "",
      name: object.metadata?.name ?? "",
      namespace: object.metadata?.namespace ?? "",
      uid,
      ...look(object, words(object), now),
      children: below.map((child) => grow(child, path)).sort(byName),
    };
  };
  const roots = children.get("") ?? [];
  return roots.map((root) => grow(root, new Set())).sort(byName);
}

/** The one that controls it before the others. Empty: nobody that we know. */
function ownerOf({ metadata }: KubeObject, known: ReadonlyMap<string, KubeObject>): string {
  const owners = (metadata?.ownerReferences ?? []).filter(({ uid }) => known.has(uid) && uid !== metadata?.uid);
  return (owners.find(({ controller }) => controller === true) ?? owners[0])?.uid ?? "";
}

function byName(a: TreeNode, b: TreeNode): number {
  const key = ({ namespace, kind, name }: TreeNode) => `${namespace}\n${kind}\n${name}`;
  return key(a) < key(b) ? -1 : 1;
}

/** Depth first, the node itself first. */
export function* nodesOf(node: TreeNode): Iterable<TreeNode> {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

export function find(trees: readonly TreeNode[], is: (node: TreeNode) => boolean): TreeNode | undefined {
  for (const tree of trees) for (const node of nodesOf(tree)) if (is(node)) return node;
  return undefined;
}
