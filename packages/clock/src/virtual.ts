// Time that stands still until it is moved, and chance that a seed decides.
import { type Instant, instant, type Ms } from "@telltale/kinds";
import type { Clock, Random, Timer } from "./clock.ts";
import { Heap } from "./heap.ts";
import { turn } from "./system.ts";

interface Waiting {
  at: number;
  readonly order: number;
  readonly call: () => void;
  cancelled: boolean;
}

/** A clock that only `advance` moves. Timers that are due at one moment fire in the order in which they were set. */
export class VirtualClock implements Clock {
  #now: number;
  /** What `now` would show if nobody had ever put the clock elsewhere and it had begun at zero. */
  #zero: number;
  #order = 0;
  readonly #heap = new Heap<Waiting>(before);

  constructor(start: Instant = instant(Date.UTC(2026, 0, 1))) {
    this.#now = start;
    this.#zero = start;
  }

  now(): Instant {
    return instant(this.#now);
  }

  uptime(): Ms {
    return this.#now - this.#zero;
  }

  after(delay: Ms, call: () => void): Timer {
    const waiting: Waiting = { at: this.#now + Math.max(0, delay), order: this.#order++, call, cancelled: false };
    this.#heap.push(waiting);
    return {
      cancel: () => {
        waiting.cancelled = true;
      },
    };
  }

  /** When the next timer is due. */
  next(): Instant | undefined {
    while (this.#heap.first?.cancelled === true) this.#heap.pop();
    const first = this.#heap.first;
    return first === undefined ? undefined : instant(first.at);
  }

  /** Fires the next timer, moving time to it, if it is due by then. Says whether one fired. */
  fire(until: Instant = instant(Number.POSITIVE_INFINITY)): boolean {
    const due = this.next();
    if (due === undefined || due > until) return false;
    this.#now = Math.max(this.#now, due);
    this.#heap.pop()?.call();
    return true;
  }

  /** Moves time on, firing what comes due. What a timer starts is not awaited: see `settle`. */
  advance(by: Ms): void {
    const until = instant(this.#now + by);
    while (this.fire(until));
    this.#now = Math.max(this.#now, until);
  }

  /** Moves time on step by step, and lets everything that a timer started run before the next one fires. */
  async settle(by: Ms): Promise<void> {
    const until = instant(this.#now + by);
    await turn();
    while (this.fire(until)) await turn();
    this.#now = Math.max(this.#now, until);
    await turn();
  }

  /** Puts the clock somewhere else, as the operator of a machine may do. Timers keep the time that they still have. */
  jump(to: Instant): void {
    for (const waiting of this.#heap) waiting.at += to - this.#now;
    this.#zero += to - this.#now;
    this.#now = to;
  }
}

const before = (a: Waiting, b: Waiting): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Chance that a seed decides: the same seed, the same sequence (xoshiro128**). */
export function seededRandom(seed: number): Random {
  // The four words of the state come out of the seed by splitmix32.
  let mix = seed >>> 0;
  const word = () => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  let [a, b, c, d] = [word(), word(), word(), word()];
  const rotate = (x: number, k: number) => ((x << k) | (x >>> (32 - k))) >>> 0;
  const next32 = () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const t = (b << 9) >>> 0;
    c = (c ^ a) >>> 0;
    d = (d ^ b) >>> 0;
    b = (b ^ c) >>> 0;
    a = (a ^ d) >>> 0;
    c = (c ^ t) >>> 0;
    d = rotate(d, 11);
    return result;
  };
  return {
    next: () => next32() / 2 ** 32,
    bytes(count) {
      const drawn = new Uint8Array(count);
      for (let i = 0; i < count; i += 1) drawn[i] = next32() >>> 24;
      return drawn;
    },
  };
}
