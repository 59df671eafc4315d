export type { Fault, Plan } from "./fault.ts";
export { story, type TestFileOptions, testFile } from "./print.ts";
export type { Outcome } from "./run.ts";
export type { Around, Backend, BackendFault, Deed, Ended, Look, Scenario } from "./scenario.ts";
export { type Progress, type Report, replay, type SimulateOptions, simulate } from "./simulate.ts";
export type { Step, Trace } from "./trace.ts";
export type { Violation } from "./violation.ts";
