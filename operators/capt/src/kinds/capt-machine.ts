// CaptMachine: one worker machine, made by a template. Behind the feature gate `Machines`.
import {
  column,
  conditions,
  Dictionary,
  defineKind,
  Enum,
  Fields,
  Flag,
  List,
  no,
  Optional,
  on,
  positive,
  type Resource,
  type Static,
  Text,
  Time,
  yes,
} from "@telltale/kinds";
import { finalizers, infrastructureGroup } from "../names.ts";
import { keepStatus } from "./failures.ts";
import { neverFailed, templateRef } from "./fields.ts";
import { infrastructureContract } from "./labels.ts";
import {
  deleting,
  paused,
  simulated,
  simulatedColumn,
  simulatedReason,
  workspaceReady,
  workspaceSynced,
  workspaceTrouble,
} from "./reasons.ts";

export const nodeGroupRef = () =>
  Fields({
    name: Text({ minLength: 1 }),
    namespace: Text({ minLength: 1, description: "Has no effect: the module is given the name alone" }),
  });

export const CaptMachineSpec = Fields({
  nodeGroupRef: nodeGroupRef(),
  workspaceTemplateRef: templateRef(),
  instanceType: Text(),
  labels: Optional(Dictionary(Text())),
  tags: Optional(Dictionary(Text())),
  providerID: Optional(Text({ description: "Set by the operator, from the output provider_id" })),
});
export type CaptMachineSpec = Static<typeof CaptMachineSpec>;

const status = Fields({
  ready: Flag(),
  instanceId: Text({ maxLength: 256 }),
  privateIp: Text({ maxLength: 64 }),
  lastTransitionTime: Time({ description: "When ready last changed" }),
  initialization: Fields({ provisioned: Optional(Flag()) }, { minProperties: 1 }),
  addresses: List(
    Fields({
      type: Enum(["Hostname", "ExternalIP", "InternalIP", "ExternalDNS", "InternalDNS"]),
      address: Text({ maxLength: 256 }),
    }),
    { maxItems: 32 },
  ),
  ...neverFailed,
});

export const CaptMachine = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "CaptMachine",
  categories: ["cluster-api"],
  description: "One worker machine, made by Terraform.",
  spec: CaptMachineSpec,
  status,
  conditions: conditions({
    Ready: positive({
      means: "The machine is made, and its instance exists",
      present: "onceSet",
      reasons: {
        Ready: yes("It is"),
        Simulated: simulatedReason,
        Creating: no("It is being made", "wait"),
        WaitingForDependencies: no("The template waits for something else", "make what the message names"),
        WorkspaceError: no("The last run failed; it is tried again", "read the message"),
        ...workspaceTrouble,
        InstanceIDNotFound: on(
          ["False", "Unknown"],
          "The run has no output instance_id",
          "add it to the module of the template",
        ),
        InvalidTemplate: no("The template cannot be rendered with the variables", "read the message"),
        WorkspaceFailed: no("The run failed in a way that a retry does not mend", "correct the template"),
        Deleting: no("It is being deleted", "wait; Deleting says for what"),
      },
    }),
    Simulated: simulated,
    WorkspaceReady: workspaceReady,
    WorkspaceSynced: workspaceSynced,
    Paused: paused,
    Deleting: deleting({
      WaitingForWorkspaceTemplateApplyDeletion: yes("The machine is being destroyed", "wait; read the message"),
    }),
  }),
  generation: "onSuccess",
  latches: ["initialization.provisioned"],
  memory: ["ready", "instanceId", "privateIp", "lastTransitionTime", "addresses", "conditions.Paused"],
  urgent: ["ready", "initialization", "failureReason", "failureMessage"],
  failures: keepStatus,
  columns: [
    column("Ready", ".status.ready", "boolean"),
    column("Instance ID", ".status.instanceId"),
    column("Node Group", ".spec.nodeGroupRef.name"),
    simulatedColumn,
  ],
  finalizer: finalizers.captMachine,
  crdLabels: infrastructureContract,
});
export type CaptMachine = Resource<typeof CaptMachine>;
export type CaptMachineStatus = NonNullable<CaptMachine["status"]>;
