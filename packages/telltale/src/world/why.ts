// Why something is not well: down the tree, from each object to the one below it that is to blame. Pure.
import { declarationOf, type Instant, type Kind } from "@telltale/kinds";
import type { TreeNode } from "./forest.ts";
import type { Health, Said } from "./look.ts";
import { type Meaning, meaningOf } from "./meaning.ts";

export interface Finding {
  readonly node: TreeNode;
  readonly troubles: readonly Explained[];
}

export interface Explained extends Said {
  readonly meaning?: Meaning;
}

/** From the object that was asked about to the one that is to blame. One alone: nobody below it is. */
export function why(node: TreeNode, words: (node: TreeNode) => Kind | undefined): readonly Finding[] {
  const troubles = explained(node, words(node));
  const next = node.health === "well" ? undefined : toBlame(node);
  if (next === undefined) return [{ node, troubles }];
  // Where somebody below is to blame, that one says more than all conditions of its owner.
  return [{ node, troubles: troubles.slice(0, 1) }, ...why(next, words)];
}

/** The child in the worst state, and of several the one that has been in it for longest. */
function toBlame({ children }: TreeNode): TreeNode | undefined {
  const unwell = children.filter((child) => rank[worstIn(child)] > 0);
  return unwell.sort((a, b) => rank[worstIn(b)] - rank[worstIn(a)] || sinceOf(a) - sinceOf(b))[0];
}

const rank: Readonly<Record<Health, number>> = { well: 0, unknown: 1, going: 2, busy: 3, bad: 4 };

/** Of a node and all below it: an owner may not have noticed yet. */
export function worstIn({ health, children }: TreeNode): Health {
  return children.map(worstIn).reduce((worst, it) => (rank[it] > rank[worst] ? it : worst), health);
}

const sinceOf = ({ since }: TreeNode): number => since ?? (Number.MAX_SAFE_INTEGER as Instant);

/** What takes something away from the result of an object that ended well. */
export function reservationsOf({ troubles, health }: TreeNode, kind: Kind | undefined): readonly Said[] {
  if (kind === undefined || health !== "well") return [];
  return troubles.filter(({ type, status }) => {
    const declared = declarationOf(kind.conditions, type);
    return status === "False" && declared?.form === "own" && declared.qualifiesResult === true;
  });
}

function explained(node: TreeNode, kind: Kind | undefined): readonly Explained[] {
  const { said, troubles, health } = node;
  const all = said === undefined || troubles.includes(said) ? troubles : [said, ...troubles];
  const first = said === undefined ? all : [said, ...all.filter((it) => it !== said)];
  const told = health === "well" ? [...first.slice(0, 1), ...reservationsOf(node, kind)] : first;
  const isNew = ({ message, reason }: Said, i: number) =>
    told.findIndex((other) => other.message === message && other.reason === reason) === i;
  return told.filter(isNew).map((it) => {
    const meaning = meaningOf(kind, it);
    return { ...it, ...(meaning !== undefined && { meaning }) };
  });
}
