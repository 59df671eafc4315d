// When a migration that failed is tried again, where it goes on, and when it has taken too long (3.3, "Failure and retry"). Pure.
import { formatTime, type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { nextAttempt, type SafeText, text } from "@telltale/status";
import { lengthOr } from "../durations.ts";
import type { MigrationPhase } from "../kinds/vm-migration-status.ts";
import type { Held, World } from "./world.ts";

const minute: Ms = 60_000;

/** What nothing is gained by trying again. */
const final: ReadonlySet<string> = new Set(["ValidationFailed", "TargetExists", "UnsupportedByProvider", "Timeout"]);

/** When the next attempt begins, after a failure at that time. Undefined: there is none. */
export function retryAt(
  { migration, held, now }: Pick<World, "migration" | "held" | "now">,
  reason: string,
  since: string | undefined,
): Instant | undefined {
  const { retryPolicy } = migration.spec.options ?? {};
  if (retryPolicy === undefined || (final.has(reason) && !isSlowGuest(held, reason))) return undefined;
  const { maxRetries = 3, retryDelay, backoffMultiplier = 2 } = retryPolicy;
  return nextAttempt(
    {
      count: held.retryCount ?? 0,
      max: maxRetries,
      since,
      delay: lengthOr(retryDelay, 5 * minute),
      factor: Math.max(1, backoffMultiplier),
      cap: 30 * minute,
    },
    now,
  ).retryAt;
}

/** A guest that did not boot or answer may do so yet; a disk of the wrong size or content stays one. */
function isSlowGuest({ progress, validationResults }: Held, reason: string): boolean {
  const isAtGuest = reason === "ValidationFailed" && progress?.currentPhase === "Validating-Target";
  return isAtGuest && validationResults?.diskSizeMatch !== false && validationResults?.checksumMatch !== false;
}

export const timeoutAt = ({ migration, held, now }: Pick<World, "migration" | "held" | "now">): Instant =>
  plus(parseTime(held.startTime) ?? now, lengthOr(migration.spec.options?.timeout, 240 * minute));

/** What is said of a failure: whether that was it. */
export function failureSaid(world: World, reason: string, why: SafeText): SafeText {
  const isLast = retryAt(world, reason, formatTime(world.now)) === undefined;
  return isLast ? text`Migration failed after ${world.held.retryCount ?? 0} retries: ${why}` : why;
}

const needsSource: ReadonlySet<MigrationPhase> = new Set(["Snapshotting", "Exporting", "Transferring"]);

/** Where the next attempt begins. */
export function resumeAt({ held, told, heard, source }: World): MigrationPhase {
  const { currentPhase = "Validating" } = held.progress ?? {};
  // A source that is not locked any more may be another one.
  const isLoose = source.lock !== "ours" && needsSource.has(currentPhase);
  if (isLoose) return "Validating";
  switch (currentPhase) {
    case "Pending":
    case "Ready":
    case "Failed":
      return "Validating";
    case "Transferring":
      return "Exporting";
    case "Converting":
      // An export that was no good is known no longer.
      return (held.exportID ?? "") === "" ? "Exporting" : "Converting";
    case "Importing":
      // StorageError: what was staged is bad.
      return told.failed?.reason === "StorageError" || heard.proof?.is === "missing" ? "Exporting" : "Importing";
    default:
      return currentPhase;
  }
}

/** What is known no longer when it goes on there. */
export function renewed(held: Held, to: MigrationPhase): Held {
  const { completionTime: _end, taskRef: _task, ...kept } = held;
  switch (to) {
    case "Snapshotting": {
      const { snapshotRef: _ref, snapshotID: _id, ...rest } = kept;
      return rest;
    }
    case "Validating":
    case "Exporting":
      return withoutExport(withoutImport(kept));
    case "Importing":
      return withoutImport(kept);
    case "Creating": {
      const { targetVMRef: _ref, targetVMID: _id, ...rest } = kept;
      return rest;
    }
    case "Validating-Target": {
      const { validationResults: _none, ...rest } = kept;
      return rest;
    }
    default:
      return kept;
  }
}

export function withoutExport(held: Held): Held {
  const { exportID: _id, storageInfo: _storage, taskRef: _task, ...kept } = held;
  const { sourceChecksum: _sum, checksum: _converted, ...diskInfo } = kept.diskInfo ?? {};
  return { ...kept, diskInfo };
}

export function withoutImport(held: Held): Held {
  const { importID: _id, taskRef: _task, ...kept } = held;
  const { sourceDiskID, sourceFormat, sourceSize, sourceChecksum, checksum } = kept.diskInfo ?? {};
  const diskInfo = Object.entries({ sourceDiskID, sourceFormat, sourceSize, sourceChecksum, checksum });
  return { ...kept, diskInfo: Object.fromEntries(diskInfo.filter(([, value]) => value !== undefined)) };
}
