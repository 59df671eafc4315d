// The kinds of `scheduling.k8s.io/v1`.
import type * as scheduling from "kubernetes-types/scheduling/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "scheduling.k8s.io", version: "v1" };

export const PriorityClass = builtin<scheduling.PriorityClass>()({
  ...v1,
  kind: "PriorityClass",
  scope: "Cluster",
  shortNames: ["pc"],
});
export type PriorityClass = scheduling.PriorityClass;
