// CAPTControlPlane: the control plane of a cluster. This is everything that it can say of itself.
import {
  Anything,
  column,
  conditions,
  Dictionary,
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
  Text,
  unknown,
  yes,
} from "@telltale/kinds";
import { controlPlaneGroup, finalizers } from "../names.ts";
import { CAPTControlPlaneSpec } from "./capt-control-plane-spec.ts";
import { keepStatus } from "./failures.ts";
import { endpoint, failure, revisions } from "./fields.ts";
import { controlPlaneContract } from "./labels.ts";
import {
  asFailed,
  connectionSecretReady,
  deleting,
  noRunner,
  paused,
  recoveryAvailable,
  requestFailed,
  reset,
  simulated,
  simulatedColumn,
  simulatedReason,
  timeouts,
  workspaceFailures,
  workspaceReady,
  workspaceSynced,
  workspaceTrouble,
} from "./reasons.ts";

/** What a Workspace is to us (3.6.2); Waiting: its apply waits for something else. */
export const workspaceStates = [
  "Pending",
  "Waiting",
  "Creating",
  "Available",
  "Degraded",
  "Error",
  "NotReady",
  "Paused",
  "Deleting",
  "Missing",
  "NoRunner",
] as const;
export type WorkspaceState = (typeof workspaceStates)[number];

const status = Fields({
  ready: Flag({ description: "Whether the control plane can be used now" }),
  initialized: Flag({ description: "Whether it could be used once" }),
  initialization: Fields({ controlPlaneInitialized: Optional(Flag()) }, { minProperties: 1 }),
  ...failure,
  workspaceTemplateStatus: Fields({
    ...revisions,
    state: Optional(Enum(workspaceStates)),
    outputs: Optional(Dictionary(Text({ maxLength: 4096 }), { maxProperties: 64 })),
  }),
  workspaceStatus: Fields({
    ready: Optional(Flag()),
    state: Optional(Text({ maxLength: 1024 })),
    atProvider: Optional(
      Fields({
        checksum: Optional(Text({ maxLength: 256 })),
        outputs: Optional(Dictionary(Anything(), { maxProperties: 64 })),
      }),
    ),
  }),
  secretsReady: Flag({ description: "Whether the Secrets with kubeconfig and CA are written" }),
  version: Text({
    maxLength: 256,
    description: "As the output cluster_version has it, else as was asked of the last run that went through",
  }),
  versions: List(Fields({ version: Text({ maxLength: 256 }) }), { maxItems: 32 }),
  externalManagedControlPlane: Flag({ description: "True: the control plane has no Nodes" }),
  controlPlaneEndpoint: endpoint(),
  endpoint: Text({ maxLength: 600, description: "The same as one text" }),
  workspaceTemplateApplyName: Text({ maxLength: 253 }),
  lastResetToken: Text({ maxLength: 1024, description: "The last value of the reset annotation that was seen" }),
});

const terminal = {
  ...workspaceFailures,
  ...timeouts,
  ControlPlaneTimeout: no("The control plane was not ready in time", reset),
  InvalidEndpoint: no("The run has an output that is no endpoint", "correct the output cluster_endpoint"),
} as const;

const notReady = {
  Creating: no("The control plane is being made", "wait"),
  WaitingForVPC: no("The network is not ready", "look at the CAPTCluster"),
  WorkspaceError: no("The last run failed; it is tried again", "read the message"),
  ...workspaceTrouble,
  EndpointNotReady: no("The run has no endpoint", "add the output cluster_endpoint to the module of the template"),
  WaitingForKubeconfig: no(
    "There is no kubeconfig yet",
    "add the output kubeconfig to the module, or set spec.kubeconfigTemplateRef",
  ),
  ...terminal,
  Deleting: no("It is being deleted", "wait; Deleting says for what"),
} as const;

export const CAPTControlPlane = defineKind({
  group: controlPlaneGroup,
  version: "v1beta1",
  kind: "CAPTControlPlane",
  shortNames: ["captcp"],
  categories: ["cluster-api"],
  description: "The control plane of a Cluster, made by Terraform.",
  spec: CAPTControlPlaneSpec,
  status,
  phases: phases(
    { Creating: ["Ready", "Failed"], Ready: [], Failed: ["Creating", "Ready"] },
    {
      // Whoever lost their status is what they are, without the way there (API-11).
      initial: ["Creating", "Ready", "Failed"],
      means: {
        Creating: "it is being made",
        Ready: "it could be used once; the conditions say how it is now",
        Failed: "it failed, and a person has to look",
      },
    },
  ),
  conditions: conditions({
    Available: positive({
      means: "The control plane answers",
      present: "onceSet",
      reasons: { Available: yes("It does"), Simulated: simulatedReason, ...notReady },
    }),
    Ready: positive({
      means: "The control plane can be used",
      present: "onceSet",
      reasons: { Ready: yes("It can"), Simulated: simulatedReason, ...notReady },
    }),
    CertificatesAvailable: positive({
      means: "The certificate of the cluster's authority is published",
      present: "onceSet",
      reasons: {
        CertificateWritten: yes("It is"),
        NotProvided: yes("The run has none, and none is needed"),
        WaitingForCertificate: no("The Secret is not written yet", "wait"),
        InvalidCertificate: no(
          "The output is no certificate",
          "let cluster_certificate_authority_data be PEM, or PEM in base64",
        ),
        WorkspaceNotReady: unknown("The Workspace is not ready", "look at WorkspaceReady"),
        RequestFailed: requestFailed,
      },
    }),
    ConnectionSecretReady: connectionSecretReady,
    Creating: neutral({
      means: "The control plane is being made",
      present: "onceSet",
      reasons: {
        Creating: yes("It is"),
        WaitingForVPC: yes("It will be, when the network is ready", "look at the CAPTCluster"),
        Ready: no("It is made", "nothing to do"),
        Failed: no("It could not be made", "look at Failed"),
        NoRunner: no(noRunner.means, noRunner.fix),
      },
    }),
    EndpointReady: positive({
      means: "The endpoint is known",
      present: "onceSet",
      reasons: {
        EndpointProvided: yes("It comes from the run, or from the spec"),
        ClusterEndpointUsed: yes("It is the Cluster's"),
        EndpointNotReady: no("The run has no endpoint", "add the output cluster_endpoint to the module"),
        InvalidEndpoint: no("The run has an output that is no endpoint", "correct the output cluster_endpoint"),
        WorkspaceNotReady: unknown("The Workspace is not ready", "look at WorkspaceReady"),
        RequestFailed: requestFailed,
      },
    }),
    Failed: negative({
      means: "The control plane failed",
      present: "onceSet",
      reasons: { ...asFailed(terminal), NotFailed: no("It has not failed", "nothing to do") },
    }),
    InfrastructureReady: positive({
      means: "The network that the control plane needs is there",
      present: "onceSet",
      reasons: {
        InfrastructureReady: yes("It is"),
        Simulated: simulatedReason,
        NoInfrastructureRef: yes("The Cluster names none"),
        WaitingForVPC: no("It is not ready", "look at the CAPTCluster"),
        InfrastructureNotReady: on(
          ["False", "Unknown"],
          "It was ready, and is not now, or nobody can tell",
          "look at the CAPTCluster",
        ),
        InfrastructureFailed: no("It failed", "look at the CAPTCluster"),
        // No clock runs meanwhile: nothing is being made.
        NoRunner: unknown(noRunner.means, noRunner.fix),
      },
    }),
    Initialized: positive({
      means: "The control plane could be used once",
      present: "onceSet",
      reasons: { Initialized: yes("It could"), ...notReady },
    }),
    KubeconfigReady: positive({
      means: "The Secret with the kubeconfig is there",
      present: "onceSet",
      reasons: {
        KubeconfigWritten: yes("We wrote it"),
        UserProvided: yes("Somebody else made it, and keeps it"),
        WaitingForKubeconfig: no(
          "There is no kubeconfig yet",
          "add the output kubeconfig to the module, or set spec.kubeconfigTemplateRef",
        ),
        InvalidKubeconfig: no("What there is, is no kubeconfig", "the message names the rule that it breaks"),
        EndpointNotReady: unknown("The endpoint is not known", "look at EndpointReady"),
        RequestFailed: requestFailed,
      },
    }),
    RecoveryAvailable: recoveryAvailable,
    RollingOut: neutral({
      means: "A change is on its way to the control plane",
      present: "onceSet",
      reasons: {
        RollingOut: yes("It is", "wait"),
        NotRollingOut: no("None is", "nothing to do"),
        VersionDowngradeRefused: no(
          "spec.version is lower than the version that runs",
          "set spec.version to the version that runs, or a higher one",
        ),
      },
    }),
    Simulated: simulated,
    WorkspaceReady: workspaceReady,
    WorkspaceSynced: workspaceSynced,
    Paused: paused,
    Deleting: deleting({
      WaitingForKubeconfigWorkspaceDeletion: yes("What depends on it is being destroyed", "wait; read the message"),
      WaitingForWorkspaceDeletion: yes("The control plane is being destroyed", "wait; read the message"),
    }),
  }),
  generation: "onSuccess",
  latches: ["initialized", "initialization.controlPlaneInitialized"],
  memory: [
    "ready",
    "phase",
    "failureReason",
    "failureMessage",
    "workspaceTemplateStatus",
    "workspaceStatus",
    "secretsReady",
    "version",
    "versions",
    "controlPlaneEndpoint",
    "endpoint",
    "lastResetToken",
    "observedGeneration",
    "conditions.Ready",
    "conditions.ConnectionSecretReady",
    "conditions.Creating",
    "conditions.Failed",
    "conditions.InfrastructureReady",
    "conditions.KubeconfigReady",
    "conditions.WorkspaceReady",
    "conditions.Paused",
  ],
  urgent: ["ready", "initialized", "initialization", "phase", "failureReason", "failureMessage"],
  failures: keepStatus,
  columns: [
    column("READY", ".status.ready"),
    column("PHASE", ".status.phase"),
    column("VERSION", ".spec.version"),
    column("ENDPOINT", ".status.endpoint"),
    column("AGE", ".metadata.creationTimestamp", "date"),
    simulatedColumn,
  ],
  finalizer: finalizers.captControlPlane,
  crdLabels: controlPlaneContract,
});
export type CAPTControlPlane = Resource<typeof CAPTControlPlane>;
export type CAPTControlPlaneStatus = NonNullable<CAPTControlPlane["status"]>;
