// What an error does to the status of our kinds: nothing. A transient error keeps what is known; what a person has to know
// is said by the pass itself (11.1).
import { type FailureEffect, type FailureTable, failureClasses } from "@telltale/kinds";

const again: FailureEffect<never, never> = { phase: "keep", requeue: "backoff", write: false };

const special: Partial<FailureTable<never, never>> = {
  waiting: { ...again, requeue: 10_000 },
  conflict: { ...again, requeue: 1_000 },
};

export const keepStatus: FailureTable<never, never> = Object.fromEntries(
  failureClasses.map((name) => [name, special[name] ?? again]),
) as FailureTable<never, never>; // one entry for each class, from the list of them
