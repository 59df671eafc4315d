// What a set says of itself: how many machines there are and how they are, how far an update has come, and what it waits for
// (3.4). Pure.
import { formatTime, type Instant, instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, names, type SafeText, text } from "@telltale/status";
import type { VMSet, VMSetVMStatus } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import type { Member } from "./members.ts";
import { plan } from "./plan.ts";
import { awaitedFirst } from "./removal.ts";
import { unneeded } from "./revisions.ts";
import { awaitedBy } from "./rolling.ts";
import { fitted } from "./room.ts";
import { dueAt, isOverdue, isUnknown, type Standing, standing } from "./standing.ts";
import { type Progress, progress, unknownStates, updatedOf } from "./update.ts";
import type { World } from "./world.ts";

type SetDraft = Draft<typeof VMSet>;

/** How long until it is looked again at what is waited for. */
const again: Ms = 10_000;
/** How long until templates are dropped that nobody needs any more. */
const soon: Ms = 1_000;

export function status(world: World, draft: SetDraft, now: Instant): void {
  if (world.problem !== undefined) return void draft.condition("Ready", false, "ValidationError", world.problem);
  if (world.update === undefined) return;
  const stand = standing(world, world.update);
  const done = progress(world, stand);
  const counts = countsOf(world, stand);
  draft.set({
    replicas: counts.replicas,
    readyReplicas: counts.ready,
    availableReplicas: counts.available,
    updatedReplicas: counts.updated,
    currentReplicas: counts.running,
    updateRevision: world.update.name,
    currentRevision: done.currentRevision,
    selector: world.rules.selector,
    ...fitted(world.members.map(rowOf), done.status, world.rules.selector),
  });
  conditions(world, stand, done, counts, draft);
  draft.wake(wakeAt(world, stand, done, now));
}

interface Counts {
  readonly replicas: number;
  readonly ready: number;
  readonly available: number;
  readonly updated: number;
  readonly running: number;
  /** Wanted ones that are there. */
  readonly have: number;
  /** Wanted ones whose state is not known. */
  readonly unknown: readonly Member[];
}

function countsOf(world: World, stand: Standing): Counts {
  const live = world.members.filter(({ isLeaving }) => !isLeaving);
  const wanted = stand.wanted.flatMap((ordinal) => stand.at.get(ordinal) ?? []).filter((it) => !it.isLeaving);
  const isSurge = new Set(stand.surge);
  return {
    replicas: live.length,
    ready: live.filter(({ state }) => state === "ready").length,
    available: live.filter(stand.isAvailable).length,
    updated: live.filter((member) => member.revision === stand.update.hash && !isSurge.has(member)).length,
    running: live.filter(({ phase, state }) => phase === "Running" && isObserved(state)).length,
    have: wanted.length,
    unknown: wanted.filter((member) => isUnknown(member, world)),
  };
}

const isObserved = (state: Member["state"]): boolean => ["ready", "notReady", "down"].includes(state);

function conditions(world: World, stand: Standing, done: Progress, counts: Counts, draft: SetDraft): void {
  const { replicas: want, strategy } = world.rules;
  const isUpdating = strategy !== "OnDelete" && (done.phase === "Pending" || done.phase === "InProgress");
  const isShort = counts.have < want;
  const ready = text`${counts.ready}/${want} VMs ready`;
  const failure = failureOf(world);
  const unknown = world.members.filter((member) => isUnknown(member, world));
  if (counts.available < want && counts.available + counts.unknown.length >= want) {
    draft.condition("Ready", "Unknown", "MachineStateUnknown", text`${ready}; ${unknownStates(counts.unknown)}`);
  } else if (counts.available < want) {
    draft.condition("Ready", false, isUpdating ? "UpdatingReplicas" : "CreatingReplicas", ready);
  } else if (failure === undefined) draft.condition("Ready", true, "AllReplicasReady", ready);
  else draft.condition("Ready", false, failure.reason, failure.message);

  if (stand.extra.length > 0) {
    draft.condition("Scaling", true, "ScalingDown", scalingDown(stand.extra, text`${counts.replicas}/${want} VMs`));
  } else if (isShort && !isUpdating) draft.condition("Scaling", true, "ScalingUp", text`${counts.have}/${want}`);
  else draft.condition("Scaling", false, "NotScaling", text`${counts.have}/${want}`);

  if (failure !== undefined) draft.condition("ReplicaFailure", true, failure.reason, failure.message);
  else if (unknown.length > 0) {
    draft.condition("ReplicaFailure", "Unknown", "MachineStateUnknown", unknownStates(unknown));
  } else
    draft.condition("ReplicaFailure", false, "NoFailure", "no creation, change or deletion of a machine has failed");
  progressing(world, stand, done, counts, isUpdating, draft);
  updating(done, isUpdating, draft);
}

const first = (members: readonly Member[]): SafeText =>
  names(
    members.map(({ name }) => name),
    { sort: false, max: 3 },
  );

/** Which machines are removed, and which have to wait, as it is not known whether they run. */
function scalingDown(extra: readonly Member[], counted: SafeText): SafeText {
  const waiting = extra.filter(({ isLeaving, state }) => !isLeaving && state === "unknown");
  const others = extra.filter((member) => !waiting.includes(member));
  const going = others.length === 0 ? counted : text`${counted}, removing ${first(others)}`;
  return waiting.length === 0 ? going : text`${going}; waits: ${unknownStates(waiting)}`;
}

/** What could not be done, and why. */
function failureOf({ made, members }: World) {
  if (made.refused !== undefined) return { reason: "ProviderError", message: made.refused } as const;
  const full = members.filter(({ reason, isLeaving }) => reason === "QuotaExceeded" && !isLeaving);
  if (full.length === 0) return undefined;
  return { reason: "InsufficientResources", message: text`no room for ${first(full)}` } as const;
}

function progressing(
  world: World,
  stand: Standing,
  done: Progress,
  counts: Counts,
  isUpdating: boolean,
  draft: SetDraft,
): void {
  const { replicas: want, strategy } = world.rules;
  const updated = `${updatedOf(world, stand).length}/${want} VMs updated`;
  const late = world.members.filter((member) => isOverdue(member, world));
  const awaited = awaitedBy(world, stand);
  const awaitedExtra = awaitedFirst(stand.extra);
  const how = strategy === "Recreate" ? "Recreation" : "Rolling update";
  if (done.phase === "Failed") {
    draft.condition("Progressing", false, "ProviderError", text`${done.status?.message ?? "the update has failed"}`);
  } else if (done.phase === "Paused") {
    draft.condition("Progressing", false, "Paused", text`held by the annotation ${annotations.paused}`);
  } else if (late.length > 0) {
    draft.condition("Progressing", false, "ProgressDeadlineExceeded", text`not available in time: ${first(late)}`);
  } else if (awaitedExtra.length > 0) {
    const message = text`Scale-down waits: ${unknownStates(awaitedExtra)}`;
    draft.condition("Progressing", false, "MachineStateUnknown", message);
  } else if (awaited.length > 0) {
    const message = text`${how} waits, ${updated}: ${unknownStates(awaited)}`;
    draft.condition("Progressing", false, "MachineStateUnknown", message);
  } else if (isUpdating) {
    draft.condition("Progressing", true, "UpdatingReplicas", text`${how} in progress: ${updated}`);
  } else if (stand.extra.length > 0) {
    draft.condition("Progressing", true, "DeletingReplicas", text`removing ${first(stand.extra)}`);
  } else if (counts.unknown.length > 0) {
    draft.condition("Progressing", false, "MachineStateUnknown", unknownStates(counts.unknown));
  } else if (counts.have < want || counts.available < want) {
    const message = text`${counts.have}/${want} VMs made, ${counts.available} available`;
    draft.condition("Progressing", true, "CreatingReplicas", message);
  } else if (done.phase === "Completed") {
    draft.condition("Progressing", false, "UpdateComplete", text`${done.status?.message ?? updated}`);
  } else draft.condition("Progressing", false, "AllReplicasReady", "all machines are there");
}

function updating({ phase, status: update }: Progress, isUpdating: boolean, draft: SetDraft): void {
  const message = text`${update?.message ?? "the template has not changed"}`;
  if (isUpdating) draft.condition("UpdateInProgress", true, "UpdatingReplicas", message);
  else if (phase === "Paused") draft.condition("UpdateInProgress", false, "Paused", message);
  else if (phase === "Failed") draft.condition("UpdateInProgress", false, "ProviderError", message);
  else if (phase === "Completed") draft.condition("UpdateInProgress", false, "UpdateComplete", message);
  else draft.condition("UpdateInProgress", false, "NoUpdate", message);
}

function rowOf({ name, phase, state, revision, message, bornAt, updatedAt }: Member): VMSetVMStatus {
  return {
    name,
    ...(phase === undefined ? {} : { phase }),
    ...(isObserved(state) ? { ready: state === "ready" } : {}),
    revision,
    ...(message === "" ? {} : { message }),
    creationTime: formatTime(bornAt),
    lastUpdateTime: formatTime(updatedAt),
  };
}

/** Nothing tells that a machine has been ready for long enough, or has not come up in time. */
function wakeAt(world: World, stand: Standing, done: Progress, now: Instant): Instant | undefined {
  const { rules, members, made } = world;
  // What follows at once waits for nobody: no event tells of what this pass did itself.
  const isUnderWay = made.done > 0 && made.refused === undefined;
  if (isUnderWay && plan(world, stand.update).length > 0) return now;
  const moments: Instant[] = [];
  for (const member of members) {
    if (member.isLeaving || stand.isAvailable(member)) continue;
    moments.push(member.state === "ready" ? plus(member.since, rules.minReady) : dueAt(member, world));
  }
  const isIdle = done.phase === undefined || done.phase === "Completed" || rules.strategy === "OnDelete";
  const isHeld = done.phase === "Failed" || done.phase === "Paused";
  const isWaiting =
    stand.missing.length > 0 || stand.extra.length > 0 || made.refused !== undefined || (!isIdle && !isHeld);
  if (isWaiting) moments.push(plus(now, again));
  // Once this is written.
  if (unneeded(world, [done.currentRevision, stand.update.name]).length > 0) moments.push(plus(now, soon));
  const later = moments.filter((moment) => moment > now);
  return later.length === 0 ? undefined : instant(Math.min(...later));
}
