// CaptMachineSet: so many machines of one kind. Behind the feature gate `Machines`.
import {
  column,
  conditions,
  defineKind,
  Fields,
  Int32,
  no,
  Optional,
  positive,
  type Resource,
  unknown,
  yes,
} from "@telltale/kinds";
import { LabelSelector } from "@telltale/kinds/core";
import { finalizers, infrastructureGroup } from "../names.ts";
import { CaptMachineSpec } from "./capt-machine.ts";
import { keepStatus } from "./failures.ts";
import { neverFailed, objectLabels } from "./fields.ts";
import { infrastructure } from "./labels.ts";
import { deleting, paused, simulated, simulatedColumn, simulatedReason } from "./reasons.ts";

/** What the machines of a set look like. */
export const machineTemplate = () => Fields({ metadata: objectLabels(), spec: CaptMachineSpec });

const count = () => Int32({ minimum: 0 });

export const CaptMachineSet = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "CaptMachineSet",
  categories: ["cluster-api"],
  description: "A number of equal worker machines.",
  spec: Fields({
    replicas: Optional(Int32({ minimum: 0, default: 1 })),
    selector: Optional(LabelSelector({ description: "Absent: the machines that this set owns" })),
    template: machineTemplate(),
  }),
  status: Fields({
    replicas: count(),
    fullyLabeledReplicas: count(),
    readyReplicas: count(),
    availableReplicas: count(),
    ...neverFailed,
  }),
  conditions: conditions({
    Ready: positive({
      means: "All machines that are wanted run",
      present: "onceSet",
      reasons: {
        Ready: yes("They do"),
        Simulated: simulatedReason,
        ScalingUp: no("Machines are missing", "wait; look at the CaptMachines"),
        ScalingDown: no("There are too many machines", "wait"),
        MachinesNotReady: no("Machines do not run yet", "look at the CaptMachines that the message names"),
        MachineStateUnknown: unknown(
          "It is not known of machines whether they run; none that may run is removed",
          "look at the CaptMachines that the message names",
        ),
        InvalidSelector: no(
          "The selector does not select the machines of the template",
          "make labels and selector agree",
        ),
        Deleting: no("It is being deleted", "wait; Deleting says for what"),
      },
    }),
    Simulated: simulated,
    Paused: paused,
    Deleting: deleting({ WaitingForMachineDeletion: yes("Machines are being destroyed", "wait; read the message") }),
  }),
  generation: "onSuccess",
  failures: keepStatus,
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  columns: [
    column("Desired", ".spec.replicas", "integer"),
    column("Current", ".status.replicas", "integer"),
    column("Ready", ".status.readyReplicas", "integer"),
    column("Available", ".status.availableReplicas", "integer"),
    simulatedColumn,
  ],
  finalizer: finalizers.captMachineSet,
  crdLabels: infrastructure,
});
export type CaptMachineSet = Resource<typeof CaptMachineSet>;
export type CaptMachineSetStatus = NonNullable<CaptMachineSet["status"]>;
