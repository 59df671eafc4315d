// Where a member stands between two sets of members. Pure; `shards.ts` acts on it.
//
// What keeps two members from one key: a member says in its Lease by which set it goes, and acts only on keys that it owns in that
// set (before it says another, it has let go of what it loses by it). It begins to act on more only when it has seen, in one list,
// that all members say the same set. Whoever is second to see such a list for a key has seen that the first has let go.
import type { Ring } from "./ring.ts";

export type Stage =
  /** No member: nothing is ours. */
  | { readonly at: "out" }
  /** A member that goes by no set yet. */
  | { readonly at: "joined"; readonly says: "" }
  /** The members are others now. What we lose by it is closed, but work on it may still run. */
  | { readonly at: "draining"; readonly says: string; readonly ring: Ring; readonly rights: Rights }
  /** Nothing runs any more on what we lost; the Lease is to say so. */
  | { readonly at: "adopting"; readonly says: string; readonly ring: Ring; readonly rights: Rights }
  /** The Lease says so. The others may still act on what is to be ours. */
  | { readonly at: "adopted"; readonly says: string; readonly ring: Ring; readonly rights: Rights }
  /** All said so: every key of ours is ours. */
  | { readonly at: "settled"; readonly says: string; readonly ring: Ring; readonly rights: Rights }
  /** For good: nothing is ours, and what ran is running out. */
  | { readonly at: "leaving"; readonly says: string };

/** The sets in all of which a key has to be ours: the one that all agreed on last, and every one since. None: no rights. */
export type Rights = readonly Ring[];

export const none: Rights = [];

/** Other members than before. */
export function moved(stage: Stage, ring: Ring): Stage {
  if (stage.at === "out" || stage.at === "leaving") return stage;
  const rights = rightsOf(stage);
  const narrowed = rights.length === 0 || rights.some(({ hash }) => hash === ring.hash) ? rights : [...rights, ring];
  return { at: "draining", says: stage.says, ring, rights: narrowed };
}

/** Work on what we lost has ended. */
export function drained(stage: Stage): Stage {
  return stage.at === "draining" ? { ...stage, at: "adopting", says: stage.ring.hash } : stage;
}

/** The Lease is known to say this. */
export function written(stage: Stage, said: string): Stage {
  return stage.at === "adopting" && said === stage.ring.hash ? { ...stage, at: "adopted" } : stage;
}

/** Every member was seen to say what we say. */
export function agreed(stage: Stage): Stage {
  return stage.at === "adopted" ? { ...stage, at: "settled", rights: [stage.ring] } : stage;
}

export function rightsOf(stage: Stage): Rights {
  return "rights" in stage ? stage.rights : none;
}

export function mayActOn(rights: Rights, member: string, key: string): boolean {
  return rights.length > 0 && rights.every((ring) => ring.owner(key) === member);
}
