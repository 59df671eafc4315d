export { operatorVariables } from "./bindcar.ts";
export { checkCluster, checkGlobalCluster, targetNamespaces } from "./cluster.ts";
export { checkInstance } from "./instance.ts";
export { hoursIn } from "./keys.ts";
export type { Checked, Problem } from "./problem.ts";
export { checkRecord, ownerProblem } from "./record.ts";
export { operatorVolumes } from "./volumes.ts";
export { checkZone } from "./zone.ts";
