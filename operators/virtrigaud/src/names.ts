// The names that this operator puts on objects, and the group of its kinds.

export const group = "infra.virtrigaud.io";
export const version = "v1beta1";
export const fieldManager = "virtrigaud-manager";
export const leaseName = "8da97394.virtrigaud.io";

export const labels = {
  /** The hypervisor's machine exists already: it is never made. */
  adopted: "virtrigaud.io/adopted",
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  component: "app.kubernetes.io/component",
  managedBy: "app.kubernetes.io/managed-by",
  providerType: "virtrigaud.io/provider-type",
  /** On a staging claim: `migration-storage`. */
  part: "virtrigaud.io/component",
  migration: "virtrigaud.io/migration",
  vmSet: "virtrigaud.io/vmset",
  vmSetOrdinal: "virtrigaud.io/vmset-ordinal",
  revision: "virtrigaud.io/revision",
  snapshotSchedule: "virtrigaud.io/snapshot-schedule",
  template: "virtrigaud.io/template",
} as const;

export const annotations = {
  forceDelete: "virtrigaud.io/force-delete",
  adoptVMs: "virtrigaud.io/adopt-vms",
  adoptFilter: "virtrigaud.io/adopt-filter",
  adoptDeletionPolicy: "virtrigaud.io/adopt-deletion-policy",
  migratedFrom: "virtrigaud.io/migrated-from",
  migration: "virtrigaud.io/migration",
  importedDiskId: "virtrigaud.io/imported-disk-id",
  diskChecksum: "virtrigaud.io/disk-checksum",
  migrationCompleted: "virtrigaud.io/migration-completed",
  migrationCompletedAt: "virtrigaud.io/migration-completed-at",
  clonedFrom: "virtrigaud.io/cloned-from",
  clone: "virtrigaud.io/clone",
  createdBy: "virtrigaud.io/created-by",
  pendingOp: "virtrigaud.io/pending-op",
  /** What the provider calls the machine, beside `status.id`: a status may be lost, as by a restore that leaves statuses out. */
  providerId: "virtrigaud.io/provider-id",
  migrationLock: "virtrigaud.io/migration-lock",
  preMigrationPowerState: "virtrigaud.io/pre-migration-power-state",
  currentSnapshot: "virtrigaud.io/current-snapshot",
  lastRevertedSnapshot: "virtrigaud.io/last-reverted-snapshot",
  placement: "virtrigaud.io/placement",
  /** Beside the placement of a clone: the Provider, `namespace/name`, on which its copy has that place. */
  placementProvider: "virtrigaud.io/placement-provider",
  deletionPolicy: "virtrigaud.io/deletion-policy",
  paused: "virtrigaud.io/paused",
  vmName: "virtrigaud.io/vm-name",
  prepareOn: "virtrigaud.io/prepare-on",
  lastScheduleTime: "virtrigaud.io/last-schedule-time",
  stagedObjects: "virtrigaud.io/staged-objects",
  primaryDiskOnly: "virtrigaud.io/primary-disk-only",
  volumeClaims: "virtrigaud.io/volume-claims",
  progressDeadline: "virtrigaud.io/progress-deadline",
  /** When its set last changed a machine where it is: from then on it has its time to come up. */
  lastUpdateTime: "virtrigaud.io/last-update-time",
  cloneCleanup: "virtrigaud.io/clone-cleanup",
  allowedNamespaces: "virtrigaud.io/allowed-namespaces",
  acceptFrom: "virtrigaud.io/accept-from",
  runtimeEndpoint: "virtrigaud.io/runtime-endpoint",
} as const;

export const finalizers = {
  virtualMachine: "virtualmachine.infra.virtrigaud.io/finalizer",
  migration: "vmmigration.infra.virtrigaud.io/finalizer",
  snapshot: "snapshot.infra.virtrigaud.io/finalizer",
  clone: "clone.infra.virtrigaud.io/finalizer",
  provider: "provider.infra.virtrigaud.io/finalizer",
  vmSet: "vmset.infra.virtrigaud.io/finalizer",
  vmClass: "vmclass.infra.virtrigaud.io/finalizer",
  networkAttachment: "vmnetworkattachment.infra.virtrigaud.io/finalizer",
} as const;
