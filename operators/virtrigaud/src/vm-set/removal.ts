// Which machines a set removes first where it has too many, or where all are to be replaced at once (3.4). Pure.
import { isKnownDown } from "./machine-state.ts";
import type { Member } from "./members.ts";
import type { Standing } from "./standing.ts";
import type { World } from "./world.ts";

/**
 * First those that are known to be down, then the others, each in the given order. A machine whose provider cannot be asked waits: it may
 * run, and cannot be removed now anyway. Nothing is lost where a user takes the change back meanwhile.
 */
export function removable(members: readonly Member[]): readonly Member[] {
  const live = members.filter(({ isLeaving }) => !isLeaving);
  const isDown = ({ state }: Member): boolean => isKnownDown(state);
  return [...live.filter(isDown), ...live.filter((it) => !isDown(it) && it.state !== "unknown")];
}

/** Those that wait until their state is known, where no other one is being removed or can be. */
export function awaitedFirst(members: readonly Member[]): readonly Member[] {
  const isGoingOn = members.some(({ isLeaving }) => isLeaving) || removable(members).length > 0;
  return isGoingOn ? [] : members.filter(({ state }) => state === "unknown");
}

export const ofOldRevision = ({ members }: World, { update }: Standing): readonly Member[] =>
  members.filter(({ revision }) => revision !== update.hash).reverse();
