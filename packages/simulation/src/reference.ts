// A run in which nothing goes wrong: what all others are measured by, and where faults are looked for.
import type { Instant } from "@telltale/kinds";
import type { Dump } from "./dump.ts";
import type { Change } from "./history.ts";
import type { Scenario } from "./scenario.ts";
import type { Trace } from "./trace.ts";

/** An event of a watch. */
export interface Seen {
  /** `apps/deployments` */
  readonly kind: string;
  readonly event: number;
  readonly key: string;
  readonly at: Instant;
  /** Whether the operator wrote it itself: then it knew. */
  readonly isOwn: boolean;
}

export interface Reference {
  readonly scenario: Scenario;
  readonly trace: Trace;
  /** Everything that was written, with its author. */
  readonly changes: readonly Change[];
  /** The operator's writes that changed something, by their number. */
  readonly writes: readonly { readonly write: number; readonly changes: readonly Change[] }[];
  /** The events that reached it, in their order, by kind from 1. */
  readonly events: readonly Seen[];
  /** What its steps read, each time: the kind, and how many writes it had sent by then. */
  readonly reads: readonly { readonly kind: string; readonly write: number }[];
  /** How often a controller looked at an object. */
  readonly passes: number;
  /** What it watches: `apps/deployments`. */
  readonly watched: readonly string[];
  readonly end: Dump;
}
