// Pods as local processes.
export type { ImageProgram, ImageTable } from "./images.ts";
export type { AddressMode } from "./network.ts";
export type { ProcessRuntimeOptions } from "./options.ts";
export { portsAnnotation } from "./pod-report.ts";
export { processRuntime } from "./runtime.ts";
