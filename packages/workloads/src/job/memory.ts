// What is known of the failures of each Job, for as long as this process runs and no longer than there is room: see `backoff.ts`.
import type { Failures } from "./backoff.ts";

const most = 10_000;

export class Memory {
  readonly #most: number;
  readonly #known = new Map<string, Failures>();

  constructor(limit: number = most) {
    this.#most = limit;
  }

  /** Undefined: nothing is known, not even that there were none. */
  of(uid: string): Failures | undefined {
    return this.#known.get(uid);
  }

  /** The one that was kept longest ago goes when there are too many. */
  keep(uid: string, failures: Failures): void {
    this.#known.delete(uid);
    this.#known.set(uid, failures);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
  }
}
