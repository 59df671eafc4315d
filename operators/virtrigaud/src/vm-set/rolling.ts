// A rolling update (3.4): which machines are taken next, within what may be missing at once, and which are tried again. Pure.
import { parseTime } from "@telltale/kinds";
import { type Action, mostAtOnce, mostLeaving, mostRetries } from "./actions.ts";
import { needsReplacement } from "./change.ts";
import { isKnownDown } from "./machine-state.ts";
import type { Member } from "./members.ts";
import { awaitedFirst, ofOldRevision } from "./removal.ts";
import { mostItems } from "./room.ts";
import { isUnknown, type Standing } from "./standing.ts";
import type { World } from "./world.ts";

/** `isShort`: wanted machines are missing; then none that works is taken. */
export function rolling(world: World, stand: Standing, isShort: boolean): readonly Action[] {
  const { rules, members } = world;
  const isMoving = stand.phase === "Pending" || stand.phase === "InProgress";
  if (!isMoving || rules.strategy !== "RollingUpdate") return [];
  const taken = takenNow(world, stand, isShort).map((member): Action => {
    if (stand.overdue.includes(member)) return { do: "remove", member, why: "retry" };
    return needsReplacement(member.vm, stand.update.template)
      ? { do: "remove", member, why: "update" }
      : { do: "change", member, to: stand.update };
  });
  const leaving = members.filter(({ isLeaving }) => isLeaving).length;
  const removed = taken.filter((it) => it.do === "remove");
  const changed = taken.filter((it) => it.do === "change");
  return [...surging(stand), ...removed.slice(0, Math.max(0, mostLeaving - leaving)), ...changed.slice(0, mostAtOnce)];
}

/**
 * Machines that are known to be down do not use budget. Those that may run do, also where they are not ready: as long as there is room
 * they are counted as running. What is unknown is never taken, and is counted as unavailable.
 */
function takenNow(world: World, stand: Standing, isShort: boolean): readonly Member[] {
  const { wanted, at, outdated, surge, isAvailable, update } = stand;
  const oldSurge = surge.filter(({ revision }) => revision !== update.hash);
  const candidates = [...retriesOf(stand), ...outdated, ...oldSurge];
  const free = candidates.filter(({ state }) => isKnownDown(state));
  if (isShort) return free;
  const mayRun = candidates.filter(({ state }) => state === "notReady");
  const counts = (member: Member): boolean => isAvailable(member) || mayRun.includes(member);
  const running = wanted.flatMap((ordinal) => at.get(ordinal) ?? []).filter(counts).length;
  const room = mayBeMissing(world, stand) - (wanted.length - running) + surge.filter(counts).length;
  const ready = outdated.filter(({ state }) => state === "ready");
  return [...free, ...[...mayRun, ...ready].slice(0, Math.max(0, room))];
}

/** The machines whose state has to be known before the update goes on. */
export function awaitedBy(world: World, stand: Standing): readonly Member[] {
  const { wanted, at, phase, missing, surge } = stand;
  const isMoving = phase === "Pending" || phase === "InProgress";
  if (isMoving && world.rules.strategy === "Recreate") return awaitedFirst(ofOldRevision(world, stand));
  if (!isMoving || world.rules.strategy !== "RollingUpdate") return [];
  if (takenNow(world, stand, missing.length > 0).length > 0) return [];
  const awaited = [...wanted.flatMap((ordinal) => at.get(ordinal) ?? []), ...surge];
  return awaited.filter((member) => isUnknown(member, world));
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
