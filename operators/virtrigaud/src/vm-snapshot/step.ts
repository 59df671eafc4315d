// What comes next in a pass over a snapshot: to ask the provider something, to do something, or to rest and say so.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { VMSnapshot } from "../kinds/index.ts";

export type Step =
  | { readonly is: "ask"; readonly what: Question }
  | { readonly is: "do"; readonly deed: Deed }
  | { readonly is: "rest"; readonly as: Rest };

/** What can be asked without changing anything. `request`: what became of the request to take it. */
export type Question = "capabilities" | "task" | "disk" | "request";

export type Deed =
  | { readonly is: "take" } // the provider is asked for it
  | { readonly is: "drop" } // the task that the provider has forgotten
  | { readonly is: "own"; readonly id: string } // it is there
  | { readonly is: "mark" } // the machine stands on it now
  | { readonly is: "discard" } // what a failed attempt left
  | { readonly is: "look" } // the hourly look is noted
  | { readonly is: "remove" } // its time is over
  | { readonly is: "rebase" } // the clock was put back: runs are counted from now
  | { readonly is: "skip"; readonly run: Instant; readonly why: SafeText }
  | { readonly is: "run"; readonly run: Instant; readonly instead: readonly VMSnapshot[] }
  | { readonly is: "prune"; readonly surplus: readonly VMSnapshot[] };

export type FailReason = "ProviderError" | "Unsupported" | "QuiesceFailed" | "ValidationError" | "InvalidSchedule";

/** How a pass ends. Each is one row of what is said. */
export type Rest =
  | { readonly is: "invalid"; readonly reason: "ValidationError" | "InvalidSchedule"; readonly why: SafeText }
  | { readonly is: "scheduled"; readonly next: Instant | undefined; readonly isSuspended: boolean }
  | { readonly is: "stuck" } // it failed, and the spec is the same
  | { readonly is: "noMachine" }
  | { readonly is: "waiting"; readonly for: SafeText; readonly again: number }
  | { readonly is: "unreachable"; readonly why: SafeText; readonly isAway: boolean } // nothing can be asked of the provider
  | { readonly is: "failed"; readonly reason: FailReason; readonly why: SafeText }
  | { readonly is: "taking" } // the provider was asked for it
  | { readonly is: "checking" } // what became of the request is being looked up
  | { readonly is: "unsure"; readonly at: Instant } // nothing came of the request yet
  | { readonly is: "retrying"; readonly why: SafeText; readonly at: Instant }
  | { readonly is: "busy"; readonly why: SafeText; readonly at: Instant } // the machine has other work: nothing was done
  | { readonly is: "working" } // the provider is at it
  | { readonly is: "unheard"; readonly why: SafeText; readonly isAway: boolean } // the provider is at it, and did not say how far
  | { readonly is: "ready"; readonly isGone: boolean; readonly isUnseen: boolean }
  | { readonly is: "expired"; readonly since: Instant; readonly until: Instant }
  | { readonly is: "removed" };

export const rest = (as: Rest): Step => ({ is: "rest", as });
export const ask = (what: Question): Step => ({ is: "ask", what });
export const deed = (it: Deed): Step => ({ is: "do", deed: it });
