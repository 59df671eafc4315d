// Where a set stands between its machines and its spec: who is wanted, who is missing, who is of an old revision, and how far the
// update has come (3.4). Plan and status both begin here. Pure.
import { type Instant, instant, parseTime, plus } from "@telltale/kinds";
import type { VMSetUpdatePhase } from "../kinds/index.ts";
import { needsReplacement } from "./change.ts";
import { isKnownDown } from "./machine-state.ts";
import type { Member } from "./members.ts";
import type { Revision, ToldUpdate, World } from "./world.ts";

export interface Standing {
  readonly update: Revision;
  /** The ordinals that there should be, in their order. */
  readonly wanted: readonly number[];
  readonly at: ReadonlyMap<number, Member>;
  readonly missing: readonly number[];
  /** Machines beyond the wanted ones that help an update along, and the ordinals that they may have. */
  readonly surge: readonly Member[];
  readonly surgeRoom: readonly number[];
  /** Machines that are not wanted, the highest first. */
  readonly extra: readonly Member[];
  /** Those to be updated that are not, the highest first. */
  readonly outdated: readonly Member[];
  /** Wanted, updated as far as the partition goes, and available. */
  readonly isFinished: boolean;
  /** What was said of this update; nothing where it is a new one. */
  readonly before: ToldUpdate;
  /** How often machines that failed were tried again, by name. */
  readonly tries: ReadonlyMap<string, number>;
  /** Before this pass did anything. */
  readonly phase: VMSetUpdatePhase | undefined;
  /** Updated machines that did not become available in time. */
  readonly overdue: readonly Member[];
  isAvailable(member: Member): boolean;
}

export function standing(world: World, update: Revision): Standing {
  const { members, rules, now } = world;
  const wanted = wantedOrdinals(world);
  const isWanted = new Set(wanted);
  const at = new Map(members.map((member) => [member.ordinal, member]));
  // Ready since a time to come: whoever said so had a clock that was ahead.
  const isAvailable = ({ isLeaving, state, since }: Member): boolean =>
    !isLeaving && state === "ready" && Math.max(0, now - since) >= rules.minReady;
  const isUpdated = ({ revision }: Member): boolean => revision === update.hash;

  const updatable = wanted.filter((ordinal) => ordinal >= rules.partition).flatMap((ordinal) => at.get(ordinal) ?? []);
  const outdated = updatable.filter((member) => !member.isLeaving && !isUpdated(member)).reverse();
  const missing = wanted.filter((ordinal) => !at.has(ordinal));
  const isFinished =
    missing.every((ordinal) => ordinal < rules.partition) &&
    updatable.every((member) => isUpdated(member) && isAvailable(member));
  const isNew = world.told.updateRevision !== undefined && world.told.updateRevision !== update.name;
  const before: ToldUpdate = isNew ? { phase: "Pending" } : world.told.update;
  const phase = phaseBefore(before.phase, rules.isPaused, outdated.length > 0);
  const isMoving = phase === "Pending" || phase === "InProgress";

  const beyond = members.filter(({ ordinal }) => !isWanted.has(ordinal));
  const isSurging =
    rules.maxSurge > 0 &&
    rules.strategy === "RollingUpdate" &&
    (isMoving || phase === "Paused" || phase === "Failed") &&
    !isFinished &&
    (beyond.length > 0 || outdated.some(({ vm }) => needsReplacement(vm, update.template)));
  const surgeRoom = isSurging ? ordinalsAbove(wanted, rules.start, rules.maxSurge, world.taken) : [];
  const inSurgeRoom = beyond.filter(({ ordinal }) => surgeRoom.includes(ordinal));
  const available = [...at.values()].filter((it) => isAvailable(it) && (isWanted.has(it.ordinal) || isUpdated(it)));
  const needed = rules.replicas - rules.maxUnavailable - available.length;
  const kept = inSurgeRoom.filter((it) => !isUpdated(it) && mayHelp(it)).slice(0, Math.max(0, needed));
  const surge = inSurgeRoom.filter((it) => isUpdated(it) || kept.includes(it));
  const extra = beyond.filter((member) => !surge.includes(member)).reverse();

  // A machine that was there before has the same time from when the update began.
  const begun = parseTime(before.startTime);
  const isTime = isMoving && begun !== undefined && now >= plus(begun, rules.deadline);
  const overdue = isTime ? [...updatable, ...surge].filter((it) => isUpdated(it) && isOverdue(it, world)) : [];
  return {
    update,
    wanted,
    at,
    missing,
    surge,
    surgeRoom,
    extra,
    outdated,
    isFinished,
    before,
    tries: new Map(before.failedVMs?.map(({ name, retryCount = 0 }) => [name, retryCount])),
    phase,
    overdue,
    isAvailable,
  };
}

/** A surge machine of an older revision, without which too few might be available. */
const mayHelp = ({ isLeaving, state }: Member): boolean => !isLeaving && !isKnownDown(state);

/**
 * Whether a machine has had its time and is known not to be ready. A machine that is ready again after an outage is on its way to being
 * available, however long ago it was changed.
 */
export function isOverdue(member: Member, world: World): boolean {
  const { isLeaving, state } = member;
  return !isLeaving && (state === "notReady" || state === "down") && world.now >= dueAt(member, world);
}

/** Whether it is not known if a machine is up, for longer than it takes to observe one that was just created or changed. */
export function isUnknown(member: Member, world: World): boolean {
  const { isLeaving, state } = member;
  const isUnobserved = state === "unobserved" && world.now >= dueAt(member, world);
  return !isLeaving && (state === "unknown" || state === "notCreated" || isUnobserved);
}

/** When it should be ready: from when it was made, changed, or last ready. */
export const dueAt = ({ updatedAt, since }: Member, { rules }: World): Instant =>
  plus(instant(Math.max(updatedAt, since)), rules.deadline);

/** From the first one on, without those whose names are others'. */
function wantedOrdinals({ rules, taken }: World): readonly number[] {
  const wanted: number[] = [];
  for (let ordinal = rules.start; wanted.length < rules.replicas; ordinal += 1) {
    if (!taken.has(ordinal)) wanted.push(ordinal);
  }
  return wanted;
}

function ordinalsAbove(wanted: readonly number[], start: number, count: number, taken: ReadonlySet<number>): number[] {
  const above: number[] = [];
  for (let ordinal = (wanted.at(-1) ?? start - 1) + 1; above.length < count; ordinal += 1) {
    if (!taken.has(ordinal)) above.push(ordinal);
  }
  return above;
}

/** A partition that lets more machines in begins an update as a new template does. */
function phaseBefore(
  stored: VMSetUpdatePhase | undefined,
  isPaused: boolean,
  isOutdated: boolean,
): VMSetUpdatePhase | undefined {
  const begun = (stored === undefined || stored === "Completed") && isOutdated ? "Pending" : stored;
  if (begun === "Paused" && !isPaused) return "InProgress";
  return isPaused && (begun === "Pending" || begun === "InProgress") ? "Paused" : begun;
}
