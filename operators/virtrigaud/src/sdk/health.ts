// How a provider is: its checks, each run when somebody asks and then remembered for a while. Who asks waits only so long.
import { type Clock, sleep } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { redact } from "../redact.ts";

/** Resolves when all is well, and rejects with what is not. */
export type Check = (signal: AbortSignal) => Promise<unknown>;
export type Checks = Readonly<Record<string, Check>>;

export interface Result {
  readonly name: string;
  /** Absent: all is well. */
  readonly error?: SafeText;
  readonly at: Instant;
}

const remembered: Ms = 30_000;
const longest: Ms = 10_000;

export class Health {
  readonly #checks: Checks;
  readonly #clock: Clock;
  readonly #results = new Map<string, Result>();
  readonly #running = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(checks: Checks, clock: Clock) {
    this.#checks = checks;
    this.#clock = clock;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  stop(): void {
    this.#isStopping = true;
  }

  /** Every check, none older than half a minute. One that has no result in time has failed. */
  async results(within: Ms): Promise<readonly Result[]> {
    const stale = Object.entries(this.#checks).filter(([name]) => this.#fresh(name) === undefined);
    if (stale.length > 0) {
      const enough = new AbortController();
      const patience = sleep(this.#clock, within, enough.signal).catch(() => {});
      await Promise.race([Promise.all(stale.map(([name, check]) => this.#run(name, check))), patience]);
      enough.abort();
    }
    return Object.keys(this.#checks).map(
      (name) =>
        this.#fresh(name) ?? {
          name,
          error: text`no result within ${within / 1000} s`,
          at: this.#clock.now(),
        },
    );
  }

  #fresh(name: string): Result | undefined {
    const result = this.#results.get(name);
    return result !== undefined && this.#clock.now() - result.at < remembered ? result : undefined;
  }

  #run(name: string, check: Check): Promise<void> {
    const running = this.#running.get(name) ?? this.#ask(name, check).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  async #ask(name: string, check: Check): Promise<void> {
    const limit = new AbortController();
    const timer = this.#clock.after(longest, () => limit.abort(new Error(`no result within ${longest / 1000} s`)));
    // A check that ignores its signal counts as failed as well; the next one does not wait for it.
    const aborted = new Promise<never>((_, reject) => {
      limit.signal.addEventListener("abort", () => reject(limit.signal.reason));
    });
    try {
      await Promise.race([check(limit.signal), aborted]);
      this.#results.set(name, { name, at: this.#clock.now() });
    } catch (error) {
      this.#results.set(name, { name, error: redact(error), at: this.#clock.now() });
    } finally {
      timer.cancel();
    }
  }
}
