// Since when this process knows of a record. The one who wrote it may have had another clock, or have stood still meanwhile: what
// its date says is an upper bound of its age, and how long we have seen it another one.
import type { Clock } from "@telltale/clock";
import { type Instant, type Ms, parseTime } from "@telltale/kinds";
import type { EffectRecord } from "./steps.ts";

export class Sightings {
  readonly #clock: Clock;
  /** The newest record of each object, by uid. */
  readonly #seen = new Map<string, { readonly of: string; readonly at: Ms }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How old it is at least. */
  age(uid: string, { op, id, attempt, at }: EffectRecord, now: Instant): Ms {
    const of = `${op} ${id} ${attempt}`;
    const uptime = this.#clock.uptime();
    const known = this.#seen.get(uid);
    const seen = known?.of === of ? known : { of, at: uptime };
    this.#seen.set(uid, seen);
    const written = parseTime(at);
    const dated = written === undefined || written > now ? Number.POSITIVE_INFINITY : now - written;
    return Math.min(dated, uptime - seen.at);
  }

  /** The object is gone. */
  drop(uid: string): void {
    this.#seen.delete(uid);
  }
}
