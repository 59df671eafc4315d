// The kinds of `flowcontrol.apiserver.k8s.io/v1`.
import type * as flowcontrol from "kubernetes-types/flowcontrol/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "flowcontrol.apiserver.k8s.io", version: "v1" };

export const FlowSchema = builtin<flowcontrol.FlowSchema>()({
  ...v1,
  kind: "FlowSchema",
  scope: "Cluster",
  status: true,
});
export type FlowSchema = flowcontrol.FlowSchema;

export const PriorityLevelConfiguration = builtin<flowcontrol.PriorityLevelConfiguration>()({
  ...v1,
  kind: "PriorityLevelConfiguration",
  scope: "Cluster",
  status: true,
});
export type PriorityLevelConfiguration = flowcontrol.PriorityLevelConfiguration;
