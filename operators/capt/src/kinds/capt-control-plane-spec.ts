// What a person asks of a CAPTControlPlane: a version of Kubernetes, and the template that makes its control plane.
import { Dictionary, Enum, Fields, Flag, List, Optional, type Static, Text } from "@telltale/kinds";
import { endpoint, minutes, region, templateRef, variables } from "./fields.ts";

const version = () =>
  Text({
    minLength: 1,
    maxLength: 256,
    pattern: "^v?[0-9]+\\.[0-9]+(\\.[0-9]+)?([-+].*)?$",
    description: "1.31, or v1.31.0",
  });

const controlPlaneConfig = Fields({
  region: region(),
  endpointAccess: Optional(
    Fields({
      public: Optional(Flag({ default: false })),
      private: Optional(Flag({ default: false })),
      publicCIDRs: Optional(List(Text({ format: "cidr", maxLength: 64 }))),
    }),
  ),
  addons: Optional(
    List(
      Fields({
        name: Text({ minLength: 1 }),
        version: Optional(Text()),
        configurationValues: Optional(Text()),
      }),
    ),
  ),
  timeouts: Optional(
    Fields({
      controlPlaneTimeout: minutes(30),
      vpcReadyTimeout: minutes(15),
      secretTimeout: minutes(5),
      workspaceReadyTimeout: minutes(30),
    }),
  ),
  spotServiceLinkedRole: Optional(
    Enum(["Disabled", "Ensure"], {
      default: "Disabled",
      description: "Ensure: the service-linked role for spot instances is made where it is missing",
    }),
  ),
});

const shared = {
  workspaceTemplateRef: templateRef(),
  controlPlaneConfig: Optional(controlPlaneConfig),
  additionalTags: Optional(Dictionary(Text())),
  controlPlaneEndpoint: Optional(endpoint()),
  workspaceTemplateApplyName: Optional(
    Text({ description: "Absent: the name of this object and -eks-controlplane-apply" }),
  ),
  kubeconfigTemplateRef: Optional(templateRef()),
  variables: Optional(variables()),
} as const;

export const CAPTControlPlaneSpec = Fields({ version: version(), ...shared });
export type CAPTControlPlaneSpec = Static<typeof CAPTControlPlaneSpec>;

/** The same in a template: the topology of a Cluster sets the version. */
export const CAPTControlPlaneTemplateSpec = Fields({ version: Optional(version()), ...shared });
