// The CustomResourceDefinitions: of our kinds, and of those that we only touch, for servers that lack them.
import { type Kind, toCrd } from "@telltale/kinds";
import type { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { CaptMachine } from "../kinds/capt-machine.ts";
import { CaptMachineDeployment } from "../kinds/capt-machine-deployment.ts";
import { CaptMachineSet } from "../kinds/capt-machine-set.ts";
import { CaptMachineTemplate } from "../kinds/capt-machine-template.ts";
import { ClusterV1beta1, ClusterV1beta2 } from "../kinds/cluster.ts";
import { CAPTClusterTemplate, CAPTControlPlaneTemplate } from "../kinds/templates.ts";
import { NamespacedWorkspace, Workspace } from "../kinds/workspace.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";

export const infrastructureKinds: readonly Kind[] = [
  CAPTCluster,
  CAPTClusterTemplate,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
];
export const controlPlaneKinds: readonly Kind[] = [CAPTControlPlane, CAPTControlPlaneTemplate];
export const machineKinds: readonly Kind[] = [CaptMachine, CaptMachineSet, CaptMachineDeployment, CaptMachineTemplate];

/** Of our own kinds. Those of the machines too, gate or not: objects that are there stay valid. */
export const captCrds = (): readonly CustomResourceDefinition[] =>
  [...infrastructureKinds, ...controlPlaneKinds, ...machineKinds].map((kind) => toCrd(kind));

/** As Crossplane's provider has it, in no namespace, so that the provider can take over later. */
export const workspaceCrd = (scope: "Cluster" | "Namespaced" = "Cluster"): CustomResourceDefinition =>
  foreign(scope === "Cluster" ? Workspace : NamespacedWorkspace);

/** One version of it, for a server without Cluster API. */
export const clusterCrd = (version: "v1beta1" | "v1beta2"): CustomResourceDefinition =>
  foreign(version === "v1beta1" ? ClusterV1beta1 : ClusterV1beta2);

/** What belongs to others begins without a status, as theirs does. */
function foreign(kind: Kind): CustomResourceDefinition {
  const crd = structuredClone(toCrd(kind));
  for (const { schema } of crd.spec.versions) delete schema?.openAPIV3Schema?.properties?.["status"]?.default;
  return crd;
}
