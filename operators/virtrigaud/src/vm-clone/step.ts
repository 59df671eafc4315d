// What comes next in a pass over a clone: to ask the provider something, to do something, or to rest and say so.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";

export type Step =
  | { readonly is: "ask"; readonly what: Question }
  | { readonly is: "do"; readonly deed: Deed }
  | { readonly is: "rest"; readonly as: Rest };

/** What can be asked without changing anything. `request`: what became of the request to copy. `self`: whether the server has the clone as it is known. */
export type Question = "capabilities" | "list" | "task" | "request" | "self";

export type Deed =
  | { readonly is: "renew" } // the spec has changed after a failure: from the beginning
  | { readonly is: "copy"; readonly isRetry: boolean }
  | { readonly is: "own"; readonly id: string } // the copy is there
  | { readonly is: "drop" } // the task that the provider has forgotten
  | { readonly is: "bind" };

export type FailReason =
  | "ValidationError"
  | "Unsupported"
  | "TargetExists"
  | "Timeout"
  | "ProviderError"
  | "InsufficientResources"
  | "CustomizationFailed";

/** How a pass ends. Each is one row of what is said. */
export type Rest =
  | { readonly is: "done" } // it was made, once
  | { readonly is: "stuck" } // it failed, and the spec is the same
  | { readonly is: "failed"; readonly reason: FailReason; readonly why: SafeText }
  | { readonly is: "noSource"; readonly why: SafeText }
  | { readonly is: "waiting"; readonly for: SafeText; readonly again: number }
  | { readonly is: "unreachable"; readonly why: SafeText; readonly isAway: boolean } // nothing can be asked of the provider
  | { readonly is: "copying" } // the provider was asked
  | { readonly is: "working" } // the provider is at it
  | { readonly is: "unheard"; readonly why: SafeText; readonly isAway: boolean } // the provider is at it, and did not say how far
  | { readonly is: "unsure"; readonly why: SafeText | undefined; readonly at: Instant } // nothing came of the request yet
  | { readonly is: "retrying"; readonly reason: FailReason; readonly why: SafeText; readonly at: Instant }
  | { readonly is: "busy"; readonly why: SafeText; readonly at: Instant } // the machine has other work: nothing was done
  | { readonly is: "making" } // a machine is made from an image
  | { readonly is: "customizing"; readonly until: Instant }
  | { readonly is: "starting" }
  | { readonly is: "ready" };

export const rest = (as: Rest): Step => ({ is: "rest", as });
export const ask = (what: Question): Step => ({ is: "ask", what });
export const deed = (it: Deed): Step => ({ is: "do", deed: it });
export const failed = (reason: FailReason, why: SafeText): Step => rest({ is: "failed", reason, why });
