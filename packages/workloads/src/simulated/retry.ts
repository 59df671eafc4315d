// How long is waited between one try and the next: ten seconds, then twice as long each time, five minutes at most. Pure.
import type { Ms } from "@telltale/kinds";

const first: Ms = 10_000;
const longest: Ms = 300_000;
/** A program that ran so long has shown that it can: its next end is the first again. */
const proven: Ms = 600_000;

/** Before the restart of a container that was restarted so often. The first comes at once. */
export function restartPause(restarts: number, ran: Ms): Ms {
  if (restarts === 0 || ran >= proven) return 0;
  return pause(restarts - 1);
}

/** Before the nth try to do something again. */
const pause = (n: number): Ms => Math.min(longest, first * 2 ** Math.min(n, 30));

export interface Tries {
  /** When the last try was, from the first one on. */
  readonly last: Ms;
  readonly next: Ms;
}

/** The tries around a moment, where each of them failed. */
export function triesAround(elapsed: Ms): Tries {
  let [last, n] = [0, 0];
  for (let next = pause(n); next <= elapsed; next = last + pause(n)) {
    last = next;
    n += 1;
    // From here on they are all the same length apart: no need to count them one by one.
    if (pause(n) === longest) last += Math.floor((elapsed - last) / longest) * longest;
  }
  return { last, next: last + pause(n) };
}

/** The first try at or after a moment. */
export function tryAfter(elapsed: Ms): Ms {
  const { last, next } = triesAround(elapsed);
  return last === elapsed ? last : elapsed <= 0 ? 0 : next;
}
