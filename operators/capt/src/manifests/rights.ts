// What the operator may do at most (13.1), part by part. It patches and never updates, and sees no list of Secrets. Pure.
import type { PolicyRule } from "@telltale/runtime";
import { clusterGroup, controlPlaneGroup, infrastructureGroup, terraformGroup } from "../names.ts";

const reading = ["get", "list", "watch"] as const;

/**
 * One by one, never as a list. Which names they have depends on the objects that there are, and no role can say that: of a creation not
 * even one name could be given, as a server does not know the name when it decides. So they are restricted by namespace.
 */
export const secretReadRights: readonly PolicyRule[] = [rule("", ["secrets"], "get")];
/** Of who writes Secrets too. We delete our own only: with a type that cannot be changed, or with what it belongs to. */
export const secretRights: readonly PolicyRule[] = [rule("", ["secrets"], "get", "create", "patch", "delete")];

export const eventRights: readonly PolicyRule[] = [
  rule("events.k8s.io", ["events"], "create", "patch"),
  rule("", ["events"], "create", "patch"),
];

/** Every controller's, with Cluster API's own beside it or without. */
export const managerRights: readonly PolicyRule[] = [
  rule(infrastructureGroup, ["captclusters", "captclustertemplates", "workspacetemplates"], ...reading, "patch"),
  rule(infrastructureGroup, ["workspacetemplateapplies"], ...reading, "create", "patch", "delete"),
  rule(infrastructureGroup, statusOf("captclusters", "workspacetemplates", "workspacetemplateapplies"), "get", "patch"),
  // The server asks for it where a child holds back its owner.
  rule(infrastructureGroup, finalizersOf("captclusters", "workspacetemplateapplies"), "update"),
  rule(controlPlaneGroup, ["captcontrolplanes", "captcontrolplanetemplates"], ...reading, "patch"),
  rule(controlPlaneGroup, statusOf("captcontrolplanes"), "get", "patch"),
  rule(controlPlaneGroup, finalizersOf("captcontrolplanes"), "update"),
  rule(clusterGroup, ["clusters"], ...reading),
  ...eventRights,
];

/** Of Workspaces, which may be in no namespace. */
export const workspaceRights: readonly PolicyRule[] = [
  rule(terraformGroup, ["workspaces"], ...reading, "create", "patch", "delete"),
  rule(terraformGroup, statusOf("workspaces"), "get"),
];

/** What can only be asked in the whole cluster: who else works here. */
export const detectionRights: readonly PolicyRule[] = [
  rule("coordination.k8s.io", ["leases"], "get", "list"),
  {
    ...rule("apiextensions.k8s.io", ["customresourcedefinitions"], "get"),
    resourceNames: ["clusters.cluster.x-k8s.io", "workspaces.tf.upbound.io"],
  },
];

/** Of the bridge, which stands in for Cluster API. */
export const bridgeRights: readonly PolicyRule[] = [
  rule(clusterGroup, ["clusters", "clusters/status"], "patch"),
  rule(clusterGroup, finalizersOf("clusters"), "update"),
  rule(infrastructureGroup, ["captclusters"], "delete"),
  rule(controlPlaneGroup, ["captcontrolplanes"], "delete"),
];

/** Of the built-in runner. */
export const runnerRights: readonly PolicyRule[] = [
  rule(terraformGroup, statusOf("workspaces"), "patch"),
  rule(terraformGroup, finalizersOf("workspaces"), "update"),
  rule("", ["configmaps"], "get"),
  rule(terraformGroup, ["providerconfigs"], "get"),
];

const machines = ["captmachines", "captmachinesets", "captmachinedeployments", "captmachinetemplates"] as const;

/** Behind the feature gate. */
export const machineRights: readonly PolicyRule[] = [
  rule(infrastructureGroup, ["captmachines", "captmachinesets"], ...reading, "create", "patch", "delete"),
  rule(infrastructureGroup, ["captmachinedeployments", "captmachinetemplates"], ...reading, "patch"),
  rule(infrastructureGroup, statusOf(...machines), "get", "patch"),
  rule(infrastructureGroup, finalizersOf(...machines), "update"),
];

/** A Cluster that goes takes its deployments of machines along; Cluster API's own controllers do it themselves. */
export const bridgeMachineRights: readonly PolicyRule[] = [
  rule(infrastructureGroup, ["captmachinedeployments"], "delete"),
];

/** In the operator's own namespace: leader election. A runner keeps its state there too, in Secrets. */
export const leaseRights: readonly PolicyRule[] = [rule("coordination.k8s.io", ["leases"], "get", "create", "patch")];

function rule(group: string, resources: readonly string[], ...verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources: [...resources], verbs: [...verbs] };
}

function statusOf(...resources: readonly string[]): readonly string[] {
  return resources.map((resource) => `${resource}/status`);
}

function finalizersOf(...resources: readonly string[]): readonly string[] {
  return resources.map((resource) => `${resource}/finalizers`);
}
