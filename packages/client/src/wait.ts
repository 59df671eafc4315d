// Waiting with an end: a promise that gives up with its signal, and a signal that the clock raises.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

/** The promise, or the signal's reason if that comes first. Nothing stays attached to the signal. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {});
      give();
      return;
    }
    signal.addEventListener("abort", give, { once: true });
    const over = () => signal.removeEventListener("abort", give);
    promise.then(
      (value) => {
        over();
        resolve(value);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Time no longer counts; the caller's own signal still does. */
  lift(): void;
  /** The time starts anew. */
  renew(): void;
  /** Over: nothing is attached any more. */
  done(): void;
  abort(reason?: unknown): void;
}

/** A signal that follows the caller's, and is raised after a while. No time: only the caller's counts. */
export function deadline(
  clock: Clock,
  after: Ms | undefined,
  reason: () => Error,
  outer: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted === true) follow();
  else outer?.addEventListener("abort", follow, { once: true });
  const start = () => (after === undefined ? undefined : clock.after(after, () => controller.abort(reason())));
  let timer = start();
  return {
    signal: controller.signal,
    lift: () => timer?.cancel(),
    renew() {
      timer?.cancel();
      timer = start();
    },
    done() {
      timer?.cancel();
      outer?.removeEventListener("abort", follow);
    },
    abort: (why) => controller.abort(why),
  };
}
