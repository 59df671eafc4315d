// What happened to a migration, as Kubernetes Events (8.3).
import type { VMMigrationStatus } from "../kinds/index.ts";
import type { MigrationPhase } from "../kinds/vm-migration-status.ts";
import type { MigrationHands } from "./act.ts";
import type { World } from "./world.ts";

/** When a phase is left for the next one. */
const completed: Readonly<Partial<Record<MigrationPhase, readonly [string, string]>>> = {
  Pending: ["ValidationStarted", "Migration validation started"],
  Validating: ["ValidationComplete", "Migration validation completed successfully"],
  Snapshotting: ["SnapshotComplete", "Source VM snapshot created"],
  Exporting: ["ExportComplete", "Source VM disk exported"],
  Transferring: ["TransferComplete", "Staged disk checked"],
  Converting: ["ConversionComplete", "Staged disk converted"],
  Importing: ["ImportComplete", "Disk imported to target provider"],
  Creating: ["TargetVMCreated", "Target VM created"],
  "Validating-Target": ["MigrationComplete", "VM migration completed successfully"],
};

export function tell({ phase, rest, migration }: World, after: VMMigrationStatus, hands: MigrationHands): void {
  const message = after.message ?? "";
  if (rest?.is === "failed") hands.event("Warning", "MigrationFailed", message);
  if (rest?.is === "retry") hands.event("Normal", "RetryingMigration", message);
  if (rest?.is === "untidy") hands.event("Warning", "CleanupErrors", message);
  const isBack = phase === "Transferring" && after.phase === "Exporting";
  const said = rest?.is === "move" && phase !== undefined && !isBack ? completed[phase] : undefined;
  if (said !== undefined) hands.event("Normal", ...said);
  const isTidy = after.storageInfo?.cleanedUp === true && migration.status?.storageInfo?.cleanedUp !== true;
  if (isTidy) hands.event("Normal", "CleanupComplete", "What the migration needed on the way is gone");
}
