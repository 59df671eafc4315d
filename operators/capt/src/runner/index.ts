export {
  type Choice,
  chooseRunner,
  type EngineOptions,
  engineFor,
  type Finding,
  findProvider,
  type Program,
} from "./choose.ts";
export { type WorkspaceRunner, type WorkspaceRunnerOptions, workspaceRunner } from "./controller.ts";
export type { Engine, EngineName } from "./engine.ts";
export { type ErrorClass, errorClasses } from "./error-class.ts";
export { missingEngine, noRunnerFix } from "./missing-engine.ts";
export { findProgram } from "./process/programs.ts";
export type { RunSample } from "./runs.ts";
export { simulatedEngine } from "./simulated/simulated-engine.ts";
