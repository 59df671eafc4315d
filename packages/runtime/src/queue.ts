// The keys that wait for a pass: each at most once, the urgent ones first, no namespace before another, never two passes of
// one key at a time. It knows nothing of objects.
import { type Clock, Heap, jitter, type Random, type Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { type Key, namespaceOfKey } from "./key.ts";
import type { Cause } from "./samples.ts";

/** After a failure: the first pause, each further one twice as long, up to the longest, each moved by chance. */
export interface Backoff {
  readonly first: Ms;
  readonly longest: Ms;
  /** By how much of itself a pause is moved. */
  readonly jitter: number;
}

export const standardBackoff: Backoff = { first: 200, longest: 300_000, jitter: 0.2 };

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: Backoff;
  /** Between the starts of two passes of one key. */
  readonly spacing?: Ms;
  /** Called when a key may be taken. */
  readonly onReady: () => void;
  readonly onAdd?: (cause: Cause) => void;
}

export interface Taken {
  readonly key: Key;
  readonly cause: Cause;
  readonly waited: Ms;
}

/** From the most to the least urgent. */
const causes: readonly Cause[] = ["change", "child", "timer", "resync"];
/** Of so many that are taken one is the one that has waited longest, whatever its cause. */
const fairness = 8;

interface Waiting {
  readonly key: Key;
  readonly since: Ms;
  level: number;
  isTaken: boolean;
}

export class Queue {
  readonly #options: QueueOptions;
  readonly #backoff: Backoff;
  readonly #waiting = new Map<Key, Waiting>();
  readonly #levels = causes.map((_cause, level) => new Level(level));
  readonly #oldest = new Fifo<Waiting>();
  readonly #delayed: Delayed;
  readonly #running = new Map<Key, Ms>();
  /** Asked for during their own pass: they come again. */
  readonly #again = new Map<Key, Cause>();
  readonly #failures = new Map<Key, number>();
  readonly #started = new Map<Key, Ms>();
  /** Retry-After of each key, by uptime: until then only a change of the object itself comes. */
  readonly #held = new Map<Key, Ms>();
  #taken = 0;
  #isStopped = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? standardBackoff;
    // Through `add`: Retry-After may have come after the delay was set.
    this.#delayed = new Delayed(options.clock, (key, cause) => this.add(key, cause));
  }

  /** As soon as possible. */
  add(key: Key, cause: Cause): void {
    this.addAfter(key, 0, cause);
  }

  /** Once, after a while. Of several such wishes for one key the earliest counts, until its next pass begins. */
  addAfter(key: Key, delay: Ms, cause: Cause = "timer"): void {
    if (this.#isStopped) return;
    const left = Math.max(delay, this.#spaced(key), cause === "change" ? 0 : this.#heldFor(key));
    if (left > 0) this.#delayed.add(key, left, cause);
    else this.#enter(key, cause);
  }

  /** After a failure: later and later, and not before the server wants it. Says when. */
  retry(key: Key, atLeast: Ms = 0, cause: Cause = "timer"): Ms {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.hold(key, atLeast);
    const { first, longest, jitter: share } = this.#backoff;
    const delay = Math.max(
      this.#heldFor(key),
      jitter(this.#options.random, Math.min(longest, first * 2 ** Math.min(failures, 40)), share),
    );
    this.addAfter(key, delay, cause);
    return delay;
  }

  /** Retry-After: whatever else asks for the key sooner, but for a change of the object itself, waits so long. */
  hold(key: Key, time: Ms): void {
    if (time > 0) this.#held.set(key, this.#options.clock.uptime() + time);
  }

  /** How often in a row it failed. */
  failures(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  /** It went well: the next failure is the first again. */
  succeeded(key: Key): void {
    this.#failures.delete(key);
    this.#held.delete(key);
  }

  /** The object is gone: nothing is remembered. */
  forget(key: Key): void {
    this.#failures.delete(key);
    this.#held.delete(key);
    this.#started.delete(key);
    this.#delayed.delete(key);
  }

  /** The next key. It is running until `done`. */
  take(): Taken | undefined {
    const next = this.#next();
    if (next === undefined) return undefined;
    const now = this.#options.clock.uptime();
    next.isTaken = true;
    this.#waiting.delete(next.key);
    this.#running.set(next.key, now);
    if ((this.#options.spacing ?? 0) > 0) this.#started.set(next.key, now);
    // The pass sees everything that was to be seen, and says anew when it wants to be called.
    this.#delayed.delete(next.key);
    return { key: next.key, cause: causes[next.level] ?? "change", waited: now - next.since };
  }

  done(key: Key): void {
    this.#running.delete(key);
    const again = this.#again.get(key);
    if (again === undefined) return;
    this.#again.delete(key);
    this.add(key, again);
  }

  get gauge(): { waiting: number; delayed: number; running: number; longest: Ms; unfinished: Ms } {
    const now = this.#options.clock.uptime();
    let [longest, unfinished] = [0, 0];
    for (const since of this.#running.values()) {
      longest = Math.max(longest, now - since);
      unfinished += now - since;
    }
    return {
      waiting: this.#waiting.size,
      delayed: this.#delayed.size,
      running: this.#running.size,
      longest,
      unfinished,
    };
  }

  /** For good: what is asked for from now on is not taken. */
  stop(): void {
    this.#isStopped = true;
    this.#delayed.stop();
  }

  /** How long until its next pass may start. */
  #spaced(key: Key): Ms {
    const { spacing = 0, clock } = this.#options;
    const started = this.#started.get(key);
    return started === undefined ? 0 : started + spacing - clock.uptime();
  }

  #heldFor(key: Key): Ms {
    return (this.#held.get(key) ?? 0) - this.#options.clock.uptime();
  }

  #enter(key: Key, cause: Cause): void {
    this.#options.onAdd?.(cause);
    const level = causes.indexOf(cause);
    if (this.#running.has(key)) {
      const before = this.#again.get(key);
      if (before === undefined || level < causes.indexOf(before)) this.#again.set(key, cause);
      return;
    }
    const known = this.#waiting.get(key);
    if (known === undefined) {
      const waiting: Waiting = { key, since: this.#options.clock.uptime(), level, isTaken: false };
      this.#waiting.set(key, waiting);
      this.#oldest.push(waiting);
      this.#levels[level]?.push(waiting);
    } else if (level < known.level) {
      known.level = level;
      this.#levels[level]?.push(known);
    }
    this.#options.onReady();
  }

  #next(): Waiting | undefined {
    this.#taken += 1;
    if (this.#taken % fairness === 0) return this.#oldest.take(isWaiting);
    for (const lanes of this.#levels) {
      const found = lanes.take();
      if (found !== undefined) return found;
    }
    // What was taken out of its turn leaves its place behind.
    this.#oldest.take(isWaiting);
    return undefined;
  }
}

const isWaiting = ({ isTaken }: Waiting): boolean => !isTaken;

/** The keys of one urgency: namespaces in turn, within one first come first served. */
class Level {
  readonly #isHere: (waiting: Waiting) => boolean;
  readonly #lanes = new Map<string, Fifo<Waiting>>();
  readonly #turns = new Fifo<string>();

  constructor(level: number) {
    // Who became more urgent waits elsewhere, and has left this place behind.
    this.#isHere = (waiting) => !waiting.isTaken && waiting.level === level;
  }

  push(waiting: Waiting): void {
    const namespace = namespaceOfKey(waiting.key);
    const lane = this.#lanes.get(namespace);
    if (lane !== undefined) {
      lane.push(waiting);
      return;
    }
    const fresh = new Fifo<Waiting>();
    fresh.push(waiting);
    this.#lanes.set(namespace, fresh);
    this.#turns.push(namespace);
  }

  take(): Waiting | undefined {
    for (;;) {
      const namespace = this.#turns.take();
      if (namespace === undefined) return undefined;
      const lane = this.#lanes.get(namespace);
      const found = lane?.take(this.#isHere);
      if (lane === undefined || lane.isEmpty) this.#lanes.delete(namespace);
      else this.#turns.push(namespace);
      if (found !== undefined) return found;
    }
  }
}

class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get isEmpty(): boolean {
    return this.#head >= this.#items.length;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The first that fits; those before it are dropped. */
  take(fits: (item: T) => boolean = () => true): T | undefined {
    while (this.#head < this.#items.length) {
      const item = this.#items[this.#head];
      this.#items[this.#head++] = undefined;
      if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      if (item !== undefined && fits(item)) return item;
    }
    this.#items = [];
    this.#head = 0;
    return undefined;
  }
}

/** Keys for later: one timer for the earliest of them. */
class Delayed {
  readonly #clock: Clock;
  readonly #due: (key: Key, cause: Cause) => void;
  readonly #at = new Map<Key, { readonly at: Ms; readonly cause: Cause }>();
  readonly #heap = new Heap<{ readonly key: Key; readonly at: Ms }>((a, b) => a.at < b.at);
  #timer: { readonly at: Ms; readonly timer: Timer } | undefined;

  constructor(clock: Clock, due: (key: Key, cause: Cause) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  get size(): number {
    return this.#at.size;
  }

  add(key: Key, delay: Ms, cause: Cause): void {
    const at = this.#clock.uptime() + delay;
    const known = this.#at.get(key);
    if (known !== undefined && known.at <= at) return;
    this.#at.set(key, { at, cause });
    this.#heap.push({ key, at });
    this.#schedule();
  }

  delete(key: Key): void {
    this.#at.delete(key);
  }

  stop(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#at.clear();
    this.#heap.clear();
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.uptime();
    for (let first = this.#heap.first; first !== undefined && first.at <= now; first = this.#heap.first) {
      this.#heap.pop();
      const known = this.#at.get(first.key);
      if (known?.at !== first.at) continue;
      this.#at.delete(first.key);
      this.#due(first.key, known.cause);
    }
    this.#schedule();
  }

  #schedule(): void {
    let first = this.#heap.first;
    while (first !== undefined && this.#at.get(first.key)?.at !== first.at) {
      this.#heap.pop();
      first = this.#heap.first;
    }
    if (first === undefined || (this.#timer !== undefined && this.#timer.at <= first.at)) return;
    this.#timer?.timer.cancel();
    // Never early: a timer of the system may fire a fraction of a millisecond before its time.
    const delay = Math.max(1, Math.ceil(first.at - this.#clock.uptime()));
    this.#timer = { at: first.at, timer: this.#clock.after(delay, () => this.#fire()) };
  }
}
