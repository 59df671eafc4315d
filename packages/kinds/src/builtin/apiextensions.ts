// The kinds of `apiextensions.k8s.io/v1`.
import type * as apiextensions from "kubernetes-types/apiextensions/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "apiextensions.k8s.io", version: "v1" };

export const CustomResourceDefinition = builtin<apiextensions.CustomResourceDefinition>()({
  ...v1,
  kind: "CustomResourceDefinition",
  scope: "Cluster",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  status: true,
});
export type CustomResourceDefinition = apiextensions.CustomResourceDefinition;
