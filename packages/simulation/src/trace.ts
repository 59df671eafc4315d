// What happened, in order, readable by a person; and its hash, by which two runs are told to be the same.
import { type Instant, sha256Hex } from "@telltale/kinds";

/** One line of it. */
export interface Step {
  readonly at: Instant;
  /** Who: `operator-1`, `person`, `server`, `fault`. */
  readonly who: string;
  readonly what: string;
}

/** What is said, or how to say it: most traces are never read, and words cost more than the rest of a run. */
type Said = string | (() => string);

export class Trace {
  readonly steps: Step[] = [];

  note(at: Instant, who: string, said: Said): void {
    this.steps.push(typeof said === "string" ? { at, who, what: said } : new LateStep(at, who, said));
  }

  hash(): string {
    return sha256Hex(this.steps.map(({ at, who, what }) => `${at} ${who} ${what}`).join("\n"));
  }

  /** With the time since the start. `from`, `to`: what is shown. */
  text(from = 0, to = this.steps.length): string {
    const start = this.steps[0]?.at ?? 0;
    const shown = this.steps.slice(from, to).map(({ at, who, what }) => {
      const since = `+${((at - start) / 1000).toFixed(3)}`;
      return `${since.padStart(10)}  ${who.padEnd(11)} ${what}`;
    });
    return (from === 0 ? shown : [`${"...".padStart(10)}  ${from} steps before`, ...shown]).join("\n");
  }
}

class LateStep implements Step {
  readonly at: Instant;
  readonly who: string;
  #said: Said;

  constructor(at: Instant, who: string, said: Said) {
    this.at = at;
    this.who = who;
    this.#said = said;
  }

  get what(): string {
    if (typeof this.#said !== "string") this.#said = this.#said();
    return this.#said;
  }
}
