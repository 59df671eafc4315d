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
  providerCapabilities,
  type ReportedCapabilities,
  type ResourceUsage,
  type RuntimePhase,
} from "./provider.ts";
export { type ProviderType, providerTypes } from "./provider-spec.ts";
export {
  VirtualMachine,
  type VirtualMachinePhase,
  type VirtualMachineSpec,
  type VirtualMachineStatus,
  type VMSnapshotInfo,
} from "./virtual-machine.ts";
export { type ImportedDisk, type Placement, type PowerState, powerStates } from "./virtual-machine-spec.ts";
export { VMClass, type VMClassSpec, type VMClassStatus } from "./vm-class.ts";
export {
  type ImageImportProgress,
  type ProviderImageStatus,
  VMImage,
  type VMImageSpec,
  type VMImageStatus,
} from "./vm-image.ts";
export { type ChecksumType, type ImageFormat, type SourceName, sourceNames } from "./vm-image-spec.ts";
export {
  type IPAllocation,
  type ProviderNetworkStatus,
  VMNetworkAttachment,
  type VMNetworkAttachmentSpec,
  type VMNetworkAttachmentStatus,
} from "./vm-network-attachment.ts";
