// Looking outside Kubernetes at regular times: one registry per controller, keyed by object, with jitter, a limit of calls in
// flight and a pause after failures. A poller only ever feeds the queue.
import { TimeoutError, unlessAborted } from "@telltale/client";
import { type Clock, jitter, type Random, type Timer } from "@telltale/clock";
import type { Instant, KubeObject, Ms } from "@telltale/kinds";
import { type Key, keyOfObject } from "./key.ts";
import type { Sink } from "./samples.ts";

export interface Poller<T extends KubeObject, V> {
  readonly name: string;
  readonly every: Ms;
  /** By how much of itself an interval is moved. Default: a tenth. */
  readonly jitter?: number;
  /** Calls at a time, over all objects. Default: 16. */
  readonly inFlight?: number;
  /** For one call. Default: 10 s. */
  readonly timeout?: Ms;
  /** Whether this object is polled at present. Default: always. */
  readonly when?: (object: T) => boolean;
  readonly poll: (
    object: T,
    call: { readonly signal: AbortSignal; readonly last: Polled<V> | undefined },
  ) => Promise<V>;
  /** Whether a result is worth a pass. Default: the first one, a change between success and failure, or another value. */
  readonly changed?: (before: Polled<V> | undefined, after: Polled<V>) => boolean;
  /** How long until the next call, given what was found. Default: the interval. */
  readonly again?: (value: V) => Ms;
  /** The pause after so many failures in a row. Default: the interval. */
  readonly pause?: (failures: number, error: unknown) => Ms;
}

/** What is known of one object. */
export interface Polled<V> {
  /** The last value that was found. */
  readonly value?: V;
  readonly error?: unknown;
  /** Failures in a row. */
  readonly failures: number;
  /** When the last call ended. */
  readonly at: Instant;
}

/** Declares a poller. */
export function poller<T extends KubeObject, V>(declaration: Poller<T, V>): Poller<T, V> {
  return declaration;
}

interface Watched<T, V> {
  object: T;
  last?: Polled<V>;
  timer?: Timer;
  call?: AbortController;
}

export interface PollingOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: Sink;
  readonly enqueue: (key: Key) => void;
}

/** One poller at work. */
export class Polling<T extends KubeObject, V> {
  readonly #poller: Poller<T, V>;
  readonly #options: PollingOptions;
  readonly #watched = new Map<string, Watched<T, V>>();
  readonly #ready: Watched<T, V>[] = [];
  #inFlight = 0;
  #isStopped = false;

  constructor(poller: Poller<T, V>, options: PollingOptions) {
    this.#poller = poller;
    this.#options = options;
  }

  last(object: T): Polled<V> | undefined {
    return this.#watched.get(uidOf(object))?.last;
  }

  /** The object is there, or has changed. */
  keep(object: T): void {
    if (this.#isStopped) return;
    const wanted = this.#poller.when?.(object) ?? true;
    const known = this.#watched.get(uidOf(object));
    if (!wanted) this.drop(object);
    else if (known !== undefined) known.object = object;
    else {
      const watched: Watched<T, V> = { object };
      this.#watched.set(uidOf(object), watched);
      // Spread out: after a restart all objects come at once.
      this.#schedule(watched, this.#poller.every * Math.min(1, this.#options.random.next()) * 0.1);
    }
  }

  drop(object: T): void {
    const known = this.#watched.get(uidOf(object));
    known?.timer?.cancel();
    known?.call?.abort(new Error("the object is not polled any more"));
    this.#watched.delete(uidOf(object));
  }

  /** Polls nothing until objects are named again. */
  clear(): void {
    for (const { object } of [...this.#watched.values()]) this.drop(object);
  }

  stop(): void {
    this.#isStopped = true;
    this.clear();
  }

  #schedule(watched: Watched<T, V>, delay: Ms): void {
    watched.timer = this.#options.clock.after(delay, () => {
      this.#ready.push(watched);
      this.#next();
    });
  }

  #next(): void {
    while (this.#inFlight < (this.#poller.inFlight ?? 16)) {
      const watched = this.#ready.shift();
      if (watched === undefined) return;
      if (this.#watched.get(uidOf(watched.object)) !== watched) continue;
      this.#inFlight += 1;
      this.#call(watched).finally(() => {
        this.#inFlight -= 1;
        this.#next();
      });
    }
  }

  async #call(watched: Watched<T, V>): Promise<void> {
    const { clock, random, sink, enqueue } = this.#options;
    const { name, every, poll, again, pause, timeout = 10_000 } = this.#poller;
    const stop = new AbortController();
    watched.call = stop;
    const limit = clock.after(timeout, () => stop.abort(new TimeoutError(name, timeout)));
    const began = clock.uptime();
    const before = watched.last;
    let found: { value: V } | { error: unknown };
    try {
      found = { value: await unlessAborted(poll(watched.object, { signal: stop.signal, last: before }), stop.signal) };
    } catch (error) {
      found = { error };
    } finally {
      limit.cancel();
      delete watched.call;
    }
    if (this.#watched.get(uidOf(watched.object)) !== watched) return;
    const failures = "error" in found ? (before?.failures ?? 0) + 1 : 0;
    const last = before !== undefined && "value" in before ? { value: before.value as V } : {};
    watched.last = { ...last, ...found, failures, at: clock.now() };
    sink({ is: "poll", source: name, ok: failures === 0, took: clock.uptime() - began });
    const wait = "error" in found ? pause?.(failures, found.error) : again?.(found.value);
    this.#schedule(watched, jitter(random, wait ?? every, this.#poller.jitter ?? 0.1));
    if ((this.#poller.changed ?? isNews)(before, watched.last)) enqueue(keyOfObject(watched.object));
  }
}

const uidOf = (object: KubeObject): string => object.metadata?.uid ?? keyOfObject(object);

function isNews<V>(before: Polled<V> | undefined, after: Polled<V>): boolean {
  if (before === undefined || before.failures > 0 !== after.failures > 0) return true;
  return JSON.stringify(before.value) !== JSON.stringify(after.value);
}
