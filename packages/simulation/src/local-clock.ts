// The clock of one process: time as that process has it. It ends with the process, stands still while it is paused, and can be
// wrong.
import { type Clock, type Timer, tick } from "@telltale/clock";
import { type Instant, instant, type Ms } from "@telltale/kinds";

type ClockState =
  | "runs"
  | "paused" // what is due, and what comes, waits
  | "resuming" // it does so still, while it is handed out
  | "over"; // for good

export class LocalClock implements Clock {
  readonly #true: Clock;
  readonly #timers = new Set<Timer>();
  readonly #messages: (() => void)[] = [];
  readonly #due: (() => void)[] = [];
  #state: ClockState = "runs";
  #skew: Ms = 0;
  /** When the process began, or went on after a pause. */
  since: Instant;
  /** How late a timer may go off that was set by a clock that was slow. */
  slack: Ms = 0;
  #stands: Instant | undefined;

  constructor(clock: Clock) {
    this.#true = clock;
    this.since = clock.now();
  }

  now(): Instant {
    return this.#stands ?? instant(this.#true.now() + this.#skew);
  }

  uptime(): Ms {
    return this.#true.uptime();
  }

  after(delay: Ms, call: () => void): Timer {
    if (this.#state === "over") return { cancel() {} };
    let isCancelled = false;
    const timer = this.#true.after(delay, () => {
      this.#timers.delete(timer);
      const due = () => {
        if (!isCancelled) call();
      };
      if (this.#state === "runs") due();
      else if (this.#state !== "over") this.#due.push(due);
    });
    this.#timers.add(timer);
    return {
      cancel: () => {
        isCancelled = true;
        this.#timers.delete(timer);
        timer.cancel();
      },
    };
  }

  /** What is due, and whatever reaches the process, waits. */
  pause(): void {
    if (this.#state === "runs" || this.#state === "resuming") this.#state = "paused";
  }

  /** First what came, then what is due, one after the other: a process that was stopped in the middle of waiting does so. */
  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "resuming";
    this.since = this.#true.now();
    void this.#catchUp();
  }

  /** Whether it has not yet handed out all that waited. */
  get isResuming(): boolean {
    return this.#state === "resuming";
  }

  async #catchUp(): Promise<void> {
    while (this.isResuming) {
      const next = this.#messages.shift() ?? this.#due.shift();
      if (next === undefined) this.#state = "runs";
      else {
        next();
        await tick();
      }
    }
  }

  /** Runs it now, or when the process goes on; never when it is over. */
  deliver(call: () => void): void {
    if (this.#state === "runs") call();
    else if (this.#state !== "over") this.#messages.push(call);
  }

  /** Shows another time of day from now on. Timers keep the time that they still have. */
  jump(by: Ms): void {
    this.#skew += by;
    this.slack += Math.max(0, by);
  }

  /** Shows one and the same time of day until `go`; timers go off all the same. */
  stand(): void {
    this.#stands ??= this.now();
  }

  /** Shows the right time again, as if it had never stood. */
  go(): void {
    const stood = this.#stands;
    this.#stands = undefined;
    if (stood !== undefined) this.slack += Math.max(0, this.now() - stood);
  }

  /** Nothing happens any more. */
  end(): void {
    this.#state = "over";
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#messages.length = 0;
    this.#due.length = 0;
  }
}
