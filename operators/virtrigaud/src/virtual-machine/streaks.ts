// What went wrong in a row, and when it may be tried again. In memory: whoever begins anew only waits less, or looks once more.
import { type Instant, type Ms, plus } from "@telltale/kinds";

interface Streak {
  readonly what: string;
  readonly count: number;
  readonly since: Instant;
  readonly until: Instant;
}

export class Streaks {
  readonly #known = new Map<string, Map<string, Streak>>();

  /** One more of it; before its time has come it is still the same one. */
  next(uid: string, what: string, now: Instant, wait: (count: number) => Ms): Streak {
    const known = this.of(uid, what);
    if (known !== undefined && now < known.until && known.since <= now) return known;
    const count = (known?.count ?? 0) + 1;
    const next = { what, count, since: known?.since ?? now, until: plus(now, wait(count)) };
    const own = this.#known.get(uid) ?? new Map<string, Streak>();
    this.#known.set(uid, own.set(what, next));
    return next;
  }

  of(uid: string, what: string): Streak | undefined {
    return this.#known.get(uid)?.get(what);
  }

  end(uid: string, ...what: readonly string[]): void {
    const own = this.#known.get(uid);
    for (const it of what) own?.delete(it);
    if (own?.size === 0) this.#known.delete(uid);
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }
}
