// The kinds of `authentication.k8s.io/v1`: questions that are created and answered, never stored.
import type * as authentication from "kubernetes-types/authentication/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "authentication.k8s.io", version: "v1" };

export const SelfSubjectReview = builtin<authentication.SelfSubjectReview>()({
  ...v1,
  kind: "SelfSubjectReview",
  scope: "Cluster",
});
export type SelfSubjectReview = authentication.SelfSubjectReview;

/** Created at `serviceaccounts/token`; no path is named after it. */
export const TokenRequest = builtin<authentication.TokenRequest>()({ ...v1, kind: "TokenRequest" });
export type TokenRequest = authentication.TokenRequest;

export const TokenReview = builtin<authentication.TokenReview>()({ ...v1, kind: "TokenReview", scope: "Cluster" });
export type TokenReview = authentication.TokenReview;
