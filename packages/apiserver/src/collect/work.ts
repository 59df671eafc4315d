// A controller's queue: each key once, in order, one at a time; what fails comes again, later and later.
import type { Clock, Timer } from "@telltale/clock";

export interface Controller {
  /** Resolves when nothing is left to do now. What waits for a retry or for somebody else is not counted. */
  idle(): Promise<void>;
  stop(): void;
}

/** What came of one key: it is settled, the world was newer than thought, or something is in the way. */
export type Outcome =
  | { readonly is: "done" }
  | { readonly is: "again" }
  | { readonly is: "failed"; readonly why: string };

export const done: Outcome = { is: "done" };
export const again: Outcome = { is: "again" };

export interface Work extends Controller {
  add(key: string): void;
}

const firstDelay = 100;
const longestDelay = 30_000;
const patience = 20;
/** So often in one go: somebody undoes what is done, and the two must not race for good. */
const tooOften = 100;

export function work(
  { clock, log }: { readonly clock: Clock; readonly log: (text: string) => void },
  process: (key: string) => Promise<Outcome>,
): Work {
  const waiting = new Set<string>();
  const attempts = new Map<string, number>();
  const timers = new Map<string, Timer>();
  const runs = new Map<string, number>();
  let resting: (() => void)[] = [];
  let [running, stopped] = [false, false];

  async function run(): Promise<void> {
    while (waiting.size > 0 && !stopped) {
      const round = [...waiting].sort();
      waiting.clear();
      for (const key of round) {
        if (stopped) break;
        const outcome = await process(key).catch((error: unknown): Outcome => ({ is: "failed", why: String(error) }));
        const times = (runs.get(key) ?? 0) + 1;
        runs.set(key, times);
        settle(key, outcome);
        if (times % tooOften === 0 && waiting.delete(key)) later(key, longestDelay);
      }
    }
    running = false;
    runs.clear();
    const told = resting;
    resting = [];
    for (const tell of told) tell();
  }

  function settle(key: string, outcome: Outcome): void {
    if (outcome.is === "done") {
      attempts.delete(key);
      return;
    }
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    if (outcome.is === "again" && attempt < patience) {
      waiting.add(key);
      return;
    }
    if (outcome.is === "failed") log(`${key}: ${outcome.why}`);
    later(key, Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt - 1, 20)));
  }

  function later(key: string, delay: number): void {
    timers.get(key)?.cancel();
    const timer = clock.after(delay, () => {
      timers.delete(key);
      add(key);
    });
    timers.set(key, timer);
  }

  function add(key: string): void {
    if (stopped) return;
    waiting.add(key);
    if (running) return;
    running = true;
    // Not within the write that told of the key: its writer goes on first.
    queueMicrotask(() => void run());
  }

  return {
    add,
    idle: () => (running ? new Promise<void>((resolve) => resting.push(resolve)) : Promise.resolve()),
    stop() {
      stopped = true;
      waiting.clear();
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
