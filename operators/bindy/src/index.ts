export { calculateClusterStatus } from "./aggregate/cluster.ts";
export {
  type Bindcar,
  type BindcarOptions,
  type BindcarPod,
  bindcarClient,
  type CallOptions,
} from "./bindcar/client.ts";
export { type HttpWire, type HttpWireOptions, httpWire } from "./bindcar/http-wire.ts";
export type { Outcome, Trouble } from "./bindcar/outcome.ts";
export { fixedToken, type TokenFileOptions, type TokenSource, tokenFile, tokenMount } from "./bindcar/token.ts";
export type { Wire } from "./bindcar/wire.ts";
export { type BindcarConfig, bindcarConfig } from "./bindcar-server/config.ts";
export { type BindcarServer, type BindcarServerOptions, startBindcar } from "./bindcar-server/server.ts";
export { SimulatedBindcar, type SimulatedOptions } from "./bindcar-simulated/bindcar.ts";
export { type SimulatedUpdatesOptions, simulatedUpdates } from "./bindcar-simulated/updates.ts";
export { type SimulatedWireOptions, simulatedWire } from "./bindcar-simulated/wire.ts";
export { type Config, configFrom, standardConfig } from "./config.ts";
export { mapConnectionError, mapHttpErrorToReason } from "./http-errors.ts";
export * from "./kinds/index.ts";
export { annotateEndpoints, type EndpointOptions } from "./local-pods/endpoints.ts";
export { type LocalPods, type LocalPodsOptions, localPods } from "./local-pods/local-pods.ts";
export * from "./manifests/index.ts";
export { type BindyMetrics, bindyMetrics, type MetricsOptions } from "./metrics.ts";
export { fieldManager, leaseName } from "./names.ts";
export { bindyOperator, type OperatorOptions } from "./operator.ts";
export * from "./reasons.ts";
