// What a VMMigration says of itself beside its conditions (3.3): how far it is, and what it has made on the way.
import { Enum, Fields, Flag, List, Optional, Quantity, type Static, Text, Time } from "@telltale/kinds";
import { bytes, count, eta, LocalRef, message, percentage } from "./fields.ts";

export const migrationPhases = [
  "Pending",
  "Validating",
  "Snapshotting",
  "Exporting",
  "Transferring",
  "Converting",
  "Importing",
  "Creating",
  "Validating-Target",
  "Ready",
  "Failed",
] as const;
export type MigrationPhase = (typeof migrationPhases)[number];

const text = () => Optional(Text({ maxLength: 4096 }));
const amount = () => Optional(Quantity());

const progress = Fields({
  currentPhase: Optional(Enum(migrationPhases, { description: "Where it failed: the phase that failed" })),
  percentage: Optional(percentage()),
  phaseStartTime: Optional(Time()),
  totalBytes: Optional(bytes()),
  transferredBytes: Optional(bytes()),
  transferRate: Optional(bytes()),
  eta: eta(),
});
export type MigrationProgress = Static<typeof progress>;

const diskInfo = Fields({
  sourceDiskID: text(),
  sourceFormat: text(),
  sourceSize: amount(),
  sourceChecksum: text(),
  targetDiskID: text(),
  targetPath: text(),
  targetFormat: text(),
  targetSize: amount(),
  targetChecksum: text(),
  checksum: text(),
});
export type MigrationDiskInfo = Static<typeof diskInfo>;

const storageInfo = Fields({
  url: Optional(Text({ maxLength: 4096, description: "Without credentials" })),
  size: amount(),
  uploadedAt: Optional(Time()),
  cleanedUp: Optional(Flag()),
});
export type MigrationStorageInfo = Static<typeof storageInfo>;

const validationResults = Fields({
  diskSizeMatch: Optional(Flag()),
  checksumMatch: Optional(Flag()),
  bootSuccess: Optional(Flag()),
  connectivitySuccess: Optional(Flag()),
  validationErrors: Optional(List(Text({ maxLength: 1024 }), { maxItems: 64 })),
});
export type ValidationResults = Static<typeof validationResults>;

const id = () => Text({ maxLength: 1024 });

export const VMMigrationStatusFields = Fields({
  message: message(),
  targetVMRef: LocalRef,
  targetVMID: id(),
  snapshotRef: Text({ maxLength: 253 }),
  snapshotID: id(),
  exportID: id(),
  importID: id(),
  taskRef: id(),
  startTime: Time(),
  completionTime: Time(),
  progress,
  diskInfo,
  storageInfo,
  storagePVCName: Text({ maxLength: 253 }),
  retryCount: count(),
  lastRetryTime: Time(),
  validationResults,
});
