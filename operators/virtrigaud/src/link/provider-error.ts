// What comes back to a controller when a provider does not do what it was asked: a class to act on, and a text that may be shown.
import type { Ms } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { Method } from "../contract/contract.ts";
import type { Code, RpcError } from "../contract/rpc-error.ts";
import { redact } from "../redact.ts";
import { type Failure, type Meaning, meaningOf } from "./failure.ts";

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly failure: Failure;
  readonly code: Code;
  /** What the provider said, without secrets and not too long. */
  readonly said: SafeText;
  /** When it wants to be asked again. */
  readonly after?: Ms;
  /** Nobody knows whether it was done: look before asking again. */
  readonly isOutcomeUnknown: boolean;

  constructor(code: Code, said: SafeText, meaning: Omit<Meaning, "counts">, options?: ErrorOptions) {
    super(said, options);
    this.failure = meaning.failure;
    this.code = code;
    this.said = said;
    if (meaning.after !== undefined) this.after = meaning.after;
    this.isOutcomeUnknown = meaning.isOutcomeUnknown;
  }

  /** Of what came over the wire. The cause is left out: its text is not fit to be shown. */
  static of({ code, message, after, isUnsent }: RpcError, method: Method): ProviderError {
    const meaning = meaningOf(code, message, method);
    return new ProviderError(code, redact(message) || text`${code}`, {
      ...meaning,
      ...(after !== undefined && { after }),
      isOutcomeUnknown: meaning.isOutcomeUnknown && !isUnsent,
    });
  }

  /** It was never sent. */
  static unsent(code: Code, failure: Failure, said: SafeText, after?: Ms): ProviderError {
    return new ProviderError(code, said, { failure, isOutcomeUnknown: false, ...(after !== undefined && { after }) });
  }
}
