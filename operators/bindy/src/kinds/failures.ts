// What an error does to the status of our kinds: nothing. What a person has to know is said by the pass itself; the pass is
// tried again after a second, then less and less often (8.1).
import { type FailureEffect, type FailureTable, failureClasses } from "@telltale/kinds";

const again: FailureEffect<never, never> = { phase: "keep", requeue: "backoff", write: false };

export const keepStatus: FailureTable<never, never> = Object.fromEntries(
  failureClasses.map((name) => [name, name === "conflict" ? { ...again, requeue: 1_000 } : again]),
) as FailureTable<never, never>; // one entry for each class, from the list of them
