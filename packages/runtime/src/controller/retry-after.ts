// Retry-After holds for the object of a pass, whatever the operator makes of the error.
import { ApiError } from "@telltale/client";
import type { PassState } from "./hands.ts";
import type { Surroundings } from "./surroundings.ts";

/** Remembers until when the server asked to be left alone, also where the caller catches the error. */
export async function honorRetryAfter<R>(work: Promise<R>, around: Surroundings, state: PassState): Promise<R> {
  try {
    return await work;
  } catch (error) {
    rememberRetryAfter(error, around, state);
    throw error;
  }
}

export function rememberRetryAfter(error: unknown, { clock }: Surroundings, state: PassState): void {
  const { retryAfter = 0 } = error instanceof ApiError ? error : {};
  if (retryAfter > 0) state.heldUntil = Math.max(state.heldUntil, clock.uptime() + retryAfter);
}
