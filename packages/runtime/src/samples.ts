// What the runtime tells of itself: neutral samples, one union. `prometheus.ts` turns them into metrics under
// controller-runtime's names; an operator that has to keep other names maps them itself.
import type { KindRef, Ms } from "@telltale/kinds";
import type { Significance } from "@telltale/status";

/** How a pass ended. */
export type PassResult =
  | "success" // nothing is left to do now
  | "requeue" // it asked to be called again, or had to put its status off
  | "waiting" // for something that is not there yet: not an error
  | "conflict" // somebody was faster: derived anew
  | "error" // it is tried again, later and later
  | "terminal" // not until the object changes
  | "ignored"; // its gate said so

/** What became of a status. */
export type WriteOutcome =
  | "unchanged" // nothing was sent
  | "written"
  | "deferred" // it is not urgent: a later pass writes it
  | "conflict" // thrown away, derived anew
  | "gone" // the object is not there any more
  | "notLeader" // the lease was lost
  | "failed";

/** Why a key is in the queue; the more urgent first. */
export type Cause = "change" | "child" | "timer" | "resync";

/** What became of a Kubernetes Event. */
export type EventOutcome =
  | "sent"
  | "suppressed" // the same was told a moment ago, or its object has told too much
  | "dropped" // too many were waiting, or the lease was lost before it could be sent
  | "failed"; // the server refused it or did not answer

export type Sample =
  | { readonly is: "pass"; readonly controller: string; readonly result: PassResult; readonly took: Ms }
  | { readonly is: "panic"; readonly controller: string }
  | { readonly is: "enqueue"; readonly controller: string; readonly cause: Cause }
  | { readonly is: "dequeue"; readonly controller: string; readonly waited: Ms }
  | { readonly is: "retry"; readonly controller: string }
  | {
      readonly is: "status";
      readonly controller: string;
      readonly kind: string;
      readonly outcome: WriteOutcome;
      readonly significance: Significance;
    }
  | { readonly is: "checkpoint"; readonly controller: string; readonly name: string }
  | {
      readonly is: "phase";
      readonly controller: string;
      readonly kind: string;
      readonly to: string;
      readonly from?: string;
      readonly after?: Ms;
    }
  | {
      readonly is: "flip";
      readonly controller: string;
      readonly kind: string;
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      /** The other value; without it the condition was not there before. */
      readonly from?: string;
      /** How long the other value held. */
      readonly after?: Ms;
    }
  | { readonly is: "flapping"; readonly controller: string; readonly kind: string; readonly type: string }
  | { readonly is: "violation"; readonly controller: string; readonly kind: string; readonly rule: number }
  | { readonly is: "ensure"; readonly controller: string; readonly kind: string; readonly outcome: string }
  /** One attempt of one request. `code` is 0 where no answer came. */
  | {
      readonly is: "request";
      readonly method: string;
      readonly code: number;
      readonly took: Ms;
      readonly again: boolean;
    }
  | { readonly is: "watch"; readonly kind: string; readonly what: WatchHappening }
  | { readonly is: "event"; readonly controller: string; readonly outcome: EventOutcome }
  | { readonly is: "lease"; readonly name: string; readonly held: boolean }
  | { readonly is: "webhook"; readonly path: string; readonly code: number; readonly took: Ms }
  | { readonly is: "poll"; readonly source: string; readonly ok: boolean; readonly took: Ms }
  | { readonly is: "lost log" };

export type WatchHappening =
  | "listed"
  | "resumed"
  | "expired"
  | "stalled"
  | "garbled"
  | "cut"
  | "rewound" // the server went back in time
  | "missing" // the server does not know the kind
  | "failed";

export type Sink = (sample: Sample) => void;

/** What is asked for at a moment rather than told: read when somebody scrapes. */
export interface Gauges {
  queues(): readonly QueueGauge[];
  caches(): readonly CacheGauge[];
}

export interface QueueGauge {
  readonly controller: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
  readonly workers: number;
  /** How long the longest-running pass has been at it. */
  readonly longest: Ms;
  /** The running passes' times, summed up. */
  readonly unfinished: Ms;
}

export interface CacheGauge {
  readonly kind: KindRef;
  readonly namespace?: string;
  readonly synced: boolean;
  readonly objects: number;
  /** Since the server was last heard of: an event, a bookmark or a list. */
  readonly silent: Ms;
  /** The version up to which the cache is known to be complete. */
  readonly resourceVersion: string;
}
