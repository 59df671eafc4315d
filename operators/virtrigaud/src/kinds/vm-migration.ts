// VMMigration: one machine goes to another provider. This is everything that it can say of itself (3.3).
import {
  age,
  column,
  conditions,
  defineKind,
  negative,
  neutral,
  no,
  phases,
  positive,
  type Resource,
  yes,
} from "@telltale/kinds";
import { finalizers, group, version } from "../names.ts";
import { tellsMessage } from "./failures.ts";
import { asTrue, lookAtProvider, providerUnreachable, reconcileFailed, unsupportedByProvider } from "./reasons.ts";
import { VMMigrationSpec } from "./vm-migration-spec.ts";
import { VMMigrationStatusFields } from "./vm-migration-status.ts";

const wait = "wait";

/** What ends an attempt. */
const fatal = {
  SourceNotFound: no("The machine does not exist", "correct spec.source.vmRef in a new VMMigration"),
  ProviderError: no("A provider could not do its part", lookAtProvider),
  StorageError: no(
    "The storage between the two providers failed",
    "read the message; check the claim, bucket or server of spec.storage, and its credentials",
  ),
  ValidationFailed: no(
    "What is asked for cannot work, or the new machine is not as the old one",
    "read the message and status.validationResults; correct the spec in a new VMMigration",
  ),
  Timeout: no("It took longer than spec.options.timeout", "raise spec.options.timeout in a new VMMigration"),
  TargetExists: no("A machine with the name of the target exists", "choose another spec.target.name"),
  ...unsupportedByProvider,
} as const;

/** What it waits for before it begins. */
const waiting = {
  SourceNotReady: no("The machine does not exist on its provider yet", "look at the VirtualMachine"),
  SourceLocked: no("Another VMMigration has the machine", "wait until that is through, or delete it"),
  SourceProviderNotReady: no("The provider of the machine is not ready", "look at the Provider that the message names"),
  TargetProviderNotReady: no("The new provider is not ready", "look at the Provider that the message names"),
  WaitingForStorageMount: no(
    "The pods of the providers do not have the claim yet",
    "wait; if it lasts, look at the pods of the provider that the message names",
  ),
  WaitingForProviderIdle: no("A provider is at other transfers", wait),
  PoweringOffSource: no("The machine is being switched off", wait),
} as const;

const done = { Completed: no("It is through", "nothing to do") } as const;
const retrying = { Retrying: no("It is tried again", "wait; the message says which attempt it is") } as const;

const at = (means: string) => no(means, wait);

export const VMMigration = defineKind({
  group,
  version,
  kind: "VMMigration",
  shortNames: ["vmmig"],
  description: "One machine goes to another provider.",
  spec: VMMigrationSpec,
  status: VMMigrationStatusFields,
  phases: phases(
    {
      Pending: ["Validating", "Failed"],
      Validating: ["Snapshotting", "Exporting", "Failed"],
      Snapshotting: ["Exporting", "Failed"],
      Exporting: ["Transferring", "Failed"],
      Transferring: ["Exporting", "Converting", "Importing", "Failed"],
      Converting: ["Importing", "Failed"],
      Importing: ["Creating", "Failed"],
      Creating: ["Validating-Target", "Failed"],
      "Validating-Target": ["Ready", "Failed"],
      // Where an attempt failed decides where the next one begins.
      Failed: ["Validating", "Snapshotting", "Exporting", "Converting", "Importing", "Creating", "Validating-Target"],
      Ready: [],
    },
    {
      final: ["Ready"],
      thaw: ["observedGeneration", "message", "storageInfo", "conditions.Ready"],
      means: {
        Pending: "it has not begun",
        Validating: "it is checked, and what it needs is waited for",
        Snapshotting: "the machine is held fast in a snapshot",
        Exporting: "the old provider writes the disk to the storage",
        Transferring: "what lies on the storage is checked",
        Converting: "the disk is written in a format that the new provider reads",
        Importing: "the new provider takes the disk in",
        Creating: "the new machine is made",
        "Validating-Target": "the new machine is checked",
        Ready: "the new machine is there",
        Failed: "it failed; the message says whether it is tried again",
      },
    },
  ),
  conditions: conditions({
    Ready: positive({
      means: "The machine was moved to the new provider: its VirtualMachine says how it is since",
      reasons: {
        Completed: yes("It is"),
        Validating: at("It is being checked"),
        Snapshotting: at("A snapshot is being taken"),
        Exporting: at("The disk is being written to the storage"),
        Transferring: at("What lies on the storage is checked"),
        Converting: at("The disk is being converted"),
        Importing: at("The new provider takes the disk in"),
        Creating: at("The new machine is being made"),
        ValidatingTarget: at("The new machine is being checked"),
        ...waiting,
        ...retrying,
        ...fatal,
        Cancelled: no("It is being deleted before it was through", "wait; the message says for what"),
        ...providerUnreachable,
        ...reconcileFailed,
      },
      // Of one that was paused before anybody looked at it.
      initial: { status: "False", reason: "Validating", message: "Paused" },
    }),
    Validating: neutral({
      means: "The migration is being checked",
      present: "onceSet",
      reasons: { Validating: yes("It is", wait), ...asTrue(waiting), ...done, ...fatal },
    }),
    Snapshotting: neutral({
      means: "A snapshot of the machine is being taken",
      present: "onceSet",
      reasons: { Snapshotting: yes("It is", wait), ...done, ...fatal },
    }),
    Exporting: neutral({
      means: "The old provider writes the disk to the storage",
      present: "onceSet",
      reasons: { Exporting: yes("It does", wait), ...done, ...fatal, ...providerUnreachable },
    }),
    Transferring: neutral({
      means: "What lies on the storage is checked, and converted where it has to be",
      present: "onceSet",
      reasons: {
        Transferring: yes("It is checked", wait),
        Converting: yes("It is converted", wait),
        ...done,
        ...fatal,
      },
    }),
    Importing: neutral({
      means: "The new provider takes the disk in, and the machine is made from it",
      present: "onceSet",
      reasons: { Importing: yes("It does", wait), ...done, ...fatal, ...providerUnreachable },
    }),
    Failed: negative({
      means: "An attempt failed",
      present: "onceSet",
      reasons: { ...asTrue(fatal), ...retrying, ...done },
    }),
  }),
  memory: [
    "phase",
    "snapshotRef",
    "snapshotID",
    "exportID",
    "importID",
    "taskRef",
    "targetVMRef",
    "targetVMID",
    "startTime",
    "completionTime",
    "progress",
    "diskInfo",
    "storageInfo",
    "storagePVCName",
    "retryCount",
    "lastRetryTime",
    "validationResults",
    "message",
    "observedGeneration",
    "conditions.Ready",
    "conditions.Failed",
  ],
  urgent: [
    "phase",
    "exportID",
    "importID",
    "taskRef",
    "targetVMRef",
    "retryCount",
    "conditions.Ready",
    "conditions.Validating",
    "conditions.Snapshotting",
    "conditions.Exporting",
    "conditions.Transferring",
    "conditions.Importing",
    "conditions.Failed",
  ],
  volatile: ["progress.percentage", "progress.transferredBytes", "progress.transferRate", "progress.eta"],
  failures: tellsMessage,
  rules: [
    {
      rule: "!has(oldSelf.status) || !has(oldSelf.status.phase) || oldSelf.status.phase in ['Pending', 'Validating'] || (self.spec.source == oldSelf.spec.source && self.spec.target == oldSelf.spec.target)",
      message: "spec.source and spec.target cannot be changed once the migration has been checked",
    },
  ],
  columns: [
    column("Source", ".spec.source.vmRef.name"),
    column("Target", ".spec.target.name"),
    column("Phase", ".status.phase"),
    column("Progress", ".status.progress.percentage"),
    age(),
  ],
  finalizer: finalizers.migration,
});
export type { VMMigrationSpec } from "./vm-migration-spec.ts";
export type VMMigration = Resource<typeof VMMigration>;
export type VMMigrationStatus = NonNullable<VMMigration["status"]>;
