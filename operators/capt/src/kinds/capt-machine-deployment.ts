// CaptMachineDeployment: machines that are replaced when their template changes. Behind the feature gate `Machines`.
import {
  column,
  conditionColumn,
  conditions,
  defineKind,
  Enum,
  Fields,
  Flag,
  Int32,
  IntOrString,
  no,
  Optional,
  on,
  positive,
  type Resource,
  unknown,
  yes,
} from "@telltale/kinds";
import { LabelSelector } from "@telltale/kinds/core";
import { finalizers, infrastructureGroup } from "../names.ts";
import { machineTemplate } from "./capt-machine-set.ts";
import { keepStatus } from "./failures.ts";
import { neverFailed } from "./fields.ts";
import { infrastructure } from "./labels.ts";
import { deleting, paused, simulated, simulatedColumn, simulatedReason } from "./reasons.ts";

const count = () => Int32({ minimum: 0 });
const share = (standard: number) => IntOrString({ default: standard, pattern: "^[0-9]+%?$" });

export const CaptMachineDeployment = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "CaptMachineDeployment",
  categories: ["cluster-api"],
  description: "Equal worker machines, replaced little by little when their template changes.",
  spec: Fields({
    replicas: Optional(Int32({ minimum: 0, default: 1 })),
    selector: Optional(LabelSelector({ description: "Absent: the machines of the sets that this object owns" })),
    template: machineTemplate(),
    strategy: Optional(
      Fields(
        {
          type: Optional(Enum(["RollingUpdate", "Recreate"], { default: "RollingUpdate" })),
          rollingUpdate: Optional(Fields({ maxUnavailable: Optional(share(0)), maxSurge: Optional(share(1)) })),
        },
        { default: {} },
      ),
    ),
    minReadySeconds: Optional(Int32({ minimum: 0, default: 0 })),
    revisionHistoryLimit: Optional(Int32({ minimum: 0, default: 10 })),
    paused: Optional(Flag()),
    progressDeadlineSeconds: Optional(Int32({ minimum: 0, default: 600 })),
  }),
  status: Fields({
    updatedReplicas: count(),
    replicas: count(),
    availableReplicas: count(),
    unavailableReplicas: count(),
    collisionCount: count(),
    ...neverFailed,
  }),
  conditions: conditions({
    Ready: positive({
      means: "All machines that are wanted run, as the template says",
      present: "onceSet",
      reasons: {
        Ready: yes("They do"),
        Simulated: simulatedReason,
        RollingOut: no("Machines are being replaced", "wait; look at Progressing"),
        MachinesNotReady: no("Machines do not run yet", "look at the CaptMachineSet that the message names"),
        MachineStateUnknown: unknown(
          "It is not known of machines whether they run",
          "look at the CaptMachines that the message names",
        ),
        InvalidSelector: no(
          "The selector does not select the machines of the template",
          "make labels and selector agree",
        ),
        Deleting: no("It is being deleted", "wait; Deleting says for what"),
      },
    }),
    Progressing: positive({
      means: "A change gets on, or is through",
      present: "onceSet",
      reasons: {
        MachineSetUpdated: yes("Machines are being made or taken away"),
        NewMachineSetAvailable: yes("The change is through"),
        DeploymentPaused: on(["Unknown"], "spec.paused holds the change", "set spec.paused to false"),
        MachineStateUnknown: unknown(
          "The change waits: it is not known of machines whether they run, and none that may run is removed",
          "look at the CaptMachines that the message names",
        ),
        ProgressDeadlineExceeded: no("Nothing moved for too long", "look at the CaptMachines that are not ready"),
      },
    }),
    Simulated: simulated,
    Paused: paused,
    Deleting: deleting({
      WaitingForMachineSetDeletion: yes("Sets of machines are being destroyed", "wait; read the message"),
    }),
  }),
  generation: "onSuccess",
  memory: ["collisionCount", "updatedReplicas", "availableReplicas", "conditions.Progressing", "conditions.Paused"],
  failures: keepStatus,
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  columns: [
    conditionColumn("Ready", "Ready"),
    column("Replicas", ".status.replicas", "integer"),
    column("Updated", ".status.updatedReplicas", "integer"),
    column("Available", ".status.availableReplicas", "integer"),
    simulatedColumn,
  ],
  finalizer: finalizers.captMachineDeployment,
  crdLabels: infrastructure,
});
export type CaptMachineDeployment = Resource<typeof CaptMachineDeployment>;
export type CaptMachineDeploymentStatus = NonNullable<CaptMachineDeployment["status"]>;
