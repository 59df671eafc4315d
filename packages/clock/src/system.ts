// The system's time and chance: the one file that reads them.
import { randomBytes } from "node:crypto";
import type { Instant, Ms } from "@telltale/kinds";
import type { Clock, Random, Timer } from "./clock.ts";

const longest = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now() as Instant,
  uptime: () => performance.now(),
  after(delay: Ms, call: () => void): Timer {
    if (delay > longest) {
      // setTimeout fires at once beyond 24.8 days: go there in steps.
      let next = systemClock.after(longest, () => {
        next = systemClock.after(delay - longest, call);
      });
      return { cancel: () => next.cancel() };
    }
    const handle = setTimeout(call, Math.max(0, delay));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** One turn of the event loop: every promise that can go on has gone on. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** The same without a look at the outside world: what waits for sockets, files or real time stays where it is. */
export function tick(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

const poolSize = 4096;
let pool = new Uint8Array(0);
let used = 0;

export const systemRandom: Random = {
  next: () => Math.random(),
  /** Drawn from a pool: asking the system for each uid was a twentieth of a write. No byte is given out twice. */
  bytes(count) {
    if (count > poolSize) return randomBytes(count);
    if (used + count > pool.length) {
      pool = randomBytes(poolSize);
      used = 0;
    }
    used += count;
    return pool.slice(used - count, used);
  },
};
