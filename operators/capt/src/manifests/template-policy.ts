// Templates do not change (TPL-2): the API server itself sees to it, with a policy. A rule in the CRD could not tell the one
// exception, Cluster API's question of what a change would do.
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "@telltale/kinds/builtin";
import { CaptMachineTemplate } from "../kinds/capt-machine-template.ts";
import { CAPTClusterTemplate, CAPTControlPlaneTemplate } from "../kinds/templates.ts";
import { annotations } from "../names.ts";

const name = "capt-templates-do-not-change";

export const templatePolicy: ValidatingAdmissionPolicy = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [CAPTClusterTemplate, CAPTControlPlaneTemplate, CaptMachineTemplate].map(
        ({ group, version, plural }) => ({
          apiGroups: [group],
          apiVersions: [version],
          resources: [plural],
          operations: ["UPDATE"],
        }),
      ),
    },
    validations: [
      {
        expression: [
          "object.spec.template.spec == oldObject.spec.template.spec",
          `(request.dryRun && has(object.metadata.annotations) && '${annotations.topologyDryRun}' in object.metadata.annotations)`,
        ].join(" || "),
        message: "spec.template.spec cannot be changed; make a new template and refer to that",
        reason: "Invalid",
      },
    ],
  },
};

export const templatePolicyBinding: ValidatingAdmissionPolicyBinding = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName: name, validationActions: ["Deny"] },
};
