// What a migration says of itself: its phase, the conditions that are true while their work goes on, and how far it is (3.3). Pure.
import { formatGoDuration, formatTime, type Instant, parseTime, plus } from "@telltale/kinds";
import { band, type Draft, remaining, type SafeText, text } from "@telltale/status";
import type { VMMigration } from "../kinds/index.ts";
import type { MigrationPhase, MigrationProgress } from "../kinds/vm-migration-status.ts";
import { failureSaid, retryAt, timeoutAt } from "./retrying.ts";
import { failReasons, type Rest } from "./step.ts";
import { isConvertedAndVerified } from "./verified.ts";
import type { Held, World } from "./world.ts";

export type MigrationDraft = Draft<typeof VMMigration>;

/** Where a phase begins and ends, in percent of the whole. */
const bands: Readonly<Record<Exclude<MigrationPhase, "Failed">, readonly [number, number]>> = {
  Pending: [0, 2],
  Validating: [2, 10],
  Snapshotting: [10, 15],
  Exporting: [30, 48],
  Transferring: [50, 58],
  Converting: [60, 68],
  Importing: [70, 85],
  Creating: [85, 93],
  "Validating-Target": [95, 99],
  Ready: [100, 100],
};

const conditions = ["Ready", "Validating", "Snapshotting", "Exporting", "Transferring", "Importing", "Failed"] as const;

export function status(world: World, draft: MigrationDraft): void {
  const { rest, held } = world;
  if (rest === undefined) return;
  draft.keep(...conditions);
  fields(held, draft);
  const wake = say(rest, world, draft);
  draft.wake(wake);
}

const names = [
  "startTime",
  "completionTime",
  "retryCount",
  "lastRetryTime",
  "snapshotRef",
  "snapshotID",
  "exportID",
  "importID",
  "taskRef",
  "targetVMRef",
  "targetVMID",
  "progress",
  "diskInfo",
  "storageInfo",
  "storagePVCName",
  "validationResults",
] as const;

function fields(held: Held, draft: MigrationDraft): void {
  draft.set(held).unset(...names.filter((name) => held[name] === undefined));
}

function say(rest: Rest, world: World, draft: MigrationDraft): Instant | undefined {
  const { now, phase, held } = world;
  switch (rest.is) {
    case "move":
      if (phase !== undefined) ended(phase, rest.to, draft);
      entered(rest.to, world, draft);
      return now;
    case "retry": {
      const { maxRetries = 3 } = world.migration.spec.options?.retryPolicy ?? {};
      const said = text`Retrying migration (attempt ${held.retryCount ?? 0}/${maxRetries})`;
      entered(rest.to, world, draft);
      draft.condition("Failed", false, "Retrying", said).set({ message: said });
      return now;
    }
    case "wait":
      waits(rest, world, draft);
      return inTime(plus(now, rest.again), world);
    case "failed":
      return fails(rest.reason, rest.why, world, draft);
    case "retryAt":
      stands(world, draft);
      return inTime(rest.at, world);
    case "tidying":
      stands(world, draft);
      draft.set({ message: text`${outcomeOf(world)}; ${rest.why}` });
      return plus(now, 60_000);
    case "untidy":
      stands(world, draft);
      draft.set({ message: rest.why });
      return plus(now, 300_000);
    case "over":
      stands(world, draft);
      draft.set({ message: phase === "Ready" ? "Migration completed, cleanup finished" : outcomeOf(world) });
      return undefined;
  }
}

/** How it ended, whatever was said of putting things in order since. */
function outcomeOf({ phase, told, migration }: World): SafeText {
  if (phase === "Ready") return saidOf.Ready;
  return text`${told.failed?.message ?? migration.status?.message ?? ""}`;
}

/** What is said of its end stays, whatever has kept a pass since from its own, and also where a backup has no conditions. */
function stands({ phase, told }: World, draft: MigrationDraft): void {
  const { ready, failed } = told;
  if (phase === "Ready") draft.condition("Ready", true, "Completed", saidOf.Ready);
  else if (ready === undefined || ready.reason === "ReconcileFailed") {
    const reason = failReasons.find((it) => it === failed?.reason) ?? "ProviderError";
    draft.condition("Ready", false, reason, text`${failed?.message ?? "Migration failed"}`);
  }
}

/** Not after all has taken too long. */
function inTime(at: Instant, world: World): Instant {
  const limit = timeoutAt(world);
  const isInTime = at < limit;
  return isInTime ? at : limit;
}

/** The condition of a phase is over. */
function ended(phase: MigrationPhase, next: MigrationPhase, draft: MigrationDraft): void {
  switch (phase) {
    case "Validating":
      draft.condition("Validating", false, "Completed", "Migration validation completed successfully");
      break;
    case "Snapshotting":
      draft.condition("Snapshotting", false, "Completed", "Source VM snapshot created");
      break;
    case "Exporting":
      draft.condition("Exporting", false, "Completed", "Source VM disk exported");
      break;
    case "Transferring":
    case "Converting":
      if (next !== "Converting") draft.condition("Transferring", false, "Completed", "Staged disk checked");
      break;
    case "Importing":
      draft.condition("Importing", false, "Completed", "Disk imported to target provider");
      break;
    default:
  }
}

/** What is said of a phase from its first moment on. */
const saidOf: Readonly<Record<Exclude<MigrationPhase, "Failed">, SafeText>> = {
  Pending: text`Migration has not begun`,
  Validating: text`Migration validation started`,
  Snapshotting: text`Creating source VM snapshot`,
  Exporting: text`Exporting disk from source provider`,
  Transferring: text`Checking the staged disk`,
  Converting: text`Converting the staged disk`,
  Importing: text`Importing disk into target provider`,
  Creating: text`Creating target VM`,
  "Validating-Target": text`Validating target VM`,
  Ready: text`VM migration completed successfully`,
};

const reasons = {
  Pending: "Validating",
  Validating: "Validating",
  Snapshotting: "Snapshotting",
  Exporting: "Exporting",
  Transferring: "Transferring",
  Converting: "Converting",
  Importing: "Importing",
  Creating: "Creating",
  "Validating-Target": "ValidatingTarget",
} as const;

function entered(to: MigrationPhase, world: World, draft: MigrationDraft): void {
  if (to === "Failed") return;
  const said = saidOf[to];
  draft.phase(to).set({
    message: said,
    progress: { currentPhase: to, percentage: bands[to][0], phaseStartTime: formatTime(world.now) },
  });
  if (to === "Ready") {
    draft.condition("Ready", true, "Completed", said).set({ completionTime: formatTime(world.now) });
    if (world.told.failed !== undefined) draft.condition("Failed", false, "Completed", said);
    const { checkChecksum = true } = world.migration.spec.options?.validationChecks ?? {};
    const isVerified = !checkChecksum || world.held.validationResults?.checksumMatch === true;
    if (!isVerified) draft.set({ message: text`${said}; ${unverified(world)}` });
    return;
  }
  draft.condition("Ready", false, reasons[to], said);
  working(to, said, draft);
}

const unverified = (world: World): SafeText =>
  isConvertedAndVerified(world)
    ? text`the disk was converted on the way, and verified before and after`
    : text`the transfer was not verified by a checksum`;

/** The condition that is true while a phase lasts. */
function working(phase: MigrationPhase, said: SafeText, draft: MigrationDraft): void {
  switch (phase) {
    case "Validating":
      draft.condition("Validating", true, "Validating", said);
      break;
    case "Snapshotting":
      draft.condition("Snapshotting", true, "Snapshotting", said);
      break;
    case "Exporting":
      draft.condition("Exporting", true, "Exporting", said);
      break;
    case "Transferring":
      draft.condition("Transferring", true, "Transferring", said);
      break;
    case "Converting":
      draft.condition("Transferring", true, "Converting", said);
      break;
    case "Importing":
      draft.condition("Importing", true, "Importing", said);
      break;
    default:
  }
}

function waits({ reason, why, isUnheard }: Rest & { is: "wait" }, world: World, draft: MigrationDraft): void {
  const { phase = "Pending" } = world;
  if (phase === "Failed" || phase === "Ready") return;
  if (phase === "Validating" && reason !== undefined) draft.condition("Validating", true, reason, why);
  else working(phase, phase === "Validating" ? why : saidOf[phase], draft);
  draft.condition("Ready", false, reason ?? reasons[phase], why).set({ message: why });
  if (isUnheard === true && (phase === "Exporting" || phase === "Importing")) {
    draft.condition(phase, "Unknown", "ProviderUnreachable", why);
    draft.condition("Ready", "Unknown", "ProviderUnreachable", why);
  }
  if (phase === "Exporting" || phase === "Importing") draft.set({ progress: progressOf(world, phase) });
}

/** As far as the task tells. It never runs backwards. */
function progressOf({ heard, held, now }: World, phase: "Exporting" | "Importing"): MigrationProgress {
  const before = held.progress ?? {};
  if (heard.task?.is !== "running") return before;
  const { percent, bytesDone, bytesTotal } = heard.task;
  const share = percent === undefined ? undefined : percent / 100;
  const [entry, end] = bands[phase];
  const percentage = Math.max(before.percentage ?? entry, band(entry, end, share));
  const began = parseTime(before.phaseStartTime) ?? now;
  const elapsed = Math.max(0, now - began);
  if (bytesDone === undefined || bytesTotal === undefined) return { ...before, percentage };
  const left = remaining({ epoch: phase, done: bytesDone, total: bytesTotal }, elapsed);
  return {
    ...before,
    percentage,
    totalBytes: bytesTotal,
    transferredBytes: bytesDone,
    ...(elapsed > 0 && { transferRate: Math.round((1_000 * bytesDone) / elapsed) }),
    ...(left !== undefined && { eta: formatGoDuration(left) }),
  };
}

type FailReason = Extract<Rest, { is: "failed" }>["reason"];

function fails(reason: FailReason, why: SafeText, world: World, draft: MigrationDraft): Instant | undefined {
  const { now, phase = "Pending", held } = world;
  const said = failureSaid(world, reason, why);
  draft.phase("Failed").set({ message: said });
  draft.condition("Failed", true, reason, said).condition("Ready", false, reason, said);
  const at = phase === "Converting" ? "Transferring" : phase;
  const isWork = ["Validating", "Snapshotting", "Exporting", "Transferring", "Importing"] as const;
  const type = isWork.find((it) => it === at);
  if (type !== undefined) draft.condition(type, false, reason, why);
  const { eta: _eta, ...progress } = held.progress ?? {};
  draft.set({ progress });
  const next = retryAt(world, reason, formatTime(now));
  return next === undefined ? now : inTime(next, world);
}
