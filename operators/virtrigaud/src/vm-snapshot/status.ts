// What a snapshot says of itself, row by row of how a pass can end (3.6). Pure.
import { formatGoDuration, formatTime, type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { type Draft, remaining, type SafeText, text, volatile } from "@telltale/status";
import type { VMSnapshot } from "../kinds/index.ts";
import { taskPolls } from "../link/task.ts";
import { isNew, isTaken, keepingNow, nextLook } from "./decide.ts";
import { nextPoll } from "./polls.ts";
import { unanswered } from "./reach.ts";
import type { FailReason, Rest } from "./step.ts";
import { childrenOf, refOf } from "./tree.ts";
import type { World } from "./world.ts";

export type SnapshotDraft = Draft<typeof VMSnapshot>;

const second: Ms = 1_000;

/** When to look again; undefined: when something changes. */
type Wake = Instant | undefined;

export function status(world: World, draft: SnapshotDraft): void {
  const { rest, told } = world;
  if (rest === undefined) return;
  if (rest.is === "stuck") {
    draft.keep("Ready", "Creating").set({ message: text`${told.ready?.message ?? ""}` });
    return;
  }
  again(told.phase, !isTaken(world) && world.schedule === undefined && rest.is !== "invalid", draft);
  fields(world, draft);
  draft.wake(say(rest, world, draft));
}

/** What is held, as it is now. */
function fields({ held, key, snapshot, siblings }: World, draft: SnapshotDraft): void {
  const { entry, parent, ...rest } = held;
  draft.set(rest).unset(...names.filter((name) => rest[name] === undefined));
  const isOrphan = !siblings.some(({ metadata }) => metadata.uid === parent?.uid);
  if (parent === undefined || isOrphan) draft.unset("parent");
  else draft.set({ parent });
  const children = childrenOf(snapshot, siblings).map(refOf);
  if (children.length === 0) draft.unset("children");
  else draft.set({ children });
  if (entry !== undefined) draft.set({ providerStatus: { [key]: entry } });
}

const names = ["snapshotID", "taskRef", "creationTime", "completionTime", "progress", "size", "virtualSize"] as const;

function say(rest: Exclude<Rest, { is: "stuck" }>, world: World, draft: SnapshotDraft): Wake {
  const { now } = world;
  const after = (ms: Ms): Instant => plus(now, ms);
  switch (rest.is) {
    case "invalid":
      return sayInvalid(rest, world, draft);
    case "scheduled":
      return sayScheduled(rest, draft);
    case "noMachine": {
      const said = text`Referenced VM not found: ${world.snapshot.spec.vmRef.name}`;
      back(world, draft).condition("Ready", false, "VMNotFound", said).set({ message: said });
      return after(30 * second);
    }
    case "waiting":
      back(world, draft).condition("Creating", false, "WaitingForVM", rest.for);
      draft.condition("Ready", false, "WaitingForVM", rest.for).set({ message: rest.for });
      return after(rest.again);
    case "unreachable":
      unheard(rest, back(world, draft));
      return after(30 * second);
    case "failed":
      sayFailed(rest.reason, rest.why, draft);
      return undefined;
    case "taking":
      taking(world, draft);
      return after(10 * second);
    case "checking":
      draft.phase("Creating").keep("Ready", "Creating");
      return after(10 * second);
    case "unsure":
      draft.phase("Creating").keep("Ready", "Creating");
      return rest.at;
    case "retrying": {
      const said = rest.why;
      draft.phase("Creating").condition("Creating", true, "ProviderError", said);
      draft.condition("Ready", false, "ProviderError", said).set({ message: said });
      return rest.at;
    }
    case "busy":
      draft.phase("Creating").condition("Creating", true, "Busy", rest.why);
      draft.condition("Ready", false, "Busy", rest.why).set({ message: rest.why });
      return rest.at;
    case "working":
      return sayWorking(world, draft);
    case "unheard":
      unheard(rest, draft.phase("Creating"));
      return after(taskPolls.snapshot);
    case "ready":
      return sayReady(rest, world, draft);
    case "expired":
    case "removed":
      return sayExpired(rest, world, draft);
  }
}

/** Nobody knows what the provider is at. */
function unheard({ why, isAway }: { readonly why: SafeText; readonly isAway: boolean }, draft: SnapshotDraft): void {
  const reason = isAway ? "ProviderUnreachable" : "ProviderError";
  draft.condition("Creating", "Unknown", reason, why);
  draft.condition("Ready", "Unknown", reason, why).set({ message: why });
}

/** Where nothing has been asked of the provider yet, it waits. */
function back({ told, held, record }: World, draft: SnapshotDraft): SnapshotDraft {
  const isBegun = told.phase === "Creating" && ((held.taskRef ?? "") !== "" || record !== undefined);
  return draft.phase(isBegun ? "Creating" : "Pending");
}

/** From the beginning: after a failure, and where a schedule has become a snapshot. */
function again(phase: World["told"]["phase"], isUntaken: boolean, draft: SnapshotDraft): void {
  if (phase === "Expired" && isUntaken) draft.phase("Ready");
  const isOver = phase === "Ready" || phase === "Expired";
  if (phase === undefined || phase === "Failed" || (isOver && isUntaken)) draft.phase("Pending");
}

export function taking(world: World, draft: SnapshotDraft): void {
  again(world.snapshot.status?.phase, true, draft);
  fields(world, draft);
  const said = text`Snapshot creation initiated`;
  draft.phase("Creating").condition("Creating", true, "Creating", said);
  draft.condition("Ready", false, "Creating", said).set({ message: said });
}

function sayInvalid({ reason, why }: Rest & { is: "invalid" }, world: World, draft: SnapshotDraft): Wake {
  // What was taken stays what it is: only nobody knows how long it is to be kept.
  const isThere = !isNew(world) && (world.held.snapshotID ?? "") !== "";
  if (!isThere) draft.phase("Failed");
  draft.condition("Ready", false, reason, why).set({ message: why });
  return undefined;
}

function sayScheduled({ next, isSuspended }: Rest & { is: "scheduled" }, draft: SnapshotDraft): Wake {
  const said = isSuspended
    ? text`suspended`
    : next === undefined
      ? text`no next run within five years`
      : text`next run ${volatile(formatTime(next))}`;
  // A snapshot that has become a schedule: nothing is taken any more, and a schedule does not expire.
  draft.without("Creating", "Expired");
  draft.phase("Ready").condition("Ready", true, "Scheduled", said).set({ message: said });
  return next;
}

function sayFailed(reason: FailReason, why: SafeText, draft: SnapshotDraft): void {
  draft.phase("Failed").condition("Ready", false, reason, why).set({ message: why });
  const creating = reason === "ValidationError" || reason === "InvalidSchedule" ? "ProviderError" : reason;
  draft.condition("Creating", false, creating, why);
}

function sayWorking(world: World, draft: SnapshotDraft): Wake {
  const { heard, held, now, channel } = world;
  const task = heard.task?.is === "running" ? heard.task : { percent: undefined };
  const { startTime = formatTime(now) } = held.progress ?? {};
  // It never runs backwards.
  const percent =
    task.percent === undefined ? held.progress?.percentage : Math.max(task.percent, held.progress?.percentage ?? 0);
  const elapsed = Math.max(0, now - (parseTime(startTime) ?? now));
  const left = percent === undefined ? undefined : remaining({ epoch: startTime, done: percent, total: 100 }, elapsed);
  const bytes = "bytesTotal" in task ? { totalBytes: task.bytesTotal, completedBytes: task.bytesDone } : {};
  draft.set({
    progress: {
      startTime,
      ...(percent === undefined ? {} : { percentage: percent }),
      ...(bytes.totalBytes === undefined ? {} : { totalBytes: bytes.totalBytes }),
      ...(bytes.completedBytes === undefined ? {} : { completedBytes: bytes.completedBytes }),
      ...(left === undefined ? {} : { eta: formatGoDuration(left) }),
    },
  });
  const said =
    percent === undefined
      ? text`Snapshot creation in progress`
      : text`Snapshot creation in progress (${percent}% complete)`;
  draft.phase("Creating").condition("Creating", true, "Creating", said);
  draft.condition("Ready", false, "Creating", text`Snapshot creation in progress`).set({ message: said });
  return plus(now, nextPoll(taskPolls.snapshot, elapsed, channel));
}

const created = text`Snapshot created successfully`;

function there(world: World, draft: SnapshotDraft): void {
  const { told, snapshot, held, vm } = world;
  if (told.phase !== "Ready" && told.phase !== "Expired") {
    draft.phase("Ready");
    if (held.progress !== undefined) draft.set({ progress: { ...withoutEta(held.progress), percentage: 100 } });
  }
  const wasMemory = told.ready?.status === "True" ? told.ready.reason === "MemoryIncluded" : undefined;
  const isMemory =
    snapshot.spec.snapshotConfig?.includeMemory === true && (!isNew(world) || vm?.status?.powerState === "On");
  draft.condition("Ready", true, (wasMemory ?? isMemory) ? "MemoryIncluded" : "Created", created);
  draft.condition("Creating", false, "Created", created);
  draft.set({ message: held.entry?.message === undefined ? created : text`${held.entry.message}` });
}

function withoutEta({ eta: _none, ...progress }: NonNullable<World["held"]["progress"]>) {
  return progress;
}

function sayReady({ isGone, isUnseen }: Rest & { is: "ready" }, world: World, draft: SnapshotDraft): Wake {
  const { now, told, user } = world;
  there(world, draft);
  draft.phase("Ready");
  if (isGone) {
    const said = text`snapshot no longer exists`;
    draft.condition("Ready", false, "ProviderError", said).set({ message: said });
  } else if (isUnseen) sayUnseen(world, draft);
  const keeping = keepingNow(world);
  const expires = keeping.is === "kept" ? keeping.expires : undefined;
  if (expires === undefined) draft.unset("expiryTime");
  else draft.set({ expiryTime: formatTime(expires) });
  if (keeping.is === "kept" && keeping.why === "used")
    draft.condition("Expired", false, "InUse", user ?? text`It is used`);
  else if (told.expired !== undefined) draft.condition("Expired", false, "Pinned", text`It is kept`);
  const ahead = expires !== undefined && expires > now ? expires : undefined;
  const look = isUnseen ? plus(now, 300 * second) : nextLook(world);
  return ahead === undefined ? look : look === undefined || ahead < look ? ahead : look;
}

/** It was last seen longer ago than it is looked for: what was seen stays, and is not taken for what is. */
function sayUnseen({ vm, channel, heard, snapshot }: World, draft: SnapshotDraft): void {
  if ((vm?.status?.id ?? "") === "") {
    const said = text`it is not looked for any more: VirtualMachine ${snapshot.spec.vmRef.name} is not there`;
    return void draft.condition("Ready", "Unknown", "VMNotFound", said).set({ message: said });
  }
  const closed = channel.is === "closed" ? channel.why : undefined;
  const trouble = heard.trouble === undefined ? undefined : unanswered(heard.trouble, { channel });
  const said = closed ?? trouble?.why ?? text`the provider did not say whether it has it`;
  const reason = closed !== undefined || trouble?.isAway === true ? "ProviderUnreachable" : "ProviderError";
  draft.condition("Ready", "Unknown", reason, said).set({ message: said });
}

function sayExpired(rest: Rest & { is: "expired" | "removed" }, world: World, draft: SnapshotDraft): Wake {
  const { now, told } = world;
  there(world, draft);
  const keeping = keepingNow(world);
  if (told.phase !== "Expired") draft.phase("Ready").phase("Expired");
  const since = keeping.is === "expired" ? keeping.since : now;
  draft.set({ expiryTime: formatTime(since) });
  const said = text`The snapshot has expired`;
  draft.condition("Expired", true, "Expired", said).set({ message: said });
  if (rest.is === "removed") return now;
  return rest.until;
}
