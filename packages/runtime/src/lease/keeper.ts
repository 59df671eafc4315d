// The loop around a Lease: one round after the other, as long as they are wanted, whatever happens in them; and the end of it.
import { type Clock, jitter, type Random, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Hold } from "./hold.ts";
import type { Troubles } from "./trouble.ts";

export interface KeeperOptions {
  readonly hold: Hold;
  readonly troubles: Troubles;
  readonly clock: Clock;
  readonly random: Random;
  readonly retry: Ms;
  readonly renewDeadline: Ms;
  /** Does what is due, and says how long until the next round. */
  readonly round: (signal: AbortSignal) => Promise<Ms>;
}

export interface Keeper {
  /** Resolves when the signal was raised or the Lease released. Never rejects. */
  start(signal: AbortSignal): Promise<void>;
  /** The next round now. */
  nudge(): void;
  /** Ends the rounds, and gives the Lease back so that somebody else can take it at once. Never rejects. */
  release(): Promise<void>;
}

export function keep({ hold, troubles, clock, random, retry, renewDeadline, round }: KeeperOptions): Keeper {
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let nudged = false;
  let wake = () => {};

  async function rounds(signal: AbortSignal): Promise<void> {
    const stop = () => hold.end("stopped");
    signal.addEventListener("abort", stop, { once: true });
    while (!signal.aborted) {
      nudged = false;
      await pause(await once(signal), signal);
    }
    signal.removeEventListener("abort", stop);
    stop();
  }

  async function once(signal: AbortSignal): Promise<Ms> {
    try {
      const next = await round(signal);
      troubles.over();
      return next;
    } catch (error) {
      if (!signal.aborted) troubles.tell(error);
      // Whoever holds it has little time left to try again; whoever wants it has all the time in the world.
      return jitter(random, hold.held() ? retry / 4 : retry, 0.5);
    }
  }

  async function pause(delay: Ms, signal: AbortSignal): Promise<void> {
    if (nudged || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        timer.cancel();
        signal.removeEventListener("abort", end);
        wake = () => {};
        resolve();
      };
      const timer = clock.after(Math.max(0, delay), end);
      signal.addEventListener("abort", end, { once: true });
      wake = end;
    });
  }

  return {
    start(signal) {
      if (running !== undefined) throw new TypeError("this Lease is looked after already; start it once");
      // Not AbortSignal.any: Node.js keeps those that are never raised, and all who listen to them, for ever.
      signal.addEventListener("abort", () => ending.abort(signal.reason), { once: true });
      if (signal.aborted) ending.abort(signal.reason);
      running = rounds(ending.signal);
      return running;
    },
    nudge() {
      nudged = true;
      wake();
    },
    async release() {
      hold.end("released");
      ending.abort();
      await running;
      const patience = clock.uptime() + renewDeadline;
      const { signal } = new AbortController();
      for (;;) {
        try {
          await hold.release(signal);
          return;
        } catch (error) {
          troubles.tell(error);
        }
        const delay = jitter(random, retry / 4, 0.5);
        // Nobody hears us: it ends by itself when the others have waited for long enough.
        if (clock.uptime() + delay >= patience) return;
        await sleep(clock, delay);
      }
    },
  };
}
