// What an error does to an object, by its class (2.5 rule 6, 2.7). What a person has to know of a provider is said by the pass
// itself; this is for what a step throws, in the words of the seed.
import { type FailureClass, type FailureEffect, failureClasses } from "@telltale/kinds";

const told = { condition: { type: "Ready", status: "False", before: "Failed to reconcile: " }, write: true } as const;
const unsaid = { phase: "keep", write: false } as const;

type Effect<P extends string> = FailureEffect<P, "Ready">;
type Effects<P extends string> = Readonly<Record<FailureClass, Effect<P>>>;

/** For the kinds where `Failed` begins something, or that have no phase: only the pass itself enters it. */
export const keepsPhase: Effects<never> = {
  waiting: { phase: "keep", requeue: 30_000, ...told },
  transient: { phase: "keep", requeue: "backoff", ...told },
  throttled: { requeue: "backoff", ...unsaid },
  quota: { phase: "keep", requeue: 60_000, ...told },
  denied: { phase: "keep", requeue: 60_000, ...told },
  conflict: { requeue: 1_000, ...unsaid },
  notFound: { phase: "keep", requeue: "backoff", ...told },
  unsupported: { phase: "keep", requeue: "never", ...told },
  invalid: { phase: "keep", requeue: "never", ...told },
  terminal: { phase: "keep", requeue: "never", ...told },
  bug: { phase: "keep", requeue: "backoff", ...told },
};

/** The same for kinds with a `status.message`, which says what went wrong too. */
export const tellsMessage: Effects<never> = each<never>((_, effect) => ({ ...effect, message: effect.write }));

/** These end in `Failed`: the first three until the object changes, the last until the next good pass. */
const failing: readonly FailureClass[] = ["unsupported", "invalid", "terminal", "bug"];

/** For the kinds whose `Failed` has no logic of its own: an error that nobody expected shows there too. */
export const failsAloud: Effects<"Failed"> = each((name, effect) =>
  failing.includes(name) ? { ...effect, message: true, phase: "Failed" } : { ...effect, message: effect.write },
);

function each<P extends string>(to: (name: FailureClass, effect: Effect<never>) => Effect<P>): Effects<P> {
  const entries = failureClasses.map((name) => [name, to(name, keepsPhase[name])] as const);
  return Object.fromEntries(entries) as Effects<P>; // one entry for each class, from the list of them
}
