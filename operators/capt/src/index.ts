export { type Mode, ModeFinder } from "./cluster-bridge/mode.ts";
export { type Config, configFrom, type Part, parts, standardConfig } from "./config.ts";
export * from "./kinds/index.ts";
export * from "./manifests/index.ts";
export { type CaptMetric, type CaptMetrics, captFamilies, captMetrics, type RunnerKind } from "./metrics.ts";
export { leaseName } from "./names.ts";
export { captOperator, type OperatorOptions } from "./operator.ts";
export * from "./runner/index.ts";
export { type ServerKinds, serverKinds, standardKinds } from "./server.ts";
