// VMSet: so many machines of one kind, with ordinals. This is everything that it can say of itself (3.4).
import {
  age,
  column,
  conditions,
  defineKind,
  Enum,
  Fields,
  Flag,
  Immutable,
  Int32,
  IntOrString,
  List,
  negative,
  neutral,
  no,
  Optional,
  on,
  positive,
  type Resource,
  type Static,
  Text,
  Time,
  unknown,
  yes,
} from "@telltale/kinds";
import { LabelSelector, PersistentVolumeClaimSpec } from "@telltale/kinds/core";
import { finalizers, group, version } from "../names.ts";
import { keepsPhase } from "./failures.ts";
import { count, int, pairs, unused, upTo } from "./fields.ts";
import { lookAtProvider, reconcileFailed, validationError } from "./reasons.ts";
import { vmPhases } from "./virtual-machine.ts";
import { VirtualMachineSpec } from "./virtual-machine-spec.ts";

export const updatePhases = ["Pending", "InProgress", "Paused", "Completed", "Failed"] as const;
export type VMSetUpdatePhase = (typeof updatePhases)[number];

const retain = () => Optional(Enum(["Retain", "Delete"], { default: "Retain" }));
const share = () => Optional(IntOrString({ default: "25%" }));

const spec = Fields({
  replicas: int(0, 1000, 1),
  selector: Immutable(LabelSelector(), "the selector of a set cannot be changed"),
  template: Fields({
    metadata: Optional(Fields({ labels: pairs(), annotations: pairs() })),
    spec: VirtualMachineSpec,
  }),
  serviceName: unused(upTo(253), "no Service is looked for"),
  minReadySeconds: int(0, 3600),
  revisionHistoryLimit: int(0, 100, 10),
  ordinals: Optional(Fields({ start: int(0, 999_999, 0) })),
  updateStrategy: Optional(
    Fields({
      type: Optional(Enum(["RollingUpdate", "OnDelete", "Recreate"], { default: "RollingUpdate" })),
      rollingUpdate: Optional(
        Fields({
          maxUnavailable: share(),
          maxSurge: share(),
          partition: Optional(Int32({ minimum: 0 })),
          podManagementPolicy: Optional(Enum(["OrderedReady", "Parallel"], { default: "OrderedReady" })),
        }),
      ),
    }),
  ),
  volumeClaimTemplates: Optional(
    List(
      Fields({
        metadata: Optional(Fields({ name: Optional(Text()), labels: pairs(), annotations: pairs() })),
        spec: PersistentVolumeClaimSpec(),
      }),
      { maxItems: 20 },
    ),
  ),
  persistentVolumeClaimRetentionPolicy: Optional(Fields({ whenDeleted: retain(), whenScaled: retain() })),
});
export type VMSetSpec = Static<typeof spec>;

const vmName = () => Text({ maxLength: 63 });
const vmNames = () => Optional(List(vmName(), { maxItems: 1000 }));

const failedVM = Fields({
  name: vmName(),
  reason: Optional(Text({ maxLength: 1024 })),
  message: Optional(Text({ maxLength: 1024 })),
  lastAttempt: Optional(Time()),
  retryCount: Optional(count()),
});
export type VMSetFailedVM = Static<typeof failedVM>;

const vmStatus = Fields({
  name: vmName(),
  phase: Optional(Enum(vmPhases)),
  ready: Optional(Flag()),
  revision: Optional(Text({ maxLength: 253 })),
  message: Optional(Text({ maxLength: 1024 })),
  creationTime: Optional(Time()),
  lastUpdateTime: Optional(Time()),
});
export type VMSetVMStatus = Static<typeof vmStatus>;

const updateStatus = Fields({
  phase: Optional(
    Enum(updatePhases, {
      description: [
        "Where the change of the machines stands, in one word.",
        "Pending: the template has changed, and no machine has been touched",
        "InProgress: machines are being changed or replaced",
        "Paused: the annotation virtrigaud.io/paused holds it",
        "Completed: every machine is as the template says",
        "Failed: a changed machine does not come up, and no further one is touched",
      ].join("\n"),
    }),
  ),
  message: Optional(Text()),
  startTime: Optional(Time()),
  completionTime: Optional(Time()),
  updatedVMs: vmNames(),
  pendingVMs: vmNames(),
  failedVMs: Optional(List(failedVM, { maxItems: 1000 })),
});
export type VMSetUpdateStatus = Static<typeof updateStatus>;

const status = Fields({
  replicas: count(),
  readyReplicas: count(),
  availableReplicas: count(),
  updatedReplicas: count(),
  currentReplicas: Int32({ minimum: 0, description: "How many run" }),
  currentRevision: Text({ maxLength: 253 }),
  updateRevision: Text({ maxLength: 253 }),
  collisionCount: count(),
  selector: Text({ maxLength: 32_768, description: "spec.selector as a text, for kubectl scale and autoscalers" }),
  updateStatus,
  vmStatus: List(vmStatus, { maxItems: 1000 }),
});

const lookAtVMs = "wait; if it lasts, look at the machines in status.vmStatus that are not ready";
const settled = { AllReplicasReady: no("All machines are there", "nothing to do") } as const;
const machineStateUnknown = {
  means: "Too few machines are known to be ready: the others have not been observed, or their provider does not answer",
  fix: "look at Ready of the machines that the message names, and at their Provider",
} as const;
const broken = {
  ProviderError: no("Machines could not be made, changed or deleted", lookAtProvider),
  InsufficientResources: no(
    "The provider has no room for more machines",
    "free room on the provider, or ask for fewer",
  ),
} as const;

export const VMSet = defineKind({
  group,
  version,
  kind: "VMSet",
  shortNames: ["vmset"],
  description: "A number of equal machines, with ordinals, replaced little by little when their template changes.",
  spec,
  status,
  conditions: conditions({
    Ready: positive({
      means: "As many machines as are wanted are ready",
      reasons: {
        AllReplicasReady: yes("They are"),
        CreatingReplicas: no("Machines are missing or not ready yet", lookAtVMs),
        DeletingReplicas: on(["True", "False"], "Machines are being taken away", "wait"),
        UpdatingReplicas: on(["True", "False"], "Machines are being changed or replaced", lookAtVMs),
        MachineStateUnknown: unknown(machineStateUnknown.means, machineStateUnknown.fix),
        ...broken,
        ...validationError,
        ...reconcileFailed,
      },
    }),
    Progressing: neutral({
      means: "Machines are being made, changed or deleted",
      present: "onceSet",
      reasons: {
        CreatingReplicas: yes("Machines are being made", lookAtVMs),
        DeletingReplicas: yes("Machines are being deleted", "wait"),
        UpdatingReplicas: yes("Machines are being changed or replaced", lookAtVMs),
        UpdateComplete: no("Every machine is as the template says", "nothing to do"),
        ...settled,
        ...broken,
        Paused: no("The change is held", "take the annotation virtrigaud.io/paused away"),
        MachineStateUnknown: no(
          "Nothing goes on until it is known which machines are up: one that might run is not replaced on suspicion",
          machineStateUnknown.fix,
        ),
        ProgressDeadlineExceeded: no(
          "A machine has not come up in time",
          "look at the machine that the message names; the annotation virtrigaud.io/progress-deadline says how long it gets",
        ),
      },
    }),
    ReplicaFailure: negative({
      means: "Machines cannot be made or deleted",
      present: "onceSet",
      reasons: {
        ProviderError: yes("A call failed", lookAtProvider),
        InsufficientResources: yes("The provider has no room for more", "free room on the provider, or ask for fewer"),
        MachineStateUnknown: unknown(
          "No call of the set has failed, and it is not known of each machine whether there is room for it",
          machineStateUnknown.fix,
        ),
        NoFailure: no("No call has failed, and no machine reports that there is no room", "nothing to do"),
      },
    }),
    UpdateInProgress: neutral({
      means: "A change of the template is being carried out",
      present: "onceSet",
      reasons: {
        UpdatingReplicas: yes("It is", lookAtVMs),
        UpdateComplete: no("It is through", "nothing to do"),
        Paused: no("It is held", "take the annotation virtrigaud.io/paused away"),
        NoUpdate: no("The template has not changed since the machines were made", "nothing to do"),
        ...broken,
      },
    }),
    Scaling: neutral({
      means: "The number of machines is being changed",
      present: "onceSet",
      reasons: {
        ScalingUp: yes("Machines are missing", lookAtVMs),
        ScalingDown: yes("There are too many", "wait"),
        NotScaling: no("As many machines exist as are wanted, or an update is replacing some", "nothing to do"),
      },
    }),
  }),
  memory: [
    "collisionCount",
    "currentRevision",
    "updateRevision",
    "updateStatus.phase",
    "updateStatus.startTime",
    "updateStatus.completionTime",
    "updateStatus.failedVMs",
  ],
  urgent: [
    "replicas",
    "readyReplicas",
    "collisionCount",
    "updateStatus.phase",
    "conditions.Ready",
    "conditions.Progressing",
    "conditions.ReplicaFailure",
    "conditions.UpdateInProgress",
    "conditions.Scaling",
  ],
  maxStatusBytes: 256 * 1024,
  failures: keepsPhase,
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  columns: [
    column("Desired", ".spec.replicas", "integer"),
    column("Current", ".status.replicas", "integer"),
    column("Ready", ".status.readyReplicas", "integer"),
    column("Updated", ".status.updatedReplicas", "integer"),
    age(),
  ],
  finalizer: finalizers.vmSet,
});
export type VMSet = Resource<typeof VMSet>;
export type VMSetStatus = NonNullable<VMSet["status"]>;
