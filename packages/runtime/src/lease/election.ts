// Leader election on one Lease: who holds it may write, and nobody else does at the same moment.
import type { Client } from "@telltale/client";
import { type Clock, jitter, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Fence } from "../fence.ts";
import type { Log } from "../log.ts";
import type { Sink } from "../samples.ts";
import { type Change, Hold } from "./hold.ts";
import { keep } from "./keeper.ts";
import { checkTimes, defaultTimes, type Times } from "./times.ts";
import { Troubles } from "./trouble.ts";

export interface ElectionOptions extends Partial<Times> {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sink: Sink;
  readonly namespace: string;
  readonly name: string;
  /** Of this process alone: its pod's name, or a name with something random in it. */
  readonly identity: string;
}

export interface Election extends Fence {
  /** Takes part until the signal is raised or `release` is called; then it resolves. It never rejects. Once. */
  start(signal: AbortSignal): Promise<void>;
  held(): boolean;
  /** The number of the term that is held now, higher than any before as long as nobody deletes the Lease. Undefined: none is. */
  epoch(): number | undefined;
  /** The epoch, as soon as the lease is held; at once where it is. Rejects only with the signal. */
  gained(signal?: AbortSignal): Promise<number>;
  /** As soon as the term that is held now is over; at once where none is. */
  lost(): Promise<void>;
  /** Told of every term that begins or ends. Gives back the way to hear no more. */
  onChange(call: (change: Change) => void): () => void;
  /** To be called when nothing is written any more: a successor takes over at once. It never rejects. */
  release(): Promise<void>;
}

export function elect(options: ElectionOptions): Election {
  const { client, clock, random, sink, namespace, name, identity } = options;
  const times = checkTimes({ ...defaultTimes, ...options }, identity);
  const { retry } = times;
  const log = options.log.with({ lease: `${namespace}/${name}`, identity });
  const listeners = new Set<(change: Change) => void>();
  let holder: string | undefined;

  const hold = new Hold({ client, clock, random, namespace, name, identity, ...times, onChange: tell });
  const keeper = keep({
    hold,
    clock,
    random,
    ...times,
    troubles: new Troubles(log, { namespace, name, verbs: "get, create and patch" }),
    round,
  });

  async function round(signal: AbortSignal): Promise<Ms> {
    const began = clock.uptime();
    const standing = await hold.attempt(signal);
    const now = clock.uptime();
    if (standing.at === "held") return began + retry - now;
    notice(standing.holder);
    // Twice as often as it is renewed: a claim counts from when we saw it, and we want to see it soon.
    return Math.min(jitter(random, 0.44 * retry, 0.1), standing.until - now);
  }

  function notice(now: string): void {
    if (now === holder || now === "") return;
    holder = now;
    if (now !== identity) log.info("waits for the lease", { holder });
    else {
      const fix = "give every process an identity of its own; after a restart under the same one this passes by itself";
      log.warn("waits for the lease, which is held under our own identity, but not by us", { holder, fix });
    }
  }

  function tell(change: Change): void {
    holder = undefined;
    sink({ is: "lease", name, held: change.held });
    if (change.held) log.info("holds the lease", { epoch: change.epoch });
    else if (change.why === "released" || change.why === "stopped") log.info("gave the lease up", { why: change.why });
    else log.warn("lost the lease", { epoch: change.epoch, why: change.why });
    for (const call of [...listeners]) {
      try {
        call(change);
      } catch (error) {
        log.error("somebody who was told of the lease failed", { held: change.held, error: String(error) });
      }
    }
  }

  /** The first change that fits. */
  function next(wanted: boolean, signal?: AbortSignal): Promise<Change> {
    return new Promise((resolve, reject) => {
      const end = () => {
        listeners.delete(listen);
        signal?.removeEventListener("abort", give);
      };
      const give = () => {
        end();
        reject(signal?.reason);
      };
      const listen = (change: Change) => {
        if (change.held !== wanted) return;
        end();
        resolve(change);
      };
      if (signal?.aborted === true) return give();
      listeners.add(listen);
      signal?.addEventListener("abort", give, { once: true });
    });
  }

  return {
    start: keeper.start,
    allows: () => hold.held(),
    held: () => hold.held(),
    epoch: () => hold.epoch,
    gained: async (signal) => hold.epoch ?? (await next(true, signal)).epoch,
    async lost() {
      if (hold.held()) await next(false);
    },
    onChange(call) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
    release: keeper.release,
  };
}
