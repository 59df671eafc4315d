// What is told once, on an edge: Events, and an error that has lasted (11.1).
import type { Trouble } from "./trouble.ts";

/** An Event to be told. */
export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** How often in a row a request may fail before a person is told. */
const patience = 3;
/** And before nothing is known any more of what it was for: about half a minute of tries. */
const memory = 6;

/** Errors in a row, by object. Losing it only means that one is told of later. */
export class Streaks {
  readonly #known = new Map<string, { readonly count: number; readonly told: string }>();

  /** Whether a person has to be told of this error now: the third in a row, then when it is another one. */
  isDue(uid: string, trouble: Trouble): boolean {
    const { count = 0, told = "" } = this.#known.get(uid) ?? {};
    const isDue = count + 1 >= patience && told !== trouble.message;
    this.#known.set(uid, { count: count + 1, told: isDue ? trouble.message : told });
    return isDue;
  }

  /** One more, where nobody is told. */
  count(uid: string): void {
    const { count = 0, told = "" } = this.#known.get(uid) ?? {};
    this.#known.set(uid, { count: count + 1, told });
  }

  /** Whether so many passes have failed in a row, with this one, that what an earlier one saw is not believed any more. */
  isLasting(uid: string): boolean {
    return (this.#known.get(uid)?.count ?? 0) + 1 >= memory;
  }

  /** A pass went through, or the object is gone. */
  end(uid: string): void {
    this.#known.delete(uid);
  }
}
