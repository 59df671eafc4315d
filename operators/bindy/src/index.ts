export { type Config, configFrom, standardConfig } from "./config.ts";
export { mapConnectionError, mapHttpErrorToReason } from "./http-errors.ts";
export * from "./kinds/index.ts";
export * from "./manifests/index.ts";
export { leaseName } from "./names.ts";
export { bindyOperator, type OperatorOptions } from "./operator.ts";
export * from "./reasons.ts";
