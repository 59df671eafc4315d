// Which Events are worth a request: not the one that was told a moment ago, and not the hundredth about one object. Its
// memory is bounded; what it forgets is told once more.
import type { Instant, Ms } from "@telltale/kinds";
import type { Happening } from "./event-object.ts";
import { Lru } from "./lru.ts";

export interface MemoryLimits {
  /** Within which the same Event is only counted. */
  readonly window: Ms;
  /** How many Events one object may have at once, */
  readonly burst: number;
  /** and after how long one more. */
  readonly refill: Ms;
  /** How many Events, and how many objects, are remembered. */
  readonly remembered: number;
}

export const standardLimits: MemoryLimits = { window: 300_000, burst: 25, refill: 300_000, remembered: 4096 };

/** Where an Event stands. Until it is told it takes every further count along. */
type Standing =
  | "new" // to be created
  | "told" // the server has it as we last said it
  | "again"; // the server has it, and it is to be counted up

/** One Event that was told, or is about to be. */
export interface Told {
  readonly key: string;
  readonly happening: Happening;
  count: number;
  last: Instant;
  /** By uptime. */
  toldAt: Ms;
  at: Standing;
}

export class EventMemory {
  readonly #limits: MemoryLimits;
  readonly #told: Lru<string, Told>;
  readonly #buckets: Lru<string, Bucket>;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
    this.#told = new Lru(limits.remembered);
    this.#buckets = new Lru(limits.remembered);
  }

  /** What to send for one more Event, or undefined where none is to be sent. */
  judge(object: string, key: string, now: Instant, uptime: Ms, fresh: () => Happening): Told | undefined {
    const told = this.#told.get(key);
    if (told !== undefined) {
      told.count += 1;
      told.last = now;
      if (told.at !== "told" || uptime - told.toldAt < this.#limits.window) return undefined;
    }
    const bucket = drawn(this.#buckets.get(object), uptime, this.#limits);
    if (bucket === undefined) return undefined;
    this.#buckets.set(object, bucket);
    if (told !== undefined) {
      told.at = "again";
      told.toldAt = uptime;
      return told;
    }
    const first: Told = { key, happening: fresh(), count: 1, last: now, toldAt: uptime, at: "new" };
    this.#told.set(key, first);
    return first;
  }

  /** It could not be told: the next time is the first. */
  forget(told: Told): void {
    if (this.#told.get(told.key) === told) this.#told.delete(told.key);
  }
}

/** Tokens as they were at a moment. */
interface Bucket {
  readonly tokens: number;
  readonly at: Ms;
}

/** The bucket after one token was taken out, or undefined when there is none in it. */
function drawn(before: Bucket | undefined, uptime: Ms, { burst, refill }: MemoryLimits): Bucket | undefined {
  const tokens = before === undefined ? burst : Math.min(burst, before.tokens + (uptime - before.at) / refill);
  return tokens < 1 ? undefined : { tokens: tokens - 1, at: uptime };
}
