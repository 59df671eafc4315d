// VMSnapshot: the state of a machine at one moment, or a schedule that takes such states. This is everything that it can say of
// itself (3.6).
import {
  age,
  column,
  conditions,
  Dictionary,
  defineKind,
  Enum,
  Fields,
  Immutable,
  List,
  neutral,
  no,
  Optional,
  on,
  phases,
  positive,
  Quantity,
  type Resource,
  type Static,
  Text,
  Time,
  yes,
} from "@telltale/kinds";
import { finalizers, group, version } from "../names.ts";
import { tellsMessage } from "./failures.ts";
import {
  bytes,
  duration,
  environment,
  eta,
  flag,
  int,
  keyProvider,
  LocalRef,
  localRef,
  message,
  pairs,
  percentage,
  providerEntry,
  unused,
  upTo,
} from "./fields.ts";
import { lookAtProvider, providerUnreachable, reconcileFailed, validationError } from "./reasons.ts";

/** Only partly anchored, as it always was: what it lets through is read again when the schedule runs. */
const cronPattern =
  "^(@(annually|yearly|monthly|weekly|daily|hourly|reboot))|(@every (\\d+(ns|us|µs|ms|s|m|h))+)|((((\\d+,)+\\d+|(\\d+(\\/|-)\\d+)|\\d+|\\*) ?){5,7})$";

const spec = Fields({
  vmRef: Immutable(LocalRef, "the machine of a snapshot cannot be changed"),
  snapshotConfig: Optional(
    Fields({
      name: Optional(Text({ maxLength: 255, pattern: "^[a-zA-Z0-9]([a-zA-Z0-9\\-_]*[a-zA-Z0-9])?$" })),
      description: upTo(1024),
      includeMemory: flag(false),
      quiesce: flag(true),
      consistencyLevel: Optional(
        Enum(["CrashConsistent", "FilesystemConsistent", "ApplicationConsistent"], { default: "FilesystemConsistent" }),
      ),
      type: unused(
        Optional(Enum(["Standard", "Crash", "Application"], { default: "Standard" })),
        "includeMemory, quiesce and consistencyLevel say it",
      ),
      compression: unused(flag(false), "the provider decides"),
      encryption: Optional(
        Fields({
          enabled: flag(false, "No provider can: true is refused"),
          keyProvider: unused(keyProvider(), "no provider encrypts snapshots"),
          keyRef: unused(localRef(), "no provider encrypts snapshots"),
        }),
      ),
    }),
  ),
  retentionPolicy: Optional(
    Fields({
      maxAge: duration(undefined, "Hours at most: there is no day"),
      maxCount: int(1, 100),
      gracePeriod: duration("24h", "From the day that it expires to the day that it is deleted"),
      preservePinned: flag(true),
      deleteOnVMDelete: flag(true, "false: the machine cannot be deleted while this exists"),
    }),
  ),
  schedule: Optional(
    Fields({
      enabled: flag(false, "true: this object takes no snapshot itself, it makes others"),
      cronSpec: Optional(Text({ pattern: cronPattern, description: "Five fields, or @daily and the like" })),
      timezone: Optional(Text({ default: "UTC" })),
      suspend: flag(false),
      concurrencyPolicy: Optional(Enum(["Allow", "Forbid", "Replace"], { default: "Forbid" })),
      successfulJobsHistoryLimit: int(0, 100, 3),
      failedJobsHistoryLimit: int(0, 100, 1),
    }),
  ),
  metadata: Optional(
    Fields({
      application: upTo(255),
      environment: environment(),
      purpose: Optional(Enum(["backup", "testing", "migration", "restore-point", "update", "other"])),
      pinned: flag(false, "It never expires"),
      tags: pairs(50),
    }),
  ),
});
export type VMSnapshotSpec = Static<typeof spec>;

const snapshotRef = Fields({ name: Text(), namespace: Optional(Text()), uid: Optional(Text()) });
export type SnapshotRef = Static<typeof snapshotRef>;

const onProvider = Fields({ ...providerEntry, path: Optional(Text()), state: Optional(Text()) });

const status = Fields({
  snapshotID: Text({ maxLength: 1024 }),
  message: message(),
  creationTime: Time(),
  completionTime: Time(),
  expiryTime: Time(),
  size: Quantity(),
  virtualSize: Quantity(),
  progress: Fields({
    percentage: Optional(percentage()),
    startTime: Optional(Time()),
    totalBytes: Optional(bytes()),
    completedBytes: Optional(bytes()),
    eta: eta(),
  }),
  taskRef: Text({ maxLength: 1024 }),
  providerStatus: Dictionary(onProvider, { maxProperties: 64, description: "By provider" }),
  parent: snapshotRef,
  children: List(snapshotRef, { maxItems: 1000 }),
});

const wait = "wait";
const clean = { Created: no("It is there", "nothing to do") } as const;

const busyMeans = "The provider has other work with the machine, such as a copy";
const busyFix = "wait; it is asked again for an hour";

const waitingForVM = no("The machine is not there yet, is being changed, or nothing is known of it", wait);

const trouble = {
  ProviderError: on(
    ["False", "Unknown"],
    "The provider could not do it, or the snapshot is gone there; Unknown: it did not say",
    lookAtProvider,
  ),
  Unsupported: no(
    "The provider cannot take such a snapshot",
    "ask for less: no memory, no ApplicationConsistent, no encryption",
  ),
  QuiesceFailed: no(
    "The guest could not be brought to rest",
    "install the guest tools, or set snapshotConfig.quiesce to false",
  ),
} as const;

export const VMSnapshot = defineKind({
  group,
  version,
  kind: "VMSnapshot",
  shortNames: ["vmsnap"],
  description: "The state of a machine at one moment, or a schedule that takes such states.",
  spec,
  status,
  phases: phases(
    {
      Pending: ["Creating", "Ready", "Deleting", "Failed"],
      Creating: ["Pending", "Ready", "Deleting", "Failed"],
      Ready: ["Pending", "Expired", "Deleting", "Failed"],
      Expired: ["Ready", "Deleting"],
      Failed: ["Pending", "Deleting"],
      Deleting: [],
    },
    {
      initial: ["Pending", "Deleting"],
      means: {
        Pending: "it waits for its machine",
        Creating: "the provider takes it",
        Ready: "it can be gone back to; or a schedule that works",
        Deleting: "it is on its way out",
        Failed: "it could not be taken: change the spec",
        Expired: "its time is over, and it is deleted after the grace period",
      },
    },
  ),
  conditions: conditions({
    Ready: positive({
      means: "The snapshot exists",
      reasons: {
        Created: yes("It does"),
        MemoryIncluded: yes("It does, with the memory of the machine"),
        Scheduled: yes("It is a schedule, and the message says when the next one is taken"),
        Creating: no("It is being taken", wait),
        Deleting: no("It is being deleted", wait),
        VMNotFound: on(
          ["False", "Unknown"],
          "The machine does not exist; Unknown: the snapshot was there, and nobody looks for it any more",
          "make it, or correct spec.vmRef in a new VMSnapshot",
        ),
        WaitingForVM: waitingForVM,
        InvalidSchedule: no("The schedule cannot be read", "correct spec.schedule: five fields, a known timezone"),
        Busy: no(busyMeans, busyFix),
        ...trouble,
        ...providerUnreachable,
        ...validationError,
        ...reconcileFailed,
      },
    }),
    Creating: neutral({
      means: "The snapshot is being taken",
      present: "onceSet",
      reasons: {
        Creating: yes("It is", wait),
        Busy: yes(busyMeans, busyFix),
        ...clean,
        WaitingForVM: waitingForVM,
        ...providerUnreachable,
        ProviderError: { ...trouble.ProviderError, on: ["True", "False", "Unknown"] },
        Unsupported: trouble.Unsupported,
        QuiesceFailed: trouble.QuiesceFailed,
      },
    }),
    Deleting: neutral({
      means: "The snapshot is on its way out",
      present: "onceSet",
      reasons: {
        Deleting: yes("The provider was asked to remove it", wait),
        Busy: yes(
          busyMeans,
          "wait; it is asked again; the annotation virtrigaud.io/force-delete leaves it on the hypervisor",
        ),
        InUse: yes("A VMMigration or a VMClone uses it", "wait until that is through, or delete that"),
        ProviderError: yes(
          "The provider cannot be asked, or could not remove it",
          `${lookAtProvider}; the annotation virtrigaud.io/force-delete leaves it on the hypervisor`,
        ),
      },
    }),
    Expired: neutral({
      means: "The time of the snapshot is over",
      present: "onceSet",
      reasons: {
        Expired: yes(
          "It is deleted when the grace period is over",
          "set spec.metadata.pinned, or raise retentionPolicy.maxAge, to keep it",
        ),
        Pinned: no("It is kept", "nothing to do"),
        InUse: no("A VMMigration or a VMClone uses it", "nothing to do"),
      },
    }),
  }),
  memory: [
    "phase",
    "snapshotID",
    "taskRef",
    "creationTime",
    "completionTime",
    "progress",
    "parent",
    "providerStatus",
    "observedGeneration",
    "conditions.Ready",
    "conditions.Creating",
    "conditions.Expired",
  ],
  urgent: [
    "phase",
    "snapshotID",
    "taskRef",
    "conditions.Ready",
    "conditions.Creating",
    "conditions.Deleting",
    "conditions.Expired",
  ],
  volatile: ["progress"],
  failures: tellsMessage,
  columns: [
    column("VM", ".spec.vmRef.name"),
    column("Phase", ".status.phase"),
    column("Size", ".status.size"),
    column("Created", ".status.creationTime", "date"),
    column("Expires", ".status.expiryTime", "date"),
    age(),
  ],
  finalizer: finalizers.snapshot,
});
export type VMSnapshot = Resource<typeof VMSnapshot>;
export type VMSnapshotStatus = NonNullable<VMSnapshot["status"]>;
