// CAPTClusterTemplate and CAPTControlPlaneTemplate: what a ClusterClass makes CAPTClusters and CAPTControlPlanes from.
// Their names are the kind's and `Template`, because Cluster API takes that word off to find the kind (TPL-1).
import { column, defineKind, Fields, type Resource } from "@telltale/kinds";
import { controlPlaneGroup, infrastructureGroup } from "../names.ts";
import { CAPTClusterTemplateSpec } from "./capt-cluster-spec.ts";
import { CAPTControlPlaneTemplateSpec } from "./capt-control-plane-spec.ts";
import { objectLabels } from "./fields.ts";
import { controlPlaneContract, infrastructureContract } from "./labels.ts";

export const CAPTClusterTemplate = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "CAPTClusterTemplate",
  categories: ["cluster-api"],
  description: "What CAPTClusters of a ClusterClass look like.",
  spec: Fields({ template: Fields({ metadata: objectLabels(), spec: CAPTClusterTemplateSpec }) }),
  columns: [column("AGE", ".metadata.creationTimestamp", "date")],
  crdLabels: infrastructureContract,
});
export type CAPTClusterTemplate = Resource<typeof CAPTClusterTemplate>;

export const CAPTControlPlaneTemplate = defineKind({
  group: controlPlaneGroup,
  version: "v1beta1",
  kind: "CAPTControlPlaneTemplate",
  categories: ["cluster-api"],
  description: "What CAPTControlPlanes of a ClusterClass look like.",
  spec: Fields({ template: Fields({ metadata: objectLabels(), spec: CAPTControlPlaneTemplateSpec }) }),
  columns: [column("AGE", ".metadata.creationTimestamp", "date")],
  crdLabels: controlPlaneContract,
});
export type CAPTControlPlaneTemplate = Resource<typeof CAPTControlPlaneTemplate>;
