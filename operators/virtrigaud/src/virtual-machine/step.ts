// What comes next in a pass: to ask the provider something, to do something, or to rest and say so.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { Trouble } from "./world.ts";

export type Step =
  | { readonly is: "ask"; readonly what: Question }
  | { readonly is: "do"; readonly deed: Deed }
  | { readonly is: "rest"; readonly as: Rest };

/** What can be asked without changing anything. */
export type Question = "task" | "resize" | "describe" | "list" | "capabilities";

export type Deed =
  | { readonly is: "claim"; readonly id: string } // the machine that an attempt made whose answer was lost
  | { readonly is: "create" }
  | { readonly is: "repeat"; readonly id: string } // the request to make it: whether that has made the machine that has its name
  | { readonly is: "forget" } // the id of a machine that is gone for good
  | { readonly is: "hook"; readonly at: "preStop" | "postStart" }
  | { readonly is: "power"; readonly to: "On" | "Off"; readonly isForced: boolean }
  | { readonly is: "shutDown"; readonly seconds: number }
  | { readonly is: "settleSize" } // the wanted size is what it has: noted without a call
  | { readonly is: "resize" }
  | { readonly is: "unmark" } // the mark of a revert that is not asked for any more
  | { readonly is: "revert"; readonly snapshotId: string }
  | { readonly is: "markReverted" };

/** How a pass ends. Each is one row of what is said. */
export type Rest =
  | { readonly is: "invalid"; readonly why: SafeText }
  | { readonly is: "waiting"; readonly for: SafeText }
  | { readonly is: "unreachable"; readonly why: SafeText; readonly again: Instant }
  | { readonly is: "trouble"; readonly trouble: Trouble; readonly isFinal: boolean }
  | { readonly is: "locked" }
  | { readonly is: "unclaimed" }
  | { readonly is: "image"; readonly why: SafeText; readonly isUnderWay: boolean }
  | { readonly is: "unplaced"; readonly why: SafeText }
  | { readonly is: "nameTaken"; readonly why: SafeText }
  | { readonly is: "retrying"; readonly at: Instant } // a creation failed, and it is too early for the next
  | { readonly is: "stuck" } // it failed for good
  | { readonly is: "unsure"; readonly at: Instant } // an answer was lost: what it was about may still come to light
  | { readonly is: "creating" }
  | { readonly is: "created" }
  | { readonly is: "absent" } // said to be gone, and not believed yet
  | { readonly is: "gone" } // for good: it is made anew
  | { readonly is: "lost"; readonly why: SafeText }
  | { readonly is: "broken"; readonly why: SafeText } // it is there, and was not made to the end
  | { readonly is: "powering"; readonly isTask: boolean }
  | { readonly is: "shuttingDown"; readonly until: Instant }
  | { readonly is: "resizing"; readonly isTask: boolean }
  | { readonly is: "reverting"; readonly name: string }
  | { readonly is: "revertFailed"; readonly why: SafeText }
  | { readonly is: "shrinking"; readonly why: SafeText }
  | { readonly is: "settled"; readonly restart?: SafeText; readonly classless?: SafeText };

export const rest = (as: Rest): Step => ({ is: "rest", as });
export const ask = (what: Question): Step => ({ is: "ask", what });
export const deed = (it: Deed): Step => ({ is: "do", deed: it });
