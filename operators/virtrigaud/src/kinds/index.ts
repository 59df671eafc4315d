export { virtrigaudCrds, virtrigaudKinds } from "./all.ts";
export type {
  DiskSpec,
  LifecycleHandler,
  LocalRef,
  ObjectRef,
  UserData,
  VirtualMachineResources,
  VMNetworkRef,
} from "./fields.ts";
export { patterns } from "./patterns.ts";
export {
  type Adoption,
  Provider,
  type ProviderCapability,
  type ProviderSpec,
  type ProviderStatus,
  type ReportedCapabilities,
  type ResourceUsage,
  type RuntimePhase,
} from "./provider.ts";
export { type ProviderType, providerTypes } from "./provider-spec.ts";
export { providerCapabilities } from "./provider-status.ts";
export {
  VirtualMachine,
  type VirtualMachinePhase,
  type VirtualMachineSpec,
  type VirtualMachineStatus,
  type VMSnapshotInfo,
} from "./virtual-machine.ts";
export { type ImportedDisk, type Placement, type PowerState, powerStates } from "./virtual-machine-spec.ts";
export { VMClass, type VMClassSpec, type VMClassStatus } from "./vm-class.ts";
export { type CloneProgress, VMClone, type VMCloneSpec, type VMCloneStatus } from "./vm-clone.ts";
export type { CloneType } from "./vm-clone-spec.ts";
export {
  type ImageImportProgress,
  imageFailureReasons,
  type ProviderImageStatus,
  passingFailures,
  VMImage,
  type VMImageSpec,
  type VMImageStatus,
} from "./vm-image.ts";
export { type ChecksumType, type ImageFormat, imageFormats, type SourceName, sourceNames } from "./vm-image-spec.ts";
export { VMMigration, type VMMigrationSpec, type VMMigrationStatus } from "./vm-migration.ts";
export type {
  MigrationDiskInfo,
  MigrationPhase,
  MigrationProgress,
  MigrationStorageInfo,
  ValidationResults,
} from "./vm-migration-status.ts";
export {
  type IPAllocation,
  type ProviderNetworkStatus,
  VMNetworkAttachment,
  type VMNetworkAttachmentSpec,
  type VMNetworkAttachmentStatus,
} from "./vm-network-attachment.ts";
export {
  type PlacementStatistics,
  type PolicyConflict,
  type PolicyValidationResult,
  VMPlacementPolicy,
  type VMPlacementPolicySpec,
  type VMPlacementPolicyStatus,
} from "./vm-placement-policy.ts";
export type { PlacementConstraints, VMAffinityTerm } from "./vm-placement-policy-spec.ts";
export {
  VMSet,
  type VMSetFailedVM,
  type VMSetSpec,
  type VMSetStatus,
  type VMSetUpdatePhase,
  type VMSetUpdateStatus,
  type VMSetVMStatus,
} from "./vm-set.ts";
export { type SnapshotRef, VMSnapshot, type VMSnapshotSpec, type VMSnapshotStatus } from "./vm-snapshot.ts";
