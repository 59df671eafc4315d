// Where pods may run, and as what. What the operator does not let a test decide is left out here, and said in `notes.ts`.
import type { Config } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import type { PodSpec } from "./types.ts";

type Scheduling = Pick<PodSpec, "affinity" | "tolerations" | "nodeSelector" | "runtimeClassName">;

export function buildScheduling({ scheduling }: LocustTestSpec, config: Config): Scheduling {
  const { affinity, tolerations, nodeSelector, runtimeClassName = config.runtimeClass } = scheduling ?? {};
  return {
    ...(config.affinityInjection && affinity !== undefined && { affinity }),
    ...(config.tolerationInjection && tolerations !== undefined && { tolerations }),
    ...(nodeSelector !== undefined && Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    // An empty name is the test's word for: no runtime class, whatever the operator's default is.
    ...(runtimeClassName && { runtimeClassName }),
  };
}

/** The fields of `spec.scheduling` that this operator ignores. */
export function ignoredScheduling({ scheduling }: LocustTestSpec, config: Config): ("affinity" | "tolerations")[] {
  const { affinity = {}, tolerations = [] } = scheduling ?? {};
  return [
    ...(!config.affinityInjection && Object.keys(affinity).length > 0 ? (["affinity"] as const) : []),
    ...(!config.tolerationInjection && tolerations.length > 0 ? (["tolerations"] as const) : []),
  ];
}
