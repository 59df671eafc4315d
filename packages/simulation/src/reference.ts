// A run in which nothing goes wrong: what all others are measured by, and where faults are looked for.
import type { Dump } from "./dump.ts";
import type { Change } from "./history.ts";
import type { Scenario } from "./scenario.ts";
import type { Trace } from "./trace.ts";

export interface Reference {
  readonly scenario: Scenario;
  readonly trace: Trace;
  /** Everything that was written, with its author. */
  readonly changes: readonly Change[];
  /** The operator's writes that changed something, by their number. */
  readonly writes: readonly { readonly write: number; readonly changes: readonly Change[] }[];
  /** What it watches: `apps/deployments`. */
  readonly watched: readonly string[];
  readonly end: Dump;
}
