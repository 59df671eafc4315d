// What an error of a provider means (2.7, 4.6): its class, whether the circuit breaker counts it, and whether the work may have been
// done all the same. Pure.
import type { Ms } from "@telltale/kinds";
import type { Method } from "../contract/contract.ts";
import type { Code } from "../contract/rpc-error.ts";

export type Failure =
  | "NotFound"
  | "InvalidSpec"
  | "Unauthorized"
  | "NotSupported"
  | "Conflict" // there is already what was to be made, under its name or in another way
  | "FailedPrecondition" // it cannot be done as things are
  | "Busy" // with something else: nothing was done, and it can be asked again
  | "QuotaExceeded"
  | "RateLimit"
  | "Unavailable"
  | "Timeout"
  | "Retryable"
  | "Internal";

export interface Meaning {
  readonly failure: Failure;
  readonly counts: boolean;
  /** Nobody knows whether it was done. */
  readonly isOutcomeUnknown: boolean;
  /** The provider says when to come again. */
  readonly after?: Ms;
}

export function meaningOf(code: Code, message: string, method: Method): Meaning {
  switch (code) {
    case "INVALID_ARGUMENT":
    case "OUT_OF_RANGE":
      return known("InvalidSpec");
    case "NOT_FOUND":
      return known("NotFound");
    case "ABORTED":
      return known("Busy");
    case "ALREADY_EXISTS":
      return known("Conflict");
    case "FAILED_PRECONDITION":
      return known("FailedPrecondition");
    case "PERMISSION_DENIED":
    case "UNAUTHENTICATED":
      return known("Unauthorized");
    case "RESOURCE_EXHAUSTED":
      return exhausted(message);
    case "UNIMPLEMENTED":
      return known("NotSupported");
    case "DATA_LOSS":
      // A staged object that is bad: the export can be done again.
      return known(method === "importDisk" ? "Retryable" : "Internal");
    case "UNAVAILABLE":
      return { failure: "Unavailable", counts: true, isOutcomeUnknown: true };
    case "DEADLINE_EXCEEDED":
      return { failure: "Timeout", counts: true, isOutcomeUnknown: true };
    case "INTERNAL":
      return { failure: "Internal", counts: true, isOutcomeUnknown: true };
    case "CANCELLED":
      return { failure: "Retryable", counts: false, isOutcomeUnknown: true };
    case "UNKNOWN":
      return byText(message, method);
  }
}

const unreachable: readonly Failure[] = ["Unavailable", "Timeout", "Retryable"];

/** No answer of the provider itself: nothing is known by it. */
export const isUnreachable = (failure: Failure): boolean => unreachable.includes(failure);

const known = (failure: Failure): Meaning => ({ failure, counts: false, isOutcomeUnknown: false });

function exhausted(message: string): Meaning {
  if (/quota|insufficient|no space|not enough/i.test(message)) return known("QuotaExceeded");
  const [, digits, unit] = /(?:retry|try again) (?:after|in) (\d{1,6}) ?(ms|s|m)?\b/i.exec(message) ?? [];
  if (digits === undefined) return known("RateLimit");
  return { ...known("RateLimit"), after: Number(digits) * (unit === "ms" ? 1 : unit === "m" ? 60_000 : 1_000) };
}

/** Two providers throw plain errors, which arrive without a code that says anything: their words do. */
function byText(message: string, method: Method): Meaning {
  if (/not found|does not exist|no domain|ManagedObjectNotFound/i.test(message)) return known("NotFound");
  if (/already exists/i.test(message)) return known("Conflict");
  if (/is locked|in use|running - destroy failed/i.test(message)) return known("Busy");
  if (specMethods.has(method) && /unsupported|invalid/i.test(message)) return known("InvalidSpec");
  return { failure: "Internal", counts: true, isOutcomeUnknown: true };
}

const specMethods: ReadonlySet<Method> = new Set(["create", "clone", "reconfigure"]);
