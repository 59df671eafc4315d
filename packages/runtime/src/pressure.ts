// How much of its workers an operator uses: all of them, until the server shows that it is too much. Halved with each sign of
// trouble, at most once a second, and whole again some ten seconds after the last one.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

const least = 0.1;
const recovery: Ms = 10_000;
const breath: Ms = 1_000;
/** An answer that took so long shows a server at its limit. Its own goal for a write is a second. */
const slow: Ms = 2_000;

export class Pressure {
  readonly #clock: Clock;
  #share = 1;
  #since: Ms = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An attempt ended. No code: no answer came. */
  heard(attempt: { readonly code: number; readonly took: Ms }): void {
    const { code, took } = attempt;
    const isTrouble = [0, 429, 502, 503, 504].includes(code) || took >= slow;
    const now = this.#clock.uptime();
    if (!isTrouble || now - this.#since < breath) return;
    this.#share = Math.max(least, this.share / 2);
    this.#since = now;
  }

  /** Of the workers, at most this part. */
  get share(): number {
    const gained = (this.#clock.uptime() - this.#since) / recovery;
    return Math.min(1, this.#share + gained);
  }
}
