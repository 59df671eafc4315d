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
