// A request to the API server that failed, as it is told to people. What may be nobody's fault, a conflict, stays what it is.
import { ApiError, ConnectionError, isConflict, TimeoutError } from "@telltale/client";
import { type SafeText, text } from "@telltale/status";
import { sanitise } from "./sanitise.ts";

/** Undefined: it is not for people, and ends the pass. */
export function refusalOf(error: unknown): SafeText | undefined {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return text`the API server does not answer`;
  if (!(error instanceof ApiError) || isConflict(error)) return undefined;
  return sanitise(error);
}

/** The outcome of a step, or why the server refused it. */
export async function attempted<R>(step: () => Promise<R>): Promise<R | Refusal> {
  try {
    return await step();
  } catch (error) {
    const said = refusalOf(error);
    if (said === undefined) throw error;
    return new Refusal(said, error);
  }
}

/** The API server said no, and will say it again: that it did not answer, or could not, says nothing. */
export const isRejected = (cause: unknown): boolean =>
  cause instanceof ApiError && cause.code < 500 && cause.code !== 429;

export class Refusal {
  readonly said: SafeText;
  readonly cause: unknown;

  constructor(said: SafeText, cause: unknown) {
    this.said = said;
    this.cause = cause;
  }
}
