// VMClass: a size and a shape that machines share. This is everything that it can say of itself (3.7).
import {
  age,
  column,
  conditions,
  Dictionary,
  defineKind,
  Enum,
  Fields,
  Flag,
  Int32,
  List,
  no,
  Optional,
  positive,
  Quantity,
  type Resource,
  type Static,
  Text,
  Time,
} from "@telltale/kinds";
import { finalizers, group, version } from "../names.ts";
import { keepsPhase } from "./failures.ts";
import { count, diskTypesAndNvme, flag, inert, int, keyProvider, upTo } from "./fields.ts";
import { forceDelete, invalid, reconcileFailed, unanswered, valid } from "./reasons.ts";

const spec = Fields({
  cpu: Int32({ minimum: 1, maximum: 128 }),
  memory: Quantity({ description: "A whole number of MiB, from 128Mi to 1Ti" }),
  firmware: Optional(Enum(["BIOS", "UEFI", "EFI"], { default: "BIOS", description: "EFI is the same as UEFI" })),
  guestToolsPolicy: Optional(Enum(["install", "skip", "upgrade", "uninstall"], { default: "install" })),
  diskDefaults: Optional(
    Fields({
      size: Optional(Quantity({ default: "40Gi" })),
      type: Optional(Enum(diskTypesAndNvme, { default: "thin" })),
      storageClass: inert(upTo(253), "the provider chooses; status.validationResults warns"),
      iops: inert(int(100, 100_000), "there is no limit; status.validationResults warns"),
    }),
  ),
  resourceLimits: Optional(
    Fields({
      cpuLimit: Optional(Int32({ minimum: 100, maximum: 100_000, description: "MHz" })),
      cpuReservation: Optional(Int32({ minimum: 0, maximum: 100_000, description: "MHz" })),
      cpuShares: int(1, 1_000_000),
      memoryLimit: Optional(Quantity()),
      memoryReservation: Optional(Quantity()),
    }),
  ),
  performanceProfile: Optional(
    Fields({
      cpuHotAddEnabled: flag(false),
      memoryHotAddEnabled: flag(false),
      hyperThreadingPolicy: Optional(Enum(["auto", "prefer", "avoid", "require"], { default: "auto" })),
      latencySensitivity: Optional(Enum(["low", "normal", "high"], { default: "normal" })),
      nestedVirtualization: flag(false),
      virtualizationBasedSecurity: flag(false),
    }),
  ),
  securityProfile: Optional(
    Fields({
      secureBoot: flag(false),
      tpmEnabled: flag(false),
      tpmVersion: Optional(Enum(["1.2", "2.0"], { description: "Quoted in YAML" })),
      vtdEnabled: flag(false),
      encryptionPolicy: Optional(
        Fields({ enabled: flag(false), keyProvider: keyProvider(), requireEncryption: flag(false) }),
      ),
    }),
  ),
  extraConfig: Optional(
    Dictionary(Text(), { maxProperties: 50, description: "For the provider, such as vsphere.hardwareVersion" }),
  ),
});
export type VMClassSpec = Static<typeof spec>;

const validationResult = Fields({
  valid: Flag(),
  message: Optional(Text()),
  warnings: Optional(List(Text(), { maxItems: 64 })),
  lastValidated: Optional(Time()),
});

export const VMClass = defineKind({
  group,
  version,
  kind: "VMClass",
  plural: "vmclasses",
  shortNames: ["vmclass"],
  description: "A size and a shape that machines share.",
  spec,
  status: Fields({
    supportedProviders: List(Text({ maxLength: 63 }), {
      maxItems: 64,
      description: "Types that can do it, of Providers that answer",
    }),
    usedByVMs: count(),
    validationResults: Dictionary(validationResult, { maxProperties: 64, description: "By type of provider" }),
  }),
  conditions: conditions({
    Ready: positive({
      means: "The spec keeps the rules, and a Provider of a type that can do it answers",
      reasons: {
        ...valid,
        ...invalid,
        ...unanswered,
        Unsupported: no("No type of provider in the cluster can do it", "read status.validationResults; ask for less"),
        InUse: no("It is being deleted, and machines still use it", forceDelete),
        ...reconcileFailed,
      },
    }),
    Validated: positive({
      means: "The spec keeps the rules",
      present: "onceSet",
      reasons: { ...valid, ...invalid },
    }),
    Supported: positive({
      means: "A Provider of a type that can do it answers",
      present: "onceSet",
      reasons: {
        ...valid,
        Unsupported: no("None can", "read status.validationResults; ask for less, or add a Provider that can"),
        ...unanswered,
      },
    }),
  }),
  memory: ["validationResults", "observedGeneration"],
  failures: keepsPhase,
  columns: [
    column("CPU", ".spec.cpu", "integer"),
    column("Memory", ".spec.memory"),
    column("Firmware", ".spec.firmware"),
    column("Used By", ".status.usedByVMs", "integer"),
    age(),
  ],
  finalizer: finalizers.vmClass,
});
export type VMClass = Resource<typeof VMClass>;
export type VMClassStatus = NonNullable<VMClass["status"]>;
