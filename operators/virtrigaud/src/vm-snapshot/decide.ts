// What comes next in a pass over a snapshot: the rows of its state machine, in their order (3.6). Pure. A row either has something
// to say, or lets the next one speak.
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { findCondition, text } from "@telltale/status";
import { busyDeadline, deadlines } from "../link/deadlines.ts";
import { busyDelay } from "../link/wait.ts";
import { annotations } from "../names.ts";
import { unknownBecause } from "../reachable.ts";
import { isReverting } from "../virtual-machine/marks.ts";
import { hintFor } from "./hint.ts";
import { isExact, unanswered } from "./reach.ts";
import { byBirth, keepingOf } from "./retention.ts";
import { scheduling } from "./scheduling.ts";
import { ask, deed, type FailReason, rest, type Step } from "./step.ts";
import type { World } from "./world.ts";

export const takeOp = "SnapshotCreate";
export const tries = 5;

export function decide(world: World): Step {
  for (const row of rows) {
    const step = row(world);
    if (step !== undefined) return step;
  }
  return ready(world);
}

type Row = (world: World) => Step | undefined;

const invalid: Row = ({ problem }) => (problem === undefined ? undefined : rest({ is: "invalid", ...problem }));

const scheduled: Row = (world) => (world.schedule === undefined ? undefined : scheduling(world, world.schedule));

const stuck: Row = ({ told }) => (told.phase === "Failed" && told.isSameSpec ? rest({ is: "stuck" }) : undefined);

/** What a failed attempt left behind goes before the next one begins. */
const leftover: Row = (world) => {
  if (world.told.phase !== "Failed" || !isKnown(world)) return undefined;
  if (world.channel.is === "closed") return rest({ is: "unreachable", why: world.channel.why, isAway: true });
  if (world.heard.trouble !== undefined) return rest({ is: "unreachable", ...unanswered(world.heard.trouble, world) });
  return deed({ is: "discard" });
};

/** It is there: the rest is about keeping it. */
const taken: Row = (world) => (isTaken(world) ? ready(world) : undefined);

const machine: Row = ({ vm, held, record }) => {
  if (vm === undefined) return rest({ is: "noMachine" });
  const isBegun = (held.taskRef ?? "") !== "" || record?.op === takeOp;
  const { id = "", phase, conditions = [] } = vm.status ?? {};
  const told = { reconfiguring: findCondition(conditions, "Reconfiguring") };
  const isBusy = phase === "Provisioning" || phase === "Deleting" || isReverting(told);
  if (id === "" || (isBusy && !isBegun)) {
    const why = unknownBecause(vm) ?? text`Waiting for VM to be provisioned`;
    return rest({ is: "waiting", for: why, again: 30_000 });
  }
  return undefined;
};

/** What the provider says that it cannot do. */
const unable: Row = ({ snapshot, channel: { provider }, record }) => {
  if (record?.op === takeOp) return undefined;
  const { supportsSnapshots, supportsMemorySnapshots } = provider?.status?.reportedCapabilities ?? {};
  const { includeMemory, encryption } = snapshot.spec.snapshotConfig ?? {};
  const why =
    supportsSnapshots === false
      ? text`provider does not support snapshots`
      : includeMemory === true && supportsMemorySnapshots === false
        ? text`provider does not support memory snapshots`
        : encryption?.enabled === true
          ? text`provider cannot encrypt snapshots`
          : undefined;
  return why === undefined ? undefined : failed("Unsupported", why);
};

const unreachable: Row = ({ channel }) =>
  channel.is === "closed" ? rest({ is: "unreachable", why: channel.why, isAway: true }) : undefined;

/** The provider is at it. */
const task: Row = (world) => {
  const { held, heard } = world;
  if ((held.taskRef ?? "") === "") return undefined;
  if (heard.trouble !== undefined) return rest({ is: "unheard", ...unanswered(heard.trouble, world) });
  if (heard.task === undefined) return ask("task");
  switch (heard.task.is) {
    case "running":
      return rest({ is: "working" });
    case "failed":
      return failed("ProviderError", heard.task.said);
    case "done":
    case "forgotten": {
      if (heard.disk === undefined) return ask("disk");
      const { snapshot_id: given } = heard.task.is === "done" ? (heard.task.result ?? {}) : {};
      const id = typeof given === "string" && given !== "" ? given : (held.snapshotID ?? sent(world));
      if (isListed(world, id) !== false) return deed({ is: "own", id });
      if (heard.task.is === "forgotten") return deed({ is: "drop" });
      return failed("ProviderError", text`the provider came to an end, and has no such snapshot`);
    }
  }
};

const isBusy = ({ held }: World): boolean => held.entry?.state === "Busy";

/** The provider refused because the machine had other work: it is asked again after a while. */
const busy: Row = (world) => {
  const { told, held, heard, now } = world;
  if (!isBusy(world) || told.phase !== "Creating" || heard.request !== undefined) return undefined;
  const since = parseTime(held.entry?.lastUpdated) ?? now;
  const at = askedAgainAt(world, since);
  // A time that is still to come is of a clock that was wrong.
  if (since > now || now >= at) return undefined;
  return rest({ is: "busy", why: text`${told.ready?.message ?? ""}`, at });
};

/** When a busy machine is asked again, after it was found busy at that time. */
const askedAgainAt = ({ held }: World, since: Instant): Instant =>
  plus(since, busyDelay(since - (parseTime(held.creationTime) ?? since)));

/** The snapshot is wanted of this moment: it is not waited for a machine without an end. */
function afterBusy(world: World, why: ReturnType<typeof text>): Step {
  const { held, now } = world;
  const isOver = now - (parseTime(held.creationTime) ?? now) >= busyDeadline;
  return isOver
    ? failed("ProviderError", text`${why}; it was waited for 1h`)
    : rest({ is: "busy", why, at: askedAgainAt(world, now) });
}

/** A request of which nobody has stored what it came to. */
const requested: Row = (world) => {
  const { record, told, heard, now } = world;
  if (record?.op !== takeOp) return undefined;
  const isKept = told.phase === "Creating" && told.creating?.reason === "ProviderError";
  if (heard.request === undefined) {
    const at = isKept ? plus(parseTime(record.at) ?? now, backoff(record.attempt)) : now;
    const isEarly = at > now && at <= plus(now, backoff(record.attempt));
    return isEarly ? rest({ is: "retrying", why: text`${told.creating?.message ?? ""}`, at }) : ask("request");
  }
  switch (heard.request.is) {
    case "running":
      return rest(isKept ? { is: "checking" } : { is: "taking" });
    case "unsure":
      return rest({ is: "retrying", why: heard.request.error.said, at: plus(now, 30_000) });
    case "lost": {
      const until = surely(world);
      if (now < until) return rest({ is: "unsure", at: plus(now, Math.min(10_000, until - now)) });
      return record.attempt >= tries && !isBusy(world)
        ? failed("ProviderError", text`${told.creating?.message ?? "the provider lost every request"}`)
        : undefined;
    }
    case "refused":
      return refused(world, heard.request.error.failure);
  }
};

/** From when on it is sure that nothing comes of a request any more of which nobody has heard. */
export function surely({ recordAge, held, now, channel }: World): Instant {
  const isOver = ["Refused", "Busy"].includes(held.entry?.state ?? "") || isExact(channel);
  return isOver ? now : plus(now, Math.max(0, deadlines.snapshotCreate - recordAge));
}

function refused(world: World, failure: string): Step {
  const { heard, record, now } = world;
  const why = heard.request?.is === "refused" ? heard.request.error.said : text``;
  const attempt = record?.attempt ?? 1;
  if (failure === "InvalidSpec") return failed("ValidationError", why);
  if (failure === "NotSupported") return failed("Unsupported", why);
  if (failure === "Busy") return afterBusy(world, why);
  if (failure === "Conflict") {
    // A name that is taken at the first attempt is somebody else's; later it may be what an attempt made that nobody heard of.
    if (heard.disk === undefined && heard.trouble === undefined) return ask("disk");
    const isThere = heard.disk !== undefined && isListed(world, sent(world)) === true;
    if (isThere && attempt > 1) return deed({ is: "own", id: sent(world) });
    if (isThere) return failed("ProviderError", text`the machine has another snapshot named ${sent(world)}`);
  }
  return attempt >= tries
    ? failed("ProviderError", why)
    : rest({ is: "retrying", why, at: plus(now, backoff(attempt)) });
}

/** One at a time: the provider changes the same disks for each. */
const turn: Row = ({ snapshot, siblings, told, record }) => {
  if (told.phase === "Creating" || record?.op === takeOp) return undefined;
  const ahead = siblings.find((it) => {
    const { phase } = it.status ?? {};
    if (it.metadata.deletionTimestamp !== undefined) return false;
    if (phase === "Creating") return true;
    const isWaiting = phase === undefined || phase === "Pending";
    const isHeld = it.metadata.annotations?.[annotations.paused] === "true" || it.spec.schedule?.enabled === true;
    return isWaiting && !isHeld && byBirth(it, snapshot) < 0;
  });
  if (ahead === undefined) return undefined;
  return rest({ is: "waiting", for: text`Waiting for snapshot ${ahead.metadata.name ?? ""}`, again: 10_000 });
};

/** Whether the guest can be brought to rest first. */
const quiesce: Row = (world) => {
  const { snapshot, heard } = world;
  if (heard.trouble !== undefined) return rest({ is: "unreachable", ...unanswered(heard.trouble, world) });
  if (heard.capabilities === undefined) return ask("capabilities");
  const isNeeded = snapshot.spec.snapshotConfig?.consistencyLevel === "ApplicationConsistent";
  if (!isNeeded || heard.capabilities.extensions.includes("quiesce")) return undefined;
  return failed("Unsupported", text`provider cannot quiesce, which ApplicationConsistent needs`);
};

const take: Row = () => deed({ is: "take" });

const rows: readonly Row[] = [
  invalid,
  scheduled,
  stuck,
  leftover,
  taken,
  machine,
  unable,
  unreachable,
  task,
  busy,
  requested,
  turn,
  quiesce,
  take,
];

/** It exists: what is left is to look after it, and to see when its time is over. */
function ready(world: World): Step {
  const { held, heard, channel, told, vm } = world;
  if (isUnquiet(world)) return failed("QuiesceFailed", text`the guest could not be brought to rest`);
  if (isNew(world) && vm !== undefined && heard.isMarked !== true) return deed({ is: "mark" });
  const isDue = dueLook(world);
  const canLook = channel.is === "open" && (vm?.status?.id ?? "") !== "";
  if (isDue && canLook && heard.trouble === undefined && heard.isLookedUp !== true) {
    return heard.disk === undefined ? ask("disk") : deed({ is: "look" });
  }
  const keeping = keepingNow(world);
  if (keeping.is === "expired") {
    const isOver = world.now >= keeping.until && told.phase === "Expired";
    if (heard.isRemoved === true) return rest({ is: "removed" });
    return isOver ? deed({ is: "remove" }) : rest({ is: "expired", since: keeping.since, until: keeping.until });
  }
  return rest({ is: "ready", isGone: held.entry?.available === false, isUnseen: isDue && heard.isLookedUp !== true });
}

const hour: Ms = 3_600_000;

/** A last look that is still to come was noted by a clock that was wrong: nobody waits for longer than an hour. */
export const nextLook = ({ held, now }: World): Instant | undefined => {
  const at = parseTime(held.entry?.lastUpdated);
  return at === undefined ? undefined : plus(at < now ? at : now, hour);
};

function dueLook(world: World): boolean {
  const at = nextLook(world);
  return at === undefined || at <= world.now;
}

export const keepingNow = ({ snapshot, siblings, user, told, now, held }: World) =>
  keepingOf({
    snapshot: {
      ...snapshot,
      status: { ...snapshot.status, ...(held.creationTime && { creationTime: held.creationTime }) },
    },
    siblings,
    isUsed: user !== undefined,
    told: told.expired?.status === "True" ? parseTime(told.expired.lastTransitionTime) : undefined,
    now,
  });

const failed = (reason: FailReason, why: ReturnType<typeof text>): Step => rest({ is: "failed", reason, why });

export const isKnown = ({ held }: World): boolean => (held.snapshotID ?? "") !== "";
export const isTaken = (world: World): boolean => isKnown(world) && (world.held.taskRef ?? "") === "";
/** It has come into being in this pass. */
export const isNew = ({ told }: World): boolean => told.phase !== "Ready" && told.phase !== "Expired";

/** It was to be quiet, and was not. Only of a new one: what was good once stays so. */
const isUnquiet = (world: World): boolean =>
  isNew(world) &&
  world.held.entry?.state === "Unquiesced" &&
  world.snapshot.spec.snapshotConfig?.consistencyLevel === "ApplicationConsistent";

/** The name that the provider was asked for. Where the status was lost: the one that it is asked for again. */
export const sent = ({ held, snapshot, siblings }: World): string => held.entry?.path ?? hintFor(snapshot, siblings);

/** Whether the provider lists it; undefined: it does not tell. */
export function isListed(world: World, id: string): boolean | undefined {
  const { disk } = world.heard;
  if (disk === undefined || disk === "unsupported") return undefined;
  const name = sent(world);
  return disk !== "missing" && disk.snapshots.some((it) => it === id || it === name);
}

/** 10 s doubling to 5 min. */
const backoff = (attempt: number): Ms => Math.min(10_000 * 2 ** (attempt - 1), 300_000);
