// A bucket of tokens for each peer (9.8): so many requests in a period, and so many at once.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export interface RateLimit {
  readonly requests: number;
  readonly periodSeconds: number;
  readonly burst: number;
}

export class RateLimiter {
  readonly #clock: Clock;
  /** Tokens that come back in a millisecond. */
  readonly #rate: number;
  readonly #burst: number;
  #buckets = new Map<string, { tokens: number; at: Ms }>();

  constructor({ requests, periodSeconds, burst }: RateLimit, clock: Clock) {
    this.#clock = clock;
    this.#rate = requests / (periodSeconds * 1000);
    this.#burst = Math.max(1, burst);
  }

  /** Undefined: go on. Else after how many seconds there is a place. */
  take(peer: string): number | undefined {
    const now = this.#clock.uptime();
    const bucket = this.#buckets.get(peer) ?? { tokens: this.#burst, at: now };
    const tokens = Math.min(this.#burst, bucket.tokens + (now - bucket.at) * this.#rate);
    this.#forget(now);
    // A tenth ten times is a little less than one.
    if (tokens >= 1 - 1e-9) {
      this.#buckets.set(peer, { tokens: Math.max(0, tokens - 1), at: now });
      return undefined;
    }
    this.#buckets.set(peer, { tokens, at: now });
    return Math.max(1, Math.ceil((1 - tokens) / this.#rate / 1000));
  }

  /** Full buckets say nothing: whoever comes from many addresses does not fill the memory. */
  #forget(now: Ms): void {
    if (this.#buckets.size < most) return;
    const full = this.#burst / this.#rate;
    this.#buckets = new Map([...this.#buckets].filter(([, { at }]) => now - at < full).slice(-most / 2));
  }
}

const most = 10_000;
