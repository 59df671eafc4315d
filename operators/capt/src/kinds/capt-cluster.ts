// CAPTCluster: the network of a cluster. This is everything that it can say of itself.
import {
  Anything,
  column,
  conditions,
  defineKind,
  Fields,
  Flag,
  negative,
  neutral,
  no,
  Optional,
  on,
  positive,
  type Resource,
  Text,
  yes,
} from "@telltale/kinds";
import { finalizers, infrastructureGroup } from "../names.ts";
import { CAPTClusterSpec, sourceStays } from "./capt-cluster-spec.ts";
import { keepStatus } from "./failures.ts";
import { endpoint, failure, lastAppliedTime, revisions } from "./fields.ts";
import { infrastructureContract } from "./labels.ts";
import {
  asFailed,
  connectionSecretReady,
  deleting,
  noRunner,
  paused,
  recoveryAvailable,
  simulated,
  simulatedColumn,
  simulatedReason,
  timeouts,
  workspaceFailures,
  workspaceReady,
  workspaceSynced,
  workspaceTrouble,
} from "./reasons.ts";

/** One path, two shapes: contract v1beta1 of Cluster API reads a map there, v1beta2 a list (10.4). */
export type FailureDomains = FailureDomainMap | FailureDomainList;
export interface FailureDomain {
  readonly controlPlane?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}
export type FailureDomainMap = Readonly<Record<string, FailureDomain>>;
export type FailureDomainList = readonly (FailureDomain & { readonly name: string })[];

const status = Fields({
  vpcWorkspaceName: Text({ maxLength: 253, description: "The Workspace that owns the network" }),
  vpcId: Text({ maxLength: 256, description: "The network in use, made by us or there before" }),
  ready: Flag({ description: "Whether the network can be used now" }),
  initialization: Fields({ provisioned: Optional(Flag()) }, { minProperties: 1 }),
  controlPlaneEndpoint: endpoint(),
  endpoint: Text({ maxLength: 600, description: "The same as one text" }),
  ...failure,
  failureDomains: Anything<FailureDomains>({ description: "A map by name, or a list, as Cluster API wants it" }),
  workspaceTemplateStatus: Fields({
    ...revisions,
    workspaceName: Optional(Text({ maxLength: 253 })),
    lastAppliedTime: lastAppliedTime(),
  }),
  workspaceTemplateApplyName: Text({ maxLength: 253 }),
  lastResetToken: Text({ maxLength: 1024, description: "The last value of the reset annotation that was seen" }),
});

const terminal = {
  InvalidVPCConfig: on(
    ["False", "Unknown"],
    "The spec contradicts itself",
    "set exactly one of vpcTemplateRef and existingVpcId; retainVpcOnDelete goes with the first",
  ),
  ...workspaceFailures,
  ...timeouts,
} as const;

const vpcNotReady = {
  VPCCreating: no("The network is being made", "wait"),
  VPCCreationFailed: no("The last run for the network failed; it is tried again", "read the message"),
  WaitingForDependencies: no("The template waits for something else", "make what the message names"),
  VPCIDNotFound: no("The run has no output vpc_id", "add it to the module of the template"),
  VPCReconciliationFailed: on(
    ["False", "Unknown"],
    "A request to the API server failed; it is tried again",
    "read the message",
  ),
  ...workspaceTrouble,
  ...terminal,
} as const;

export const CAPTCluster = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "CAPTCluster",
  shortNames: ["captcl"],
  categories: ["cluster-api"],
  description: "The infrastructure of a Cluster: a network, made by Terraform or there already.",
  spec: CAPTClusterSpec,
  status,
  rules: [sourceStays],
  conditions: conditions({
    Ready: positive({
      means: "The infrastructure can be used",
      present: "onceSet",
      reasons: {
        Ready: yes("It can"),
        Simulated: simulatedReason,
        ...vpcNotReady,
        Deleting: no("It is being deleted", "wait; Deleting says for what"),
      },
    }),
    ConnectionSecretReady: connectionSecretReady,
    EndpointReady: positive({
      means: "The endpoint of the cluster is known",
      present: "onceSet",
      reasons: {
        EndpointProvided: yes("It stands in the spec"),
        ClusterEndpointUsed: yes("It is the Cluster's"),
        WaitingForEndpoint: no("Nobody knows it yet", "wait for the control plane, or set spec.controlPlaneEndpoint"),
      },
    }),
    RecoveryAvailable: recoveryAvailable,
    Simulated: simulated,
    VPCCreating: neutral({
      means: "The network is being made",
      present: "onceSet",
      reasons: {
        VPCCreating: yes("It is"),
        VPCCreated: no("It is made", "nothing to do"),
        ExistingVPCUsed: no("It was there before", "nothing to do"),
        VPCFailed: no("It could not be made", "look at VPCFailed"),
        NoRunner: no(noRunner.means, noRunner.fix),
      },
    }),
    VPCFailed: negative({
      means: "The network failed for good",
      present: "onceSet",
      reasons: { ...asFailed(terminal), NotFailed: no("It has not failed", "nothing to do") },
    }),
    VPCReady: positive({
      means: "The network can be used",
      present: "onceSet",
      reasons: {
        VPCCreated: yes("It is made"),
        Simulated: simulatedReason,
        ExistingVPCUsed: yes("It was there before"),
        ...vpcNotReady,
      },
    }),
    WorkspaceReady: workspaceReady,
    WorkspaceSynced: workspaceSynced,
    Paused: paused,
    Deleting: deleting({
      WaitingForControlPlaneDeletion: yes("The control plane still needs the network", "delete the CAPTControlPlane"),
      WaitingForMachineDeletion: yes("Machines still need the network", "delete them, or wait"),
      WaitingForWorkspaceTemplateApplyDeletion: yes("The network is being destroyed", "wait; read the message"),
      VPCRetained: yes("The network stays, as retainVpcOnDelete says"),
    }),
  }),
  generation: "onSuccess",
  latches: ["initialization.provisioned"],
  memory: [
    "vpcId",
    "vpcWorkspaceName",
    "ready",
    "failureReason",
    "failureMessage",
    "failureDomains",
    "controlPlaneEndpoint",
    "endpoint",
    "workspaceTemplateStatus",
    "lastResetToken",
    "observedGeneration",
    "conditions.Ready",
    "conditions.ConnectionSecretReady",
    "conditions.VPCCreating",
    "conditions.VPCFailed",
    "conditions.VPCReady",
    "conditions.WorkspaceReady",
    "conditions.Paused",
  ],
  urgent: ["ready", "initialization", "failureReason", "failureMessage"],
  // C16: a request that fails before the network was ever there is told.
  failures: {
    ...keepStatus,
    transient: { phase: "keep", requeue: "backoff", write: true, condition: { type: "VPCReady", status: "Unknown" } },
  },
  columns: [
    column("VPC-ID", ".status.vpcId"),
    column("READY", ".status.ready", "boolean"),
    column("ENDPOINT", ".status.endpoint"),
    column("AGE", ".metadata.creationTimestamp", "date"),
    simulatedColumn,
  ],
  finalizer: finalizers.captCluster,
  crdLabels: infrastructureContract,
});
export type CAPTCluster = Resource<typeof CAPTCluster>;
export type CAPTClusterStatus = NonNullable<CAPTCluster["status"]>;
