// The system's time and chance: the one file that reads them.
import { randomBytes } from "node:crypto";
import type { Instant, Ms } from "@telltale/kinds";
import type { Clock, Random, Timer } from "./clock.ts";

const longest = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now() as Instant,
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

export const systemRandom: Random = {
  next: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
