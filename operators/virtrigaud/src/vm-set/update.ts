// How far the update of a set has come (3.4): updateStatus, and when the new revision is the current one. Pure.
import { formatTime, instant } from "@telltale/kinds";
import { names, type SafeText, text } from "@telltale/status";
import type { VMSetFailedVM, VMSetUpdatePhase, VMSetUpdateStatus } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import type { Member } from "./members.ts";
import { nameOf } from "./objects.ts";
import { awaitedBy, givenUp } from "./rolling.ts";
import { mostItems } from "./room.ts";
import { dueAt, type Standing } from "./standing.ts";
import type { World } from "./world.ts";

export interface Progress {
  readonly phase: VMSetUpdatePhase | undefined;
  /** Undefined: there has been none. */
  readonly status: VMSetUpdateStatus | undefined;
  readonly currentRevision: string;
}

export function progress(world: World, stand: Standing): Progress {
  const { told, now } = world;
  const { before, update } = stand;
  const phase = phaseAfter(world, stand);
  const isWhole = phase === "Completed" && isUnpartitioned(world);
  const currentRevision = isWhole ? update.name : (told.currentRevision ?? update.name);
  if (phase === undefined) return { phase, status: undefined, currentRevision };
  const isBegun = phase !== "Pending" && !(phase === "Paused" && before.startTime === undefined);
  const isOver = phase === "Completed";
  const updated = updatedOf(world, stand).map(({ name }) => name);
  const failed = isOver ? [] : failedVMs(world, stand);
  const pending = isOver ? [] : pendingOf(world, stand, new Set(updated));
  const status: VMSetUpdateStatus = {
    phase,
    message: messageOf(phase, world, stand, failed),
    ...(isBegun ? { startTime: before.startTime ?? formatTime(now) } : {}),
    ...(isOver ? { completionTime: before.completionTime ?? formatTime(now) } : {}),
    updatedVMs: updated,
    pendingVMs: [...pending],
    failedVMs: failed,
  };
  return { phase, status, currentRevision };
}

const isUnpartitioned = ({ rules }: World): boolean => rules.partition <= rules.start;

function phaseAfter(world: World, stand: Standing): VMSetUpdatePhase | undefined {
  const { rules, made } = world;
  const { phase, outdated, isFinished } = stand;
  if (phase === undefined) return undefined;
  if (rules.strategy === "OnDelete") return isFinished || phase === "Completed" ? "Completed" : "Pending";
  if (phase === "Paused" || phase === "Completed") return phase;
  if (isFinished) return "Completed";
  if (phase === "Failed" || givenUp(stand).length > 0) return "Failed";
  const isTouched = made.taken > 0 || outdated.length === 0 || updatedOf(world, stand).length > 0;
  return phase === "Pending" && !isTouched ? "Pending" : "InProgress";
}

/** By ordinal. Those that only help along do not count. */
export function updatedOf({ rules }: World, { wanted, at, update }: Standing): readonly Member[] {
  return wanted.flatMap((ordinal) => {
    const member = at.get(ordinal);
    const isUpdated = member !== undefined && !member.isLeaving && member.revision === update.hash;
    return isUpdated && ordinal >= rules.partition ? [member] : [];
  });
}

/** Whoever is to be updated and is not, whether it is there or not. */
function pendingOf({ set, rules }: World, { wanted }: Standing, updated: ReadonlySet<string>): readonly string[] {
  const names = wanted.filter((ordinal) => ordinal >= rules.partition).map((ordinal) => nameOf(set, ordinal));
  return names.filter((name) => !updated.has(name));
}

/** Those that did not come up in time, until they do. Of too many, those that are known stay: their tries are counted. */
function failedVMs(world: World, stand: Standing): VMSetFailedVM[] {
  const { before, overdue, at, update, isAvailable } = stand;
  const late = new Map(overdue.map((member) => [member.name, member]));
  const members = new Map([...at.values()].map((member) => [member.name, member]));
  const known = (before.failedVMs ?? []).filter(({ name }) => {
    const member = members.get(name);
    return member === undefined || member.revision !== update.hash || !isAvailable(member);
  });
  const stored = new Map(known.map((it) => [it.name, it]));
  const names = [...new Set([...stored.keys(), ...late.keys()])].slice(0, mostItems).sort();
  return names.map((name) => {
    const member = late.get(name);
    return member === undefined ? (stored.get(name) ?? { name }) : failedVM(member, world, stand, stored.get(name));
  });
}

export function failedVM(
  member: Member,
  world: World,
  stand: Standing,
  stored: VMSetFailedVM | undefined,
): VMSetFailedVM {
  const { name, reason, message } = member;
  const begun = dueAt(member, world) - world.rules.deadline;
  return {
    name,
    reason: reason === "" ? "ProgressDeadlineExceeded" : reason,
    message: message === "" ? "it is not available" : message,
    lastAttempt: stored?.lastAttempt ?? formatTime(instant(begun)),
    retryCount: stand.tries.get(name) ?? 0,
  };
}

function messageOf(phase: VMSetUpdatePhase, world: World, stand: Standing, failed: readonly VMSetFailedVM[]): SafeText {
  const { rules } = world;
  const done = updatedOf(world, stand).length;
  const all = stand.wanted.filter((ordinal) => ordinal >= rules.partition).length;
  if (phase === "Pending" && rules.strategy === "OnDelete") {
    return text`${stand.outdated.length} VMs wait until somebody deletes them`;
  }
  if (phase === "Paused") return text`held by the annotation ${annotations.paused}`;
  if (phase === "Failed") return text`not available in time: ${names(failed.map(({ name }) => name))}`;
  if (phase === "Completed" && !isUnpartitioned(world)) return text`partitioned at ${rules.partition}`;
  const awaited = awaitedBy(world, stand);
  const progress = phase === "Pending" ? text`the template has changed` : text`${done}/${all} VMs updated`;
  return awaited.length === 0 ? progress : text`${progress}; waits: ${unknownStates(awaited)}`;
}

/** Which machines are not known to be up or down, and why that of the first is not. */
export function unknownStates(members: readonly Member[]): SafeText {
  const [first] = members;
  const why = first === undefined || first.reason === "" ? text`` : text` (${first.reason})`;
  const named = names(
    members.map(({ name }) => name),
    { sort: false, max: 3 },
  );
  return text`the state of ${members.length} VMs is not known: ${named}${why}`;
}
