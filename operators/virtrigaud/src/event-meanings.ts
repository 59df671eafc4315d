// What the Kubernetes Events of this operator say, and what to do about those that are warnings (8.3).

export interface EventMeaning {
  readonly type: "Normal" | "Warning";
  readonly means: string;
  readonly fix: string;
}

const normal = (means: string): EventMeaning => ({ type: "Normal", means, fix: "" });
const warning = (means: string, fix: string): EventMeaning => ({ type: "Warning", means, fix });

export const eventMeanings: Readonly<Record<string, EventMeaning>> = {
  // Of a machine
  Created: normal("The machine exists on the provider"),
  PowerChanged: normal("The machine was switched on or off"),
  Reconfigured: normal("The size of the machine was changed"),
  SnapshotReverted: normal("The machine went back to a snapshot"),
  VMRecreating: normal("The machine is gone from the provider, and is made again"),
  Deleted: normal("The machine is gone from the provider"),
  NameConflict: warning("Another machine on the provider has its name", "rename one of the two"),
  VMNotFound: warning("The provider says that the machine does not exist", "look on the hypervisor"),
  GracefulShutdownTimedOut: warning(
    "The guest did not shut down in time, so the machine was switched off",
    "look inside the guest, or raise spec.lifecycle.gracefulShutdownTimeout",
  ),
  HookFailed: warning("A hook of spec.lifecycle failed; nothing waited for it", "correct the hook that is named"),
  HookUnsupported: warning(
    "A hook needs access to the guest that the provider does not have",
    "use httpGet or snapshot",
  ),
  ForceDeleted: warning(
    "An object was let go by virtrigaud.io/force-delete, and something of it may be left on the hypervisor",
    "remove what the event names by hand",
  ),
  // Of a snapshot
  SnapshotReady: normal("The snapshot exists"),
  SnapshotDeleting: normal("The provider is asked to remove the snapshot"),
  SnapshotDeleted: normal("The snapshot is gone"),
  SnapshotFailed: warning("The snapshot could not be taken", "read Ready of the VMSnapshot"),
  SnapshotDeleteFailed: warning(
    "The provider could not remove the snapshot",
    "look at the Provider; it is tried again",
  ),
  SnapshotSkipped: warning("A run of the schedule was left out", "read the message: it was missed, or one still runs"),
  // Of an image
  PreparedImageRetained: warning("Providers keep what they prepared of a deleted image", "remove it there by hand"),
  // Of a set
  ScalingUp: normal("Machines are added to the set"),
  ScalingDown: normal("Machines are taken from the set"),
  UpdateComplete: normal("Every machine of the set is as its template says"),
  UpdateWaiting: warning(
    "An update waits until it is known which machines are up",
    "look at Ready of the machines that the message names, and at their Provider; it goes on by itself",
  ),
  VMReleased: normal("A machine no longer fits the selector of its set, and is on its own"),
  VolumeClaimsNotAttached: warning(
    "The claims of the set exist, and no provider attaches them",
    "mount them by other means, or take spec.volumeClaimTemplates away",
  ),
  // Of a migration
  ValidationStarted: normal("The migration is being checked"),
  ValidationComplete: normal("The migration can begin"),
  SourcePowerOff: normal("The machine is switched off for its migration"),
  SnapshotComplete: normal("The machine is held fast in a snapshot"),
  ExportComplete: normal("The disk lies on the storage"),
  TransferComplete: normal("What lies on the storage was checked"),
  ConversionStarted: normal("A Job converts the disk to a format that the new provider reads"),
  ConversionComplete: normal("The disk is in a format that the new provider reads"),
  ImportComplete: normal("The new provider has the disk"),
  TargetVMCreated: normal("The new machine was made"),
  MigrationComplete: normal("The machine is on the new provider"),
  CleanupStarted: normal("A Job removes the disk from the claim of a person"),
  CleanupComplete: normal("What the migration needed on the way is gone"),
  RetryingMigration: normal("The migration is tried again"),
  PVCCreated: normal("A claim for the disk was made"),
  MigrationFailed: warning("The migration failed", "read Ready of the VMMigration"),
  CleanupErrors: warning(
    "What the migration needed on the way could not all be removed",
    "remove what is named by hand",
  ),
  SourceRetained: warning(
    "The old machine is not deleted, because the new one is not proven",
    "look at the new machine, then delete the old one, or switch it on again",
  ),
  StagingObjectRetained: warning(
    "The disk still lies on the storage: nobody can remove it there",
    "remove it by hand; from a claim a Job can, with VIRTRIGAUD_MIGRATION_JOB_IMAGE",
  ),
};
