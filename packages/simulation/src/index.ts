export { budget, runCampaign } from "./campaign.ts";
export type { Counts } from "./coverage.ts";
export type { Strategy } from "./explore.ts";
export type { Fault, Plan } from "./fault.ts";
export type { GuardReport } from "./guards.ts";
export { story, type TestFileOptions, testFile } from "./print.ts";
export { reportJson, reportText } from "./report.ts";
export type { Outcome } from "./run.ts";
export type {
  Around,
  Backend,
  BackendFault,
  Deadline,
  Deed,
  Ended,
  Guard,
  Look,
  Safety,
  Scenario,
  Watched,
} from "./scenario.ts";
export { type Progress, type Report, replay, type SimulateOptions, simulate } from "./simulate.ts";
export type { Step, Trace } from "./trace.ts";
export type { Violation } from "./violation.ts";
