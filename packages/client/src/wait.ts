// Waiting with an end: a signal that the clock raises, and promises that give up with it.
import type { Clock, Timer } from "@telltale/clock";
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

/** A signal that follows the caller's, and is raised after a while. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #follow = () => this.abort(this.#outer?.reason);
  #start: () => Timer | undefined = () => undefined;
  #timer: Timer | undefined;
  #give: ((reason: unknown) => void) | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#follow();
    else outer?.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time begins to count. No time: only the caller's signal counts. */
  within(clock: Clock, after: Ms | undefined, reason: () => Error): this {
    this.#start = () => (after === undefined ? undefined : clock.after(after, () => this.abort(reason())));
    this.renew();
    return this;
  }

  /** The promise, or the reason if that comes first. One at a time: to listen to a signal costs more than to wait. */
  unless<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#give = reject;
      promise.then(resolve, reject);
      if (this.signal.aborted) reject(this.signal.reason);
    });
  }

  /** Time no longer counts; the caller's own signal still does. */
  lift(): void {
    this.#timer?.cancel();
  }

  /** The time starts anew. */
  renew(): void {
    this.#timer?.cancel();
    this.#timer = this.#start();
  }

  /** Over: nothing is attached any more. */
  done(): void {
    this.#give = undefined;
    this.#timer?.cancel();
    this.#outer?.removeEventListener("abort", this.#follow);
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#give?.(this.signal.reason);
  }
}
