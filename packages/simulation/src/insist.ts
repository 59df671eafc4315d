// Whoever is refused for no fault of theirs tries again, later and later, and gives up after some minutes.
import { ApiError, ConnectionError, isAlreadyExists, TimeoutError } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export interface Insisting {
  readonly clock: Clock;
  /** Told of each new trouble. */
  readonly failed: (error: unknown) => void;
  /** Told how long it waits. */
  readonly waits: (ms: Ms) => void;
}

const first: Ms = 1000;
const longest: Ms = 64_000;

/** What it does may be done more than once. It never rejects. */
export async function insist({ clock, failed, waits }: Insisting, act: () => unknown): Promise<void> {
  let said = "";
  for (let wait = first; ; wait *= 2) {
    try {
      await act();
      return;
    } catch (error) {
      if (String(error) !== said) failed(error);
      said = String(error);
      if (wait > longest || !isPassing(error)) return;
      waits(wait);
      await sleep(clock, wait);
    }
  }
}

/** Something is not there, or somebody was faster, or the server is in trouble: all of that passes. A bad request does not. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError) || isAlreadyExists(error)) return false;
  if (error.code === 403) return error.message.includes("custom resource definition is terminating");
  return error.code === 404 || error.code === 409 || error.code === 429 || error.code >= 500;
}
