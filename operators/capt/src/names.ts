// Names, labels, annotations and finalizers: what we call things, and what others call them. Pure.
import { boundedName, sha256Hex } from "@telltale/kinds";

export const infrastructureGroup = "infrastructure.cluster.x-k8s.io";
export const controlPlaneGroup = "controlplane.cluster.x-k8s.io";
export const clusterGroup = "cluster.x-k8s.io";
export const terraformGroup = "tf.upbound.io";

const ours = `capt.${infrastructureGroup}`;

export const finalizers = {
  captCluster: `${infrastructureGroup}/captcluster`,
  /** Of older installations: taken away with ours. */
  captClusterLegacy: `${infrastructureGroup}/finalizer`,
  captControlPlane: `${controlPlaneGroup}/captcontrolplane`,
  workspaceTemplateApply: `${infrastructureGroup}/finalizer`,
  /** Of older installations: taken away on sight. */
  workspaceTemplateLegacy: `workspacetemplate.v2.${infrastructureGroup}`,
  captMachine: `captmachine.${infrastructureGroup}`,
  captMachineSet: `captmachineset.${infrastructureGroup}`,
  captMachineDeployment: `captmachinedeployment.${infrastructureGroup}`,
  clusterBridge: `${ours}/cluster-bridge`,
  workspaceRunner: `${ours}/workspace-runner`,
  /** Cluster API's own: says that its controllers look after this Cluster. Never touched. */
  cluster: `cluster.${clusterGroup}`,
  /** Crossplane's own: says that its provider runs this Workspace. Never touched. */
  crossplane: "finalizer.managedresource.crossplane.io",
} as const;

export const labels = {
  clusterName: `${clusterGroup}/cluster-name`,
  watchFilter: `${clusterGroup}/watch-filter`,
  /** An annotation to Cluster API's code, a label to its documents: both count. */
  managedBy: `${clusterGroup}/managed-by`,
  provider: `${clusterGroup}/provider`,
  applyName: `${ours}/apply-name`,
  applyNamespace: `${ours}/apply-namespace`,
  /** On a WorkspaceTemplate: `"true"` lets other namespaces use it. */
  shared: `${ours}/shared`,
  deploymentHash: "capt-deployment-hash",
} as const;

export const annotations = {
  /** Its presence counts, whatever the value. */
  paused: `${clusterGroup}/paused`,
  managedBy: `${clusterGroup}/managed-by`,
  region: `${clusterGroup}/region`,
  topologyDryRun: `topology.${clusterGroup}/dry-run`,
  resetFailure: `${ours}/reset-failure`,
  holdRevision: `${ours}/hold-revision`,
  adoptWorkspace: `${ours}/adopt-workspace`,
  applyUid: `${ours}/apply-uid`,
  revision: `${ours}/revision`,
  retained: `${ours}/retained`,
  errorClass: `${ours}/error-class`,
  cancelRun: `${ours}/cancel-run`,
  runner: `${ours}/runner`,
  /** On a connection Secret: whose it is. */
  workspaceUid: `${ours}/workspace-uid`,
  simOutputs: `${ours}/sim-outputs`,
  simScript: `${ours}/sim-script`,
  crossplanePaused: "crossplane.io/paused",
} as const;

/** Who owns which fields in server-side apply. */
export const managers = {
  infrastructure: "capt-infrastructure",
  controlPlane: "capt-controlplane",
  workspace: "capt-workspace",
  runner: "capt-runner",
  clusterBridge: "capt-cluster-bridge",
} as const;

export const secretTypes = {
  cluster: `${clusterGroup}/secret`,
  connection: "connection.crossplane.io/v1alpha1",
  state: `${ours}/tfstate`,
} as const;

export const leases = {
  clusterApi: "controller-leader-election-capi",
  crossplaneTerraform: "crossplane-leader-election-provider-terraform",
} as const;

/** Templates that are used when they are there. */
export const templates = {
  kubeconfig: "eks-kubeconfig-template",
  spotRoleCheck: "spot-role-check",
  spotRoleCreate: "spot-role-create",
} as const;

export const vpcApplyName = (captCluster: string): string => `${captCluster}-vpc`;
export const controlPlaneApplyName = (controlPlane: string): string => `${controlPlane}-eks-controlplane-apply`;
export const kubeconfigApplyName = (controlPlane: string): string => `${controlPlane}-kubeconfig-apply`;
export const spotRoleCheckName = (controlPlane: string): string => `${controlPlane}-spot-role-check`;
export const spotRoleCreateName = (controlPlane: string): string => `${controlPlane}-spot-role-create`;
export const machineApplyName = (machine: string): string => `${machine}-machine`;

export const controlPlaneConnectionName = (controlPlane: string): string => `${controlPlane}-eks-connection`;
export const kubeconfigOutputsName = (cluster: string): string => `${cluster}-outputs-kubeconfig`;
export const kubeconfigSecretName = (cluster: string): string => `${cluster}-kubeconfig`;
export const caSecretName = (cluster: string): string => `${cluster}-ca`;
/** The first part holds the index; the others are numbered from 1. */
export const stateSecretName = (workspaceUid: string, part = 0): string =>
  `capt-tfstate-${workspaceUid}${part === 0 ? "" : `-${part}`}`;

/** The name that templates know a Workspace by (6.4). */
export const workspaceBase = (apply: string): string => apply.replace(/-apply$/, "");
export const defaultConnectionName = (base: string): string => `${base}-connection`;

export interface ApplyRef {
  readonly namespace: string;
  readonly name: string;
}

/** What the Workspace of an apply is called. Without a namespace of its own, the apply's is part of the name. */
export function workspaceName(apply: ApplyRef, scope: "Namespaced" | "Cluster"): string {
  const base = workspaceBase(apply.name);
  if (scope === "Namespaced") return base;
  // A dot before the dash would begin a part of the name with a dash.
  const start = base.slice(0, 50).replace(/\.+$/, "");
  return `${start}-${sha256Hex(`${apply.namespace}/${apply.name}`, 8)}`;
}

/** The lease of the processes that run the same parts: those of other parts work beside them. */
export const leaseName = (parts: readonly string[]): string => `capt-${sha256Hex([...parts].sort().join(","), 8)}`;

/** A name as the value of a label: a name may be longer than a value. */
export const labelValue = (name: string): string => boundedName(name, 63, 8);
