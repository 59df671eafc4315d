// The classes of what goes wrong with a run, what each means for trying again, and how they are told from what a program
// prints. Pure.
import type { Operation } from "./engine.ts";

/** `now`: the cause is gone. `backoff`: later and later. `edit`: only when the Workspace changes. */
interface Treatment {
  readonly retry: "now" | "backoff" | "edit";
  /** Whether what depends on the Workspace has failed for good. */
  readonly isTerminal: boolean;
}

export const errorClasses = {
  InvalidConfiguration: { retry: "edit", isTerminal: true },
  UnsupportedSource: { retry: "edit", isTerminal: true },
  ProviderUnavailable: { retry: "backoff", isTerminal: false },
  StateLocked: { retry: "backoff", isTerminal: false },
  ApplyFailed: { retry: "backoff", isTerminal: false },
  PlanFailed: { retry: "backoff", isTerminal: false },
  DestroyFailed: { retry: "backoff", isTerminal: false },
  Cancelled: { retry: "now", isTerminal: false },
  TimedOut: { retry: "backoff", isTerminal: false },
  StateConflict: { retry: "edit", isTerminal: true },
  RunnerCrashed: { retry: "now", isTerminal: false },
} as const satisfies Record<string, Treatment>;

export type ErrorClass = keyof typeof errorClasses;

export const isErrorClass = (word: string | undefined): word is ErrorClass =>
  word !== undefined && Object.hasOwn(errorClasses, word);

/** What a program that ended badly printed. */
export interface Printed {
  /** The words of the first error, without a value. */
  readonly summary: string;
  /** All of it: to look for signs in, and never to show. */
  readonly text: string;
}

export type Step = "init" | "push" | "validate" | "plan" | "apply" | "outputs" | "destroy";

/** The class of a failed step, or `stale` where a plan has to be made again. */
export function classify(step: Step, { text }: Printed): ErrorClass | "stale" {
  if (/Saved plan is stale/i.test(text)) return "stale";
  if (/Error acquiring the state lock/i.test(text)) return "StateLocked";
  if (step === "validate") return "InvalidConfiguration";
  if (step === "init") {
    if (unreachable.test(text)) return "ProviderUnavailable";
    return configuration.test(text) || unreadable.test(text) ? "InvalidConfiguration" : "PlanFailed";
  }
  if (step === "push" || step === "plan") return configuration.test(text) ? "InvalidConfiguration" : "PlanFailed";
  return step === "destroy" ? "DestroyFailed" : "ApplyFailed";
}

/** The class of an operation that failed without a step to blame. */
export const failedClass: Readonly<Record<Operation, ErrorClass>> = {
  plan: "PlanFailed",
  apply: "ApplyFailed",
  destroy: "DestroyFailed",
};

const unreachable =
  /could not (?:connect|query|retrieve|reach)|failed to (?:query|retrieve|install|download)|no such host|connection (?:refused|reset)|i\/o timeout|TLS handshake|no available releases|Invalid provider registry host|network is unreachable/i;

const configuration =
  /No value for required variable|Unsupported (?:argument|attribute|block type)|Missing required argument|Reference to undeclared|Invalid (?:reference|value for (?:input )?variable|variable name|expression|function argument|template)|Duplicate (?:resource|variable|output)|Unsuitable value type|Value for undeclared variable/i;

const unreadable =
  /Argument or block definition required|Invalid (?:character|block|multi-line)|Unclosed configuration block|Missing (?:newline|item|attribute)|problems with the configuration|Unsupported block type|Module not (?:found|installed)|Unexpected extra/i;

/** The id of the lock that a state is held by: it names who to ask, and is no secret. */
export const lockId = (text: string): string | undefined => /\bID:\s+([0-9a-f-]{8,64})/i.exec(text)?.[1];
