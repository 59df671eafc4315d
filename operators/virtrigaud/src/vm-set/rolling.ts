// A rolling update (3.4): which machines are taken next, within what may be missing at once, and which are tried again. Pure.
import { parseTime } from "@telltale/kinds";
import { type Action, mostAtOnce, mostLeaving, mostRetries } from "./actions.ts";
import { needsReplacement } from "./change.ts";
import type { Member } from "./members.ts";
import { mostItems } from "./room.ts";
import type { Standing } from "./standing.ts";
import type { World } from "./world.ts";

/** `isShort`: wanted machines are missing; then none that works is taken. */
export function rolling(world: World, stand: Standing, isShort: boolean): readonly Action[] {
  const { rules, members } = world;
  const isMoving = stand.phase === "Pending" || stand.phase === "InProgress";
  if (!isMoving || rules.strategy !== "RollingUpdate") return [];
  const retried = retriesOf(stand).map((member) => ({ do: "remove", member, why: "retry" }) as const);
  const taken = [...takenNow(world, stand, isShort)].map((member): Action => {
    return needsReplacement(member.vm, stand.update.template)
      ? { do: "remove", member, why: "update" }
      : { do: "change", member, to: stand.update };
  });
  const leaving = members.filter(({ isLeaving }) => isLeaving).length;
  const removed = [...retried, ...taken.filter((it) => it.do === "remove")];
  const changed = taken.filter((it) => it.do === "change");
  return [...surging(stand), ...removed.slice(0, Math.max(0, mostLeaving - leaving)), ...changed.slice(0, mostAtOnce)];
}

/** Those that do not work anyway, and of the others as many as may be missing. */
function takenNow(world: World, stand: Standing, isShort: boolean): readonly Member[] {
  const broken = stand.outdated.filter(({ isReady }) => !isReady);
  if (isShort) return broken;
  const available = stand.wanted.filter((ordinal) => {
    const member = stand.at.get(ordinal);
    return member !== undefined && stand.isAvailable(member);
  });
  const helping = stand.surge.filter((member) => stand.isAvailable(member)).length;
  const budget = mayBeMissing(world, stand) - (stand.wanted.length - available.length) + helping;
  const working = stand.outdated.filter(({ isReady }) => isReady);
  return [...broken, ...working.slice(0, Math.max(0, budget))];
}

/** Where none stands in, because machines are changed where they are, one may be missing: else nothing ever would change. */
export const mayBeMissing = ({ rules }: World, { surgeRoom }: Standing): number =>
  surgeRoom.length === 0 ? Math.max(1, rules.maxUnavailable) : rules.maxUnavailable;

function surging({ surge, surgeRoom, at, update, outdated }: Standing): readonly Action[] {
  if (outdated.length === 0 || surge.length >= surgeRoom.length) return [];
  const free = surgeRoom.filter((ordinal) => !at.has(ordinal)).slice(0, mostAtOnce);
  return free.map((ordinal) => ({ do: "create", ordinal, of: update }) as const);
}

/**
 * Machines that this update made, that did not become available in time, and that have a try left. Tries are counted in the status:
 * where that has no room for one more, it waits until the others are given up.
 */
function retriesOf(stand: Standing): readonly Member[] {
  const { overdue, tries } = stand;
  const left = overdue.filter((member) => isMade(member, stand) && (tries.get(member.name) ?? 0) < mostRetries);
  const fresh = left.filter(({ name }) => !tries.has(name)).slice(0, mostItems - tries.size);
  return [...left.filter(({ name }) => tries.has(name)), ...fresh];
}

/** Those that have none left: the update has failed. One that was changed where it is, is not thrown away. */
export const givenUp = (stand: Standing): readonly Member[] =>
  stand.overdue.filter((member) => !isMade(member, stand) || (stand.tries.get(member.name) ?? 0) >= mostRetries);

function isMade({ bornAt }: Member, { before }: Standing): boolean {
  const begun = parseTime(before.startTime);
  return begun !== undefined && bornAt >= begun;
}
