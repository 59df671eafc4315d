// A moment that can come sooner than first said, but not later. Counted in time that passes, not by the date.
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export class Deadline {
  /** Resolves when it has come. */
  readonly passed: Promise<void>;
  readonly #clock: Clock;
  #end: number;
  #timer: Timer | undefined;
  #pass: () => void = () => {};

  constructor(clock: Clock, after: Ms) {
    this.#clock = clock;
    this.#end = clock.uptime() + after;
    this.passed = new Promise((resolve) => {
      this.#pass = resolve;
    });
    this.#arm();
  }

  get left(): Ms {
    return Math.max(0, this.#end - this.#clock.uptime());
  }

  atMost(after: Ms): void {
    const end = this.#clock.uptime() + after;
    if (end >= this.#end) return;
    this.#end = end;
    this.#arm();
  }

  cancel(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(this.left, this.#pass);
  }
}
