// VirtualMachine: one machine on one provider. This is everything that it can say of itself (3.1).
import {
  age,
  column,
  conditionColumn,
  conditions,
  Dictionary,
  defineKind,
  Enum,
  Fields,
  Flag,
  List,
  neutral,
  no,
  Optional,
  on,
  phases,
  positive,
  type Resource,
  type Static,
  Text,
  Time,
  unknown,
  yes,
} from "@telltale/kinds";
import { finalizers, group, version } from "../names.ts";
import { failsAloud } from "./failures.ts";
import { bytes, CurrentResources, message } from "./fields.ts";
import {
  forceDelete,
  lookAtProvider,
  providerError,
  providerUnreachable,
  reconcileFailed,
  unsupportedByProvider,
  validationError,
} from "./reasons.ts";
import { powerStates, VirtualMachineSpec } from "./virtual-machine-spec.ts";

export const vmPhases = [
  "Pending",
  "Provisioning",
  "Running",
  "Stopped",
  "Reconfiguring",
  "Deleting",
  "Failed",
] as const;

const snapshotInfo = Fields({
  id: Text(),
  name: Text(),
  creationTime: Time(),
  description: Optional(Text()),
  hasMemory: Optional(Flag()),
  sizeBytes: Optional(bytes()),
});
export type VMSnapshotInfo = Static<typeof snapshotInfo>;

const status = Fields({
  id: Text({ maxLength: 1024, description: "What the provider calls the machine. Absent: it does not exist yet" }),
  powerState: Enum(powerStates, { description: "What was seen last" }),
  message: message(),
  ips: List(Text({ maxLength: 45 }), { maxItems: 256 }),
  consoleURL: Text({ maxLength: 4096 }),
  lastTaskRef: Text({ maxLength: 1024, description: "A create, power or delete that the provider is still at" }),
  reconfigureTaskRef: Text({ maxLength: 1024, description: "A change that the provider is still at" }),
  lastReconfigureTime: Time(),
  currentResources: CurrentResources,
  snapshots: List(snapshotInfo, { maxItems: 500, description: "Those of its VMSnapshots that are ready" }),
  provider: Dictionary(Text({ maxLength: 1024 }), {
    maxProperties: 64,
    description: "What else the provider says of it",
  }),
});

/** Why a change was begun. */
const begun = (means: string, fix: string) =>
  on(["True", "Unknown"], `${means}. Unknown: the provider cannot be asked whether that has come to its end`, fix);

const migration = "wait for the VMMigration that the message names, or delete that";
const nameTaken =
  "rename one of the two with the annotation virtrigaud.io/vm-name, or remove the machine that is in the way";

/** Why it could not be made, or is not as it should be. */
const trouble = {
  ...reconcileFailed,
  ...providerError,
  ...validationError,
  ...unsupportedByProvider,
  QuotaExceeded: no("The provider has no room for it", "free room on the provider, or raise its quota"),
  Unauthorized: no(
    "The provider was not allowed to do it",
    "correct the credentials in the Secret of the Provider; it is tried again each minute",
  ),
  NameConflict: no("Another machine on the provider has its name", nameTaken),
  PlacementFailed: no(
    "No place fits the VMPlacementPolicy",
    "read the message; widen the policy, or make room where it points",
  ),
  VMNotFound: no(
    "The provider says that the machine does not exist",
    "if it was removed on purpose, delete this object; otherwise look on the hypervisor",
  ),
} as const;

export const VirtualMachine = defineKind({
  group,
  version,
  kind: "VirtualMachine",
  shortNames: ["vm"],
  description: "One virtual machine on one provider.",
  spec: VirtualMachineSpec,
  status,
  phases: phases(
    {
      Pending: ["Provisioning", "Running", "Stopped", "Reconfiguring", "Deleting", "Failed"],
      Provisioning: ["Pending", "Running", "Stopped", "Reconfiguring", "Deleting", "Failed"],
      Running: ["Stopped", "Reconfiguring", "Provisioning", "Pending", "Deleting", "Failed"],
      Stopped: ["Running", "Reconfiguring", "Provisioning", "Pending", "Deleting", "Failed"],
      Reconfiguring: ["Running", "Stopped", "Provisioning", "Pending", "Deleting", "Failed"],
      Failed: ["Pending", "Provisioning", "Running", "Stopped", "Reconfiguring", "Deleting"],
      Deleting: [],
    },
    {
      // An adopted machine is there before its object is looked at.
      initial: vmPhases,
      means: {
        Pending: "it does not exist on the provider, and waits for something",
        Provisioning: "it is being made",
        Running: "it exists and is on",
        Stopped: "it exists and is off",
        Reconfiguring: "its size is being changed, or it goes back to a snapshot",
        Deleting: "it is on its way out",
        Failed: "it cannot go on: change the spec",
      },
    },
  ),
  conditions: conditions({
    Ready: positive({
      means: "The machine is as the spec says",
      reasons: {
        ReconcileSucceeded: yes("It is"),
        ...trouble,
        ...providerUnreachable,
        ProviderError: on(
          ["False", "Unknown"],
          "A call to the provider failed: Unknown where the call was to look at the machine",
          lookAtProvider,
        ),
        WaitingForDependencies: no(
          "Something that it refers to is missing or not ready",
          "make what the message names; it is looked at again by itself",
        ),
        Creating: no("It is being made", "wait"),
        Updating: no("It is being changed", "wait"),
        Deleting: no("It is being deleted", "wait; Deleting says for what"),
        TaskInProgress: no("The provider is still at work on it", "wait"),
        RevertingSnapshot: no("It goes back to a snapshot", "wait"),
        RevertFailed: no("It could not go back to the snapshot", "read the message; change spec.snapshot.revertToRef"),
        Paused: unknown("Nobody has ever worked on it", "take the annotation virtrigaud.io/paused away"),
      },
      // Only a pass that looks at nothing says nothing of it.
      initial: { status: "Unknown", reason: "Paused", message: "Paused" },
    }),
    Provisioning: neutral({
      means: "The machine was asked for, and the end of that has not been seen",
      present: "onceSet",
      reasons: {
        Creating: yes("The provider was asked to make it", "wait"),
        TaskInProgress: yes(
          "The provider took the request for it or its image, and has not said that it is through",
          "wait",
        ),
        WaitingForDependencies: on(
          ["True", "False"],
          "True: an adopted machine waits for its id. False: its image is not being prepared now",
          "wait; if it lasts, look at the VMClone or at status.adoption of the Provider",
        ),
        ReconcileSucceeded: no("It has been made", "nothing to do"),
        ...providerUnreachable,
        ...providerError,
      },
    }),
    Reconfiguring: neutral({
      means: "A change of the machine was begun, and its end has not been seen",
      present: "onceSet",
      reasons: {
        Updating: begun("Its power or its size is being changed", "wait"),
        ShuttingDown: begun("The guest was asked to go down", "wait; it is switched off when its time is over"),
        TaskInProgress: begun("The provider took the request, and has not said that it is through", "wait"),
        RevertingSnapshot: begun("It goes back to a snapshot", "wait"),
        ReconcileSucceeded: no("It is as the spec says", "nothing to do"),
        RestartRequired: no(
          "The change needs the machine to be off",
          'set spec.powerState to "OffGraceful", and back to "On" when the change is through',
        ),
        MigrationInProgress: no("A VMMigration has it, so nothing is changed", migration),
        RevertFailed: no(
          "It could not go back to the snapshot",
          "read the message; change spec.snapshot.revertToRef, or take it away",
        ),
        ...providerError,
      },
    }),
    Deleting: neutral({
      means: "The machine is on its way out",
      present: "onceSet",
      reasons: {
        Deleting: yes("The provider was asked to remove it", "wait"),
        TaskInProgress: yes("The provider took the request, and has not said that it is through", "wait"),
        MigrationInProgress: yes("A VMMigration has it", migration),
        InUse: yes("Clones hang on its disk, or a snapshot has to be kept", forceDelete),
        ProviderError: yes(
          "The provider cannot be asked, or could not remove it",
          `${lookAtProvider}; the annotation virtrigaud.io/force-delete leaves it on the hypervisor`,
        ),
      },
    }),
  }),
  memory: [
    "id",
    "powerState",
    "ips",
    "consoleURL",
    "provider",
    "lastTaskRef",
    "reconfigureTaskRef",
    "lastReconfigureTime",
    "currentResources",
    "phase",
    "message",
    "observedGeneration",
    "conditions.Ready",
    "conditions.Provisioning",
    "conditions.Reconfiguring",
    "conditions.Deleting",
  ],
  // What the provider was asked to do is known before anything else is done.
  urgent: [
    "phase",
    "id",
    "lastTaskRef",
    "reconfigureTaskRef",
    "powerState",
    "conditions.Ready",
    "conditions.Provisioning",
    "conditions.Reconfiguring",
    "conditions.Deleting",
  ],
  volatile: ["provider"],
  failures: failsAloud,
  columns: [
    column("Phase", ".status.phase"),
    conditionColumn("Ready", "Ready"),
    column("Provider", ".spec.providerRef.name"),
    column("Class", ".spec.classRef.name"),
    column("Image", ".spec.imageRef.name"),
    column("IPs", ".status.ips[*]"),
    age(),
  ],
  finalizer: finalizers.virtualMachine,
});
export type { VirtualMachineSpec } from "./virtual-machine-spec.ts";
export type VirtualMachine = Resource<typeof VirtualMachine>;
export type VirtualMachineStatus = NonNullable<VirtualMachine["status"]>;
export type VirtualMachinePhase = (typeof vmPhases)[number];
