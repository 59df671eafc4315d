// Reasons that several of our kinds give, said in the same words everywhere.
import { no, type Reason, type Reasons, unknown, yes } from "@telltale/kinds";

export const correctSpec = "correct the field that the message names";
export const lookAtProvider = "read the message; look at the Provider and the log of its pod; it is tried again";

export const reconcileFailed = {
  ReconcileFailed: no(
    "The last pass ended in an error that nobody expected",
    "read the message; it is tried again; if it stays, look at the log of the manager",
  ),
} as const;

export const providerUnreachable = {
  ProviderUnreachable: unknown(
    "Its provider does not answer, so nothing is known of it now: what was seen last is kept",
    "look at Connected and RuntimeReady of the Provider that the message names",
  ),
} as const;

/** Of a kind that no provider keeps: it can be used where a provider that can do it answers. */
export const unanswered = {
  ProviderUnreachable: unknown(
    "No Provider that could do it answers",
    "look at Connected and RuntimeReady of the Providers that the message names",
  ),
  NotAsked: unknown("No Provider that could do it has been asked yet", "wait; look at Connected of the Provider"),
  NoProviders: unknown("There is no Provider", "make one"),
} as const;

export const providerError = { ProviderError: no("A call to the provider failed", lookAtProvider) } as const;
export const validationError = { ValidationError: no("The spec cannot work", correctSpec) } as const;
export const unsupportedByProvider = {
  UnsupportedByProvider: no(
    "The provider cannot do what the spec asks for",
    "change the spec, or use a provider whose status.reportedCapabilities has it",
  ),
} as const;

/** What stands in the way of a deletion, and how it is overruled. */
export const forceDelete = "delete those first, or set the annotation virtrigaud.io/force-delete to true";

/** The two reasons of a spec that was looked at. */
export const valid = { Valid: yes("It is") } as const;
export const invalid = { Invalid: no("The spec breaks a rule", correctSpec) } as const;

/** The same reasons as reasons for True: for the condition that says that something failed. */
export function asTrue<const R extends Reasons>(reasons: R): { readonly [N in keyof R]: Reason<"True"> } {
  const entries = Object.entries(reasons).map(([name, { means, fix }]) => [name, yes(means, fix)] as const);
  // The names are those of the record that the type is made from.
  return Object.fromEntries(entries) as { readonly [N in keyof R]: Reason<"True"> };
}
