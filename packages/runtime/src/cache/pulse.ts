// How the server lets hear of itself, and how long it may be silent before a stream counts as dead: a stream can go silent
// without an end, and bookmarks are its heartbeat.
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

/** A stream ends by itself after this many seconds, or twice as many: so that servers can be drained. */
export const streamLasts = 300;
/** How long an answer or a list may be silent. */
const shortSilence = 30_000;
/** Never sooner, and by how much later than the longest gap between two bookmarks so far. */
const shortestSilence = 90_000;
const gaps = 3;
/** By then a stream that is alive has ended. */
const longestSilence = 2 * streamLasts * 1000 + shortSilence;

export class Pulse {
  readonly #clock: Clock;
  #heard: Ms;
  #bookmarked: Ms | undefined;
  #longestGap: Ms | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#heard = clock.uptime();
  }

  /** How long since the server was last heard of. */
  get silent(): Ms {
    return this.#clock.uptime() - this.#heard;
  }

  hear(): void {
    this.#heard = this.#clock.uptime();
  }

  /** A stream begins to follow: its bookmarks come at a distance from here on. */
  follow(): void {
    this.#bookmarked = this.#clock.uptime();
  }

  bookmark(): void {
    const now = this.#clock.uptime();
    if (this.#bookmarked !== undefined) this.#longestGap = Math.max(this.#longestGap ?? 0, now - this.#bookmarked);
    this.#bookmarked = now;
  }

  /** Calls once after too long a silence, counted from now on. */
  watch(isFollowing: () => boolean, onSilence: (silent: Ms) => void): Timer {
    const began = this.#clock.uptime();
    const check = () => {
      const silent = this.#clock.uptime() - Math.max(began, this.#heard);
      const [may, again] = isFollowing() ? [this.#mayBeSilent(), shortestSilence] : [shortSilence, shortSilence];
      const left = may - silent;
      if (left <= 0) onSilence(silent);
      else timer = this.#clock.after(Math.min(left, again), check);
    };
    let timer = this.#clock.after(shortSilence, check);
    return { cancel: () => timer.cancel() };
  }

  /** Where no bookmarks come, nothing but the stream's own end can be expected. */
  #mayBeSilent(): Ms {
    if (this.#longestGap === undefined) return longestSilence;
    return Math.min(longestSilence, Math.max(shortestSilence, gaps * this.#longestGap));
  }
}
