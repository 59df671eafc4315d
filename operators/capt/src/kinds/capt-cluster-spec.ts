// What a person asks of a CAPTCluster: a network, made from a template or there already.
import { Fields, Flag, Immutable, Optional, type Rule, type Static, Text } from "@telltale/kinds";
import { endpoint, minutes, region, templateRef, variables } from "./fields.ts";

/** Names of variables that the operator gives a value itself. */
export const reservedVpcVariables = ["cluster_name", "vpc_name", "region", "namespace"] as const;

const shared = {
  vpcTemplateRef: Optional(templateRef()),
  existingVpcId: Optional(
    Text({ minLength: 1, maxLength: 256, pattern: "^\\S+$", description: "A network that is there already" }),
  ),
  retainVpcOnDelete: Optional(Flag({ default: false, description: "Whether a network that we made stays" })),
  vpcConfig: Optional(Fields({ name: Optional(Text({ description: "Absent: the name of this object and -vpc" })) })),
  workspaceTemplateApplyName: Optional(Text({ description: "Absent: the name of this object and -vpc" })),
  controlPlaneEndpoint: Optional(endpoint()),
  timeouts: Optional(
    Fields({
      vpcReadyTimeout: minutes(15),
      secretTimeout: minutes(5),
      workspaceReadyTimeout: minutes(15),
    }),
  ),
} as const;

const reserved: Rule = {
  rule: reservedVpcVariables.map((name) => `!('${name}' in self)`).join(" && "),
  message: `${reservedVpcVariables.join(", ")} are set by the operator`,
};

export const vpcTexts = {
  both: "vpcTemplateRef and existingVpcId are mutually exclusive",
  neither: "one of vpcTemplateRef or existingVpcId is required",
  retain: "retainVpcOnDelete requires vpcTemplateRef",
  switched: "the VPC source cannot change after provisioning",
} as const;

const hasId = "(has(self.existingVpcId) && self.existingVpcId != '')";

/** CC-V1 and CC-V2. The controller checks them too: an object may have got past admission. */
const sources: readonly Rule[] = [
  { rule: `!(has(self.vpcTemplateRef) && ${hasId})`, message: vpcTexts.both },
  { rule: `has(self.vpcTemplateRef) || ${hasId}`, message: vpcTexts.neither },
  {
    rule: "!has(self.retainVpcOnDelete) || !self.retainVpcOnDelete || has(self.vpcTemplateRef)",
    message: vpcTexts.retain,
  },
];

/** CC-V3, on the whole object: it asks the status. */
export const sourceStays: Rule = {
  rule: [
    "!has(oldSelf.status) || !has(oldSelf.status.initialization)",
    "!has(oldSelf.status.initialization.provisioned) || !oldSelf.status.initialization.provisioned",
    "has(self.spec.vpcTemplateRef) == has(oldSelf.spec.vpcTemplateRef)",
  ].join(" || "),
  message: vpcTexts.switched,
};

export const CAPTClusterSpec = Fields(
  {
    region: Immutable(region()),
    ...shared,
    variables: Optional(variables([reserved])),
  },
  { rules: sources },
);
export type CAPTClusterSpec = Static<typeof CAPTClusterSpec>;

/** The same in a template: a ClusterClass fills in what is missing, so no rule between fields holds yet. */
export const CAPTClusterTemplateSpec = Fields({
  region: region(),
  ...shared,
  variables: Optional(variables([reserved])),
});
