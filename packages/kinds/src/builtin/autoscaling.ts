// The kinds of `autoscaling/v2`, and of `autoscaling/v1` what is still in use.
import type * as autoscalingv1 from "kubernetes-types/autoscaling/v1.d.ts";
import type * as autoscaling from "kubernetes-types/autoscaling/v2.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "autoscaling", version: "v1" };
const v2 = { group: "autoscaling", version: "v2" };

export const HorizontalPodAutoscaler = builtin<autoscaling.HorizontalPodAutoscaler>()({
  ...v2,
  kind: "HorizontalPodAutoscaler",
  shortNames: ["hpa"],
  categories: ["all"],
  status: true,
});
export type HorizontalPodAutoscaler = autoscaling.HorizontalPodAutoscaler;

export const HorizontalPodAutoscalerV1 = builtin<autoscalingv1.HorizontalPodAutoscaler>()({
  ...v1,
  kind: "HorizontalPodAutoscaler",
  shortNames: ["hpa"],
  categories: ["all"],
  status: true,
});
export type HorizontalPodAutoscalerV1 = autoscalingv1.HorizontalPodAutoscaler;

/** Read and written at `<workloads>/scale`; no path is named after it. */
export const Scale = builtin<autoscalingv1.Scale>()({ ...v1, kind: "Scale" });
export type Scale = autoscalingv1.Scale;
