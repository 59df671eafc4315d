export type { ControllerOptions } from "./controllers.ts";
export { controllers } from "./controllers.ts";
export type {
  ContainerReport,
  ContainerState,
  ExecOptions,
  ExecSession,
  LogOptions,
  PodAccess,
  PodEvent,
  PodReport,
  PodRuntime,
  References,
  RuntimeSurroundings,
  Terminated,
} from "./kubelet/pod-runtime.ts";
export { type MachineOptions, machines } from "./machines.ts";
export type { NodeOptions } from "./node/shape.ts";
export {
  type AddressMode,
  type ImageProgram,
  type ImageTable,
  type ProcessRuntimeOptions,
  portsAnnotation,
  processRuntime,
} from "./process/index.ts";
export type { Behaviour, Trouble } from "./simulated/behaviour.ts";
export type { Match } from "./simulated/match.ts";
export type { Rule, Rules } from "./simulated/rules.ts";
export { type SimulatedOptions, type SimulatedRuntime, simulatedRuntime } from "./simulated/runtime.ts";
export type { VolumeOptions } from "./volume/controllers.ts";
export { type Workloads, type WorkloadsOptions, workloads } from "./workloads.ts";
