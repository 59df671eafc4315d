// Since when this process knows of a record. What its date says is not asked: the one who wrote it may have had another clock.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { EffectRecord } from "./steps.ts";

export class Sightings {
  readonly #clock: Clock;
  /** The newest record of each object, by uid. */
  readonly #seen = new Map<string, { readonly of: string; readonly at: Ms }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How old it is at least. */
  age(uid: string, { op, id, attempt }: EffectRecord): Ms {
    const of = `${op} ${id} ${attempt}`;
    const uptime = this.#clock.uptime();
    const known = this.#seen.get(uid);
    const seen = known?.of === of ? known : { of, at: uptime };
    this.#seen.set(uid, seen);
    return uptime - seen.at;
  }

  /** The object is gone. */
  drop(uid: string): void {
    this.#seen.delete(uid);
  }
}
