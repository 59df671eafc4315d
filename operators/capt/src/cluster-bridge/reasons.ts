// What the bridge says of a Cluster in words of its own (8.3, 8.4). Everything else it repeats from the two providers.

export const clusterReasons = {
  WaitingForInfrastructure: {
    means: "The CAPTCluster has not said anything yet, or does not exist",
    fix: "make it, or correct spec.infrastructureRef",
  },
  ObjectDoesNotExist: {
    means: "The CAPTCluster does not exist (v1beta2)",
    fix: "make it, or correct spec.infrastructureRef",
  },
  WaitingForControlPlane: {
    means: "The CAPTControlPlane has not said anything yet, or does not exist",
    fix: "make it, or correct spec.controlPlaneRef",
  },
  WaitingForControlPlaneProviderInitialized: {
    means: "The control plane could not be used yet (v1beta1)",
    fix: "wait; look at the CAPTControlPlane",
  },
  NotInitialized: {
    means: "The control plane could not be used yet (v1beta2)",
    fix: "wait; look at the CAPTControlPlane",
  },
  Initialized: { means: "The control plane could be used once", fix: "" },
  Ready: { means: "All of it can be used (v1beta1)", fix: "" },
  Available: { means: "All of it can be used (v1beta2)", fix: "" },
  Simulated: {
    means: "Nothing is real: the runs of its network or of its control plane are simulated",
    fix: "install tofu or terraform, or Crossplane's provider-terraform, and set --workspace-runner to auto",
  },
  Paused: {
    means: "Nobody works on it, as spec.paused or an annotation says (v1beta2)",
    fix: "set spec.paused to false, take the annotation cluster.x-k8s.io/paused away",
  },
  NotPaused: { means: "It is worked on", fix: "" },
  Deleting: { means: "It is on its way out", fix: "wait; Deleting says for what" },
  WaitingForMachineDeletion: { means: "Machines are being destroyed", fix: "wait; look at the CaptMachines" },
  WaitingForControlPlaneDeletion: {
    means: "The control plane is being destroyed",
    fix: "wait; look at the CAPTControlPlane",
  },
  WaitingForInfrastructureDeletion: { means: "The network is being destroyed", fix: "wait; look at the CAPTCluster" },
  DeletionCompleted: { means: "Everything that belonged to it is gone", fix: "" },
  NotDeleting: { means: "It is not", fix: "" },
} as const satisfies Readonly<Record<string, { readonly means: string; readonly fix: string }>>;

export type ClusterReason = keyof typeof clusterReasons;
