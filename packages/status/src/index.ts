export { Aggregate, type Aggregated, type AggregateOptions, type Contribution } from "./aggregate.ts";
export {
  assignSlots,
  type ChildCondition,
  type Nouns,
  type RollUpReason,
  rollUp,
  type SlotOptions,
  type Slotted,
  showing,
} from "./children.ts";
export {
  type Clock,
  clock,
  type Due,
  dueClocks,
  type Sightings,
  seenFor,
  sighting,
} from "./clock.ts";
export {
  findCondition,
  isFalse,
  isTrue,
  type MergeOptions,
  type NewCondition,
  setCondition,
  since,
  statusOf,
} from "./condition.ts";
export { type Draft, type DraftOptions, draft, type Finished } from "./draft.ts";
export {
  type Budget,
  type Effect,
  effectOf,
  Failed,
  type Failure,
  type FailureState,
  failureOf,
  failureState,
  nextAttempt,
  type Requeue,
} from "./failure.ts";
export { damped, type FlapLimit, type Flips, flapping, flip } from "./flap.ts";
export { checkStep, type Known } from "./history.ts";
export { type Hysteresis, hysteresis, type Probe } from "./hysteresis.ts";
export { kstatus } from "./kstatus/compute.ts";
export type { ComputedStatus, StandardCondition, StatusName } from "./kstatus/result.ts";
export { lintStatus, lintVocabulary } from "./lint.ts";
export { applyDocument, jsonPatch, type PatchOperation } from "./patch.ts";
export { band, type Progress, percent, progress, remaining } from "./progress.ts";
export { dueAt, type Significance, type Spacing, significance, standardSpacing } from "./significance.ts";
export { mirror, type SummaryInput, summary, worst } from "./summary.ts";
export { type Row, type Table, table } from "./table.ts";
export {
  cut,
  type Message,
  names,
  type Profile,
  type SafeText,
  Secret,
  sanitize,
  text,
  type Volatile,
  volatile,
} from "./text.ts";
export { StatusViolation, type Violation } from "./violation.ts";
