// Pods that fail again and again on a node are replaced later and later. It is remembered in the process only: after a restart
// the first replacement is at once, and the delays begin anew.
import { type Instant, type Ms, plus } from "@telltale/kinds";

const first: Ms = 1_000;
const longest: Ms = 15 * 60_000;

export class Failures {
  readonly #known = new Map<string, { readonly at: Instant; readonly delay: Ms }>();

  /** Until when a failed pod stays, after the last one was replaced. */
  heldUntil(key: string): Instant | undefined {
    const found = this.#known.get(key);
    return found === undefined ? undefined : plus(found.at, found.delay);
  }

  /** One is replaced now. */
  replaced(key: string, now: Instant): void {
    this.#forget(now);
    const before = this.#known.get(key);
    const delay = before === undefined ? first : Math.min(longest, before.delay * 2);
    this.#known.delete(key); // to the end: the oldest are first
    this.#known.set(key, { at: now, delay });
  }

  /** What is long ago counts no more. */
  #forget(now: Instant): void {
    for (const [key, { at }] of this.#known) {
      if (now - at <= 2 * longest) return;
      this.#known.delete(key);
    }
  }
}
