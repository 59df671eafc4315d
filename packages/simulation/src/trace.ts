// What happened, in order, readable by a person; and its hash, by which two runs are told to be the same.
import { formatTime, type Instant, sha256Hex } from "@telltale/kinds";

/** One line of it. */
export interface Step {
  readonly at: Instant;
  /** Who: `operator-1`, `person`, `server`, `fault`. */
  readonly who: string;
  readonly what: string;
}

export class Trace {
  readonly steps: Step[] = [];

  note(at: Instant, who: string, what: string): void {
    this.steps.push({ at, who, what });
  }

  hash(): string {
    return sha256Hex(this.steps.map(({ at, who, what }) => `${at} ${who} ${what}`).join("\n"));
  }

  /** The last lines, with the time since the start. */
  text(last = this.steps.length): string {
    const start = this.steps[0]?.at ?? 0;
    return this.steps
      .slice(-last)
      .map(({ at, who, what }) => `${`+${((at - start) / 1000).toFixed(3)}`.padStart(10)}  ${who.padEnd(11)} ${what}`)
      .join("\n");
  }

  /** When it began. */
  since(): string {
    return formatTime(this.steps[0]?.at ?? (0 as Instant));
  }
}
