// VMClone: a copy of a machine, made once. This is everything that it can say of itself (3.9).
import {
  age,
  column,
  conditions,
  defineKind,
  Enum,
  Fields,
  Flag,
  List,
  negative,
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
  yes,
} from "@telltale/kinds";
import { finalizers, group, version } from "../names.ts";
import { tellsMessage } from "./failures.ts";
import { bytes, count, eta, LocalRef, message, percentage } from "./fields.ts";
import { asTrue, lookAtProvider, providerUnreachable, reconcileFailed, validationError } from "./reasons.ts";
import { cloneTypes, VMCloneSpec } from "./vm-clone-spec.ts";

const progress = Fields({
  overallPercentage: Optional(percentage()),
  totalDisks: Optional(count()),
  completedDisks: Optional(count()),
  currentDisk: Optional(
    Fields({
      name: Text(),
      percentage: Optional(percentage()),
      totalBytes: Optional(bytes()),
      completedBytes: Optional(bytes()),
      transferRate: Optional(bytes()),
    }),
  ),
  eta: eta(),
});
export type CloneProgress = Static<typeof progress>;

const steps = () => Optional(List(Text({ maxLength: 1024 }), { maxItems: 100 }));

const status = Fields({
  message: message(),
  targetRef: LocalRef,
  targetVMID: Text({ maxLength: 1024 }),
  actualCloneType: Enum(cloneTypes),
  taskRef: Text({ maxLength: 1024 }),
  startTime: Time(),
  completionTime: Time(),
  progress,
  customizationStatus: Fields({
    started: Optional(Flag()),
    completed: Optional(Flag()),
    currentStep: Optional(Text()),
    completedSteps: steps(),
    failedSteps: steps(),
    message: Optional(Text()),
  }),
  retryCount: count(),
  lastRetryTime: Time(),
});

const wait = "wait";

/** What ends a clone. */
const fatal = {
  ProviderError: no("The provider could not copy the machine", lookAtProvider),
  Unsupported: no(
    "The provider cannot make such a clone",
    "read the message; ask for a FullClone, or use a VMMigration to change the provider",
  ),
  InsufficientResources: no("The provider has no room for it", "free room on the provider"),
  CustomizationFailed: no("The copy exists, and the guest could not be changed", "read status.customizationStatus"),
  TargetExists: no("A machine with the name of the target exists", "choose another spec.target.name in a new VMClone"),
  Timeout: no("It took longer than spec.options.timeout", "raise spec.options.timeout, or look at the provider"),
  ...validationError,
} as const;

const busy = no(
  "The provider has other work with the machine, such as a snapshot",
  "wait; it is asked again until spec.options.timeout is over",
);

/** The provider did not answer, or not with what it was asked. */
const unheard = {
  ...providerUnreachable,
  ProviderError: on(
    ["False", "Unknown"],
    "The provider could not copy the machine, or, where it is Unknown, did not say how far it is",
    lookAtProvider,
  ),
} as const;

const done = { Completed: no("It is through", "nothing to do") } as const;

export const VMClone = defineKind({
  group,
  version,
  kind: "VMClone",
  shortNames: ["vmclone"],
  description: "A copy of a machine, made once.",
  spec: VMCloneSpec,
  status,
  phases: phases(
    {
      Pending: ["Preparing", "Cloning", "Failed"],
      Preparing: ["Pending", "Cloning", "Customizing", "Powering-On", "Ready", "Failed"],
      Cloning: ["Customizing", "Powering-On", "Ready", "Failed"],
      Customizing: ["Powering-On", "Ready", "Failed"],
      "Powering-On": ["Customizing", "Ready", "Failed"],
      Failed: ["Pending", "Preparing", "Cloning"],
      Ready: [],
    },
    {
      final: ["Ready"],
      means: {
        Pending: "it waits for its source",
        Preparing: "what the copy needs is looked up",
        Cloning: "the provider copies the machine",
        Customizing: "the guest is being changed",
        "Powering-On": "the copy is being switched on",
        Ready: "the copy is there",
        Failed: "there is no copy, and nobody goes on trying",
      },
    },
  ),
  conditions: conditions({
    Ready: positive({
      means: "The copy was made: its VirtualMachine says how it is since",
      reasons: {
        Completed: yes("It is"),
        Cloning: no("It is being made, or waits for its source", wait),
        Customizing: no("The guest is being changed", wait),
        Retrying: no("It is tried again", "wait; the message says when"),
        Busy: busy,
        SourceNotFound: no("The source does not exist", "make it, or name another one in a new VMClone"),
        ...fatal,
        ...unheard,
        ...reconcileFailed,
      },
    }),
    Cloning: neutral({
      means: "The provider copies the machine",
      present: "onceSet",
      reasons: { Cloning: yes("It does", wait), Busy: busy, ...done, ...fatal, ...unheard },
    }),
    Customizing: neutral({
      means: "The guest is being changed",
      present: "onceSet",
      reasons: {
        Customizing: yes("It is", wait),
        ...done,
        CustomizationFailed: fatal.CustomizationFailed,
        Timeout: fatal.Timeout,
      },
    }),
    Failed: negative({
      means: "There is no copy, and nobody goes on trying",
      present: "onceSet",
      reasons: {
        ...asTrue(fatal),
        Retrying: no("It is tried again", "wait; the message says when"),
        ...done,
      },
    }),
  }),
  memory: [
    "phase",
    "targetVMID",
    "taskRef",
    "actualCloneType",
    "startTime",
    "completionTime",
    "retryCount",
    "lastRetryTime",
    "customizationStatus",
    "progress",
    "observedGeneration",
    "conditions.Ready",
    "conditions.Cloning",
    "conditions.Customizing",
  ],
  urgent: [
    "phase",
    "targetVMID",
    "taskRef",
    "conditions.Ready",
    "conditions.Cloning",
    "conditions.Customizing",
    "conditions.Failed",
  ],
  volatile: ["progress"],
  failures: tellsMessage,
  columns: [
    column("Source", ".spec.source.vmRef.name"),
    column("Target", ".spec.target.name"),
    column("Phase", ".status.phase"),
    column("Clone Type", ".status.actualCloneType"),
    column("Progress", ".status.progress.overallPercentage"),
    age(),
  ],
  finalizer: finalizers.clone,
});
export type { VMCloneSpec } from "./vm-clone-spec.ts";
export type VMClone = Resource<typeof VMClone>;
export type VMCloneStatus = NonNullable<VMClone["status"]>;
