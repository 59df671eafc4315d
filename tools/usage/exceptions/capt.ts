import type { Exception } from "./exception.ts";

const ofClass = {
  why: "Cluster API's topology controller copies it into objects, which we read",
  told: "are for Cluster API's topology controller, which makes CAPTClusters and CAPTControlPlanes from them",
} as const;

const ofClusterApi = {
  why: "the kind is Cluster API's, and a server has to accept it as its users have it",
  told: "has no effect on this operator",
} as const;

const conditionsTell = {
  why: "these kinds give nothing up for good; what is stored by other installations has to stay valid",
  told: "Never set: the conditions tell",
} as const;

export const capt: readonly Exception[] = [
  { what: "spec CAPTClusterTemplate template", ...ofClass },
  { what: "spec CAPTControlPlaneTemplate template", ...ofClass },
  {
    what: "spec CaptMachineTemplate template",
    why: "no controller clones machines yet: it is there for other tools",
    told: "`CaptMachineTemplate` is for what clones it: this operator makes nothing of it, and reads none of its fields.",
  },
  {
    what: "spec CaptMachine nodeGroupRef.namespace",
    why: "the specification requires it, and a module is given the name of the group alone",
    told: "Has no effect: the module is given the name alone",
  },
  {
    what: "spec WorkspaceTemplate template.metadata",
    why: "documentation inside the object, by the specification",
    told: "`template.metadata` of a WorkspaceTemplate is for people: no code reads it.",
  },
  {
    what: "status WorkspaceTemplate workspaceName",
    why: "kept for compatibility, by the specification",
    told: "Never set: a template serves many Workspaces",
  },
  { what: "status CaptMachine failure*", ...conditionsTell },
  { what: "status CaptMachineSet failure*", ...conditionsTell },
  { what: "status CaptMachineDeployment failure*", ...conditionsTell },
  ...["infrastructureRef", "controlPlaneRef"].flatMap((reference) =>
    ["uid", "resourceVersion", "fieldPath"].map((field) => ({
      what: `spec Cluster ${reference}.${field}`,
      ...ofClusterApi,
    })),
  ),
  { what: "spec Cluster clusterNetwork", ...ofClusterApi },
  { what: "spec Cluster topology", ...ofClusterApi },
  {
    what: "status Cluster v1beta2",
    why: "the kind is Cluster API's: its newer controllers write it",
    told: "Never set by this operator",
  },
  {
    what: "reason Workspace Ready/Unavailable",
    why: "said by Crossplane's provider; a run of ours either went through or failed",
    told: "Crossplane's provider alone gives `Unavailable`",
  },
];
