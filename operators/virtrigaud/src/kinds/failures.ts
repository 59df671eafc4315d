// What an error does to an object, by its class (2.5 rule 6, 2.7). What a person has to know of a provider is said by the pass
// itself; this is for what a step throws.

const told = { condition: { type: "Ready", status: "False" }, write: true } as const;
const over = { phase: "Failed", requeue: "never", ...told } as const;

/** For the kinds where `Failed` begins something, or that have no phase: only the pass itself enters it. */
export const keepsPhase = { waiting: { phase: "keep", requeue: 30_000, ...told } } as const;

/**
 * For the kinds whose `Failed` has no logic of its own: an error that nobody expected shows there too, and the next good pass
 * takes it away.
 */
export const failsAloud = {
  ...keepsPhase,
  invalid: over,
  unsupported: over,
  terminal: over,
  bug: { phase: "Failed", requeue: "backoff", ...told },
} as const;
