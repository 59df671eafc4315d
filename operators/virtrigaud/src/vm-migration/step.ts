// What comes next in a pass over a migration: to ask something, to do something, or to rest and say so.
import type { Instant, Ms } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { MigrationPhase } from "../kinds/vm-migration-status.ts";
import type { Cleaning } from "./leftovers.ts";
import type { Held } from "./world.ts";

export type Step =
  | { readonly is: "ask"; readonly what: Question }
  | { readonly is: "do"; readonly deed: Deed }
  | { readonly is: "rest"; readonly as: Rest };

/** What can be asked without changing anything. */
export type Question =
  | "host" // whether the storage may be connected to
  | "secret" // whether the credentials of the storage are complete
  | "disk" // what the source says of its disk
  | "list" // which disks the source has
  | "power" // whether the source is on
  | "transfer" // what became of the export or import that was sent
  | "task" // how far the provider is
  | "proof" // whether the staged object is there
  | "targetDisk" // what the target says of its disk
  | "knock"; // whether the target answers on a port

export type Deed =
  | { readonly is: "learn"; readonly held: Held } // something is known now
  | { readonly is: "lock" } // the source is ours
  | { readonly is: "claim" } // the claim is made, or labelled
  | { readonly is: "powerOff" }
  | { readonly is: "snapshot" }
  | { readonly is: "export" }
  | { readonly is: "import" }
  | { readonly is: "convert"; readonly name: string; readonly url: string; readonly to: string } // by a Job of this name
  | { readonly is: "withdraw" } // the provider was too busy for the last request: nothing came of it
  | { readonly is: "create" } // the target
  | { readonly is: "switchOff" } // the target, which ran for its checks only
  | { readonly is: "discard"; readonly what: "snapshot" | "target" } // what a failed attempt left
  | { readonly is: "clean"; readonly what: Cleaning };

export type WaitReason =
  | "SourceNotReady"
  | "SourceLocked"
  | "SourceProviderNotReady"
  | "TargetProviderNotReady"
  | "WaitingForStorageMount"
  | "WaitingForProviderIdle"
  | "PoweringOffSource";

export const failReasons = [
  "SourceNotFound",
  "ProviderError",
  "StorageError",
  "ValidationFailed",
  "Timeout",
  "TargetExists",
  "UnsupportedByProvider",
] as const;
export type FailReason = (typeof failReasons)[number];

/** How a pass ends. */
export type Rest =
  | { readonly is: "move"; readonly to: MigrationPhase } // this phase is through
  | {
      readonly is: "wait";
      readonly reason?: WaitReason;
      readonly why: SafeText;
      readonly again: Ms;
      readonly isUnheard?: true;
    } // the provider did not say
  | { readonly is: "failed"; readonly reason: FailReason; readonly why: SafeText; readonly isStale?: true } // what is staged is no good
  | { readonly is: "retryAt"; readonly at: Instant } // it failed, and is tried again then
  | { readonly is: "retry"; readonly to: MigrationPhase }
  | { readonly is: "tidying"; readonly why: SafeText } // it is at its end, and something is still being removed
  | { readonly is: "untidy"; readonly why: SafeText } // it is at its end, and something could not be removed yet
  | { readonly is: "over" };

export const rest = (as: Rest): Step => ({ is: "rest", as });
export const ask = (what: Question): Step => ({ is: "ask", what });
export const deed = (it: Deed): Step => ({ is: "do", deed: it });
export const learn = (held: Held): Step => deed({ is: "learn", held });
export const failed = (reason: FailReason, why: SafeText): Step => rest({ is: "failed", reason, why });
/** What is staged is no good: whoever tries again begins with another export. */
export const staleExport = (why: SafeText): Step => rest({ is: "failed", reason: "StorageError", why, isStale: true });
/** Until the provider of a transfer says how far it is. */
export const unsaid = (why: SafeText, again: Ms): Step => rest({ is: "wait", why, again, isUnheard: true });
export const wait = (why: SafeText, again: Ms, reason?: WaitReason): Step =>
  rest({ is: "wait", why, again, ...(reason && { reason }) });
export const move = (to: MigrationPhase): Step => rest({ is: "move", to });
