export { type Config, configFrom, standardConfig } from "./config.ts";
export * from "./contract/contract.ts";
export { type Code, codes, RpcError } from "./contract/rpc-error.ts";
export * from "./kinds/index.ts";
export {
  type LocalDialOptions,
  type LocalPods,
  type LocalPodsOptions,
  localDial,
  localPods,
} from "./local-pods/local-pods.ts";
export { type RoleOptions, roles } from "./manifests/roles.ts";
export { type BuildOptions, type VirtrigaudMetrics, virtrigaudMetrics } from "./metrics.ts";
export { fieldManager, leaseName } from "./names.ts";
export { type OperatorOptions, virtrigaudOperator } from "./operator.ts";
export { simulatedDial } from "./simulated/dial.ts";
export { type HostOptions, SimulatedHost } from "./simulated/host.ts";
export { Staging } from "./simulated/staging.ts";
export type { Dial, Wire } from "./wire/wire.ts";
