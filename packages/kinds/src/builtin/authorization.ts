// The kinds of `authorization.k8s.io/v1`: questions that are created and answered, never stored.
import type * as authorization from "kubernetes-types/authorization/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "authorization.k8s.io", version: "v1" };

export const LocalSubjectAccessReview = builtin<authorization.LocalSubjectAccessReview>()({
  ...v1,
  kind: "LocalSubjectAccessReview",
});
export type LocalSubjectAccessReview = authorization.LocalSubjectAccessReview;

export const SelfSubjectAccessReview = builtin<authorization.SelfSubjectAccessReview>()({
  ...v1,
  kind: "SelfSubjectAccessReview",
  scope: "Cluster",
});
export type SelfSubjectAccessReview = authorization.SelfSubjectAccessReview;

export const SelfSubjectRulesReview = builtin<authorization.SelfSubjectRulesReview>()({
  ...v1,
  kind: "SelfSubjectRulesReview",
  scope: "Cluster",
});
export type SelfSubjectRulesReview = authorization.SelfSubjectRulesReview;

export const SubjectAccessReview = builtin<authorization.SubjectAccessReview>()({
  ...v1,
  kind: "SubjectAccessReview",
  scope: "Cluster",
});
export type SubjectAccessReview = authorization.SubjectAccessReview;
