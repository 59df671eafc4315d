// The kinds of `admissionregistration.k8s.io/v1`.
import type * as admissionregistration from "kubernetes-types/admissionregistration/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "admissionregistration.k8s.io", version: "v1" };

export const MutatingWebhookConfiguration = builtin<admissionregistration.MutatingWebhookConfiguration>()({
  ...v1,
  kind: "MutatingWebhookConfiguration",
  scope: "Cluster",
  categories: ["api-extensions"],
});
export type MutatingWebhookConfiguration = admissionregistration.MutatingWebhookConfiguration;

export const ValidatingAdmissionPolicy = builtin<admissionregistration.ValidatingAdmissionPolicy>()({
  ...v1,
  kind: "ValidatingAdmissionPolicy",
  scope: "Cluster",
  categories: ["api-extensions"],
  status: true,
});
export type ValidatingAdmissionPolicy = admissionregistration.ValidatingAdmissionPolicy;

export const ValidatingAdmissionPolicyBinding = builtin<admissionregistration.ValidatingAdmissionPolicyBinding>()({
  ...v1,
  kind: "ValidatingAdmissionPolicyBinding",
  scope: "Cluster",
  categories: ["api-extensions"],
});
export type ValidatingAdmissionPolicyBinding = admissionregistration.ValidatingAdmissionPolicyBinding;

export const ValidatingWebhookConfiguration = builtin<admissionregistration.ValidatingWebhookConfiguration>()({
  ...v1,
  kind: "ValidatingWebhookConfiguration",
  scope: "Cluster",
  categories: ["api-extensions"],
});
export type ValidatingWebhookConfiguration = admissionregistration.ValidatingWebhookConfiguration;
