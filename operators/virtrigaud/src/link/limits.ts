// What one provider is spared (4.8): so many calls at a time, so many per second. Whoever has to wait is served in turn, and sets a timer
// only then.
import type { Clock, Timer } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";

/** How long a wait may take, and who ends it sooner. */
export interface Patience {
  readonly until: Instant;
  readonly signal?: AbortSignal;
}

/** Someone's turn did not come in time; or they went away. */
export class NoTurn extends Error {
  override readonly name = "NoTurn";
  readonly why: "late" | "gone";

  constructor(why: "late" | "gone") {
    super(why);
    this.why = why;
  }
}

/** So many at a time. */
export class Slots {
  readonly #clock: Clock;
  #most: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  limit(most: number): void {
    this.#most = most;
    this.#serve();
  }

  /** Resolves with how to give it back. */
  async take(patience: Patience): Promise<() => void> {
    if (this.#taken < this.#most && this.#waiting.length === 0) this.#taken += 1;
    else await turnOf(this.#clock, patience, this.#waiting);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      this.#taken -= 1;
      this.#serve();
    };
  }

  /** Whoever is called has it already: nobody comes between. */
  #serve(): void {
    while (this.#taken < this.#most) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#taken += 1;
      next();
    }
  }
}

/** So many per second, and so many at once after a rest. */
export class Bucket {
  readonly #clock: Clock;
  #rate: number;
  #burst: number;
  #tokens: number;
  #seen: Ms;
  readonly #waiting: (() => void)[] = [];
  #timer: Timer | undefined;

  constructor(clock: Clock, rate: number, burst: number) {
    this.#clock = clock;
    this.#rate = rate;
    this.#burst = burst;
    this.#tokens = burst;
    this.#seen = clock.uptime();
  }

  limit(rate: number, burst: number): void {
    if (rate === this.#rate && burst === this.#burst) return;
    this.#fill();
    this.#rate = rate;
    this.#burst = burst;
    this.#tokens = Math.min(burst, this.#tokens);
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#serve();
  }

  async take(patience: Patience): Promise<void> {
    this.#fill();
    if (this.#waiting.length === 0 && this.#tokens >= 1) {
      this.#tokens -= 1;
      return;
    }
    const turn = turnOf(this.#clock, patience, this.#waiting);
    this.#serve();
    await turn;
  }

  #fill(): void {
    const now = this.#clock.uptime();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#seen) / 1_000) * this.#rate);
    this.#seen = now;
  }

  /** One timer for all who wait. */
  #serve(): void {
    while (this.#tokens >= 1) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#tokens -= 1;
      next();
    }
    if (this.#timer !== undefined || this.#waiting.length === 0) return;
    // Whole milliseconds, and one more: a token must not lack a hair's breadth of itself.
    const delay = Math.ceil(((1 - this.#tokens) / this.#rate) * 1_000) + 1;
    this.#timer = this.#clock.after(delay, () => {
      this.#timer = undefined;
      this.#fill();
      this.#serve();
    });
  }
}

/** Waits at the end of the queue until somebody calls. */
function turnOf(clock: Clock, { until, signal }: Patience, queue: (() => void)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (why: NoTurn["why"]) => {
      stop();
      const at = queue.indexOf(mine);
      if (at >= 0) queue.splice(at, 1);
      reject(new NoTurn(why));
    };
    const gone = () => leave("gone");
    const timer = clock.after(Math.max(0, until - clock.now()), () => leave("late"));
    const stop = () => {
      timer.cancel();
      signal?.removeEventListener("abort", gone);
    };
    const mine = () => {
      stop();
      resolve();
    };
    queue.push(mine);
    if (signal?.aborted === true) gone();
    else signal?.addEventListener("abort", gone, { once: true });
  });
}
