// Where a call finds a connection: the present one, or else a new one, tried for again and again until it is there or the call
// gives up. All calls wait for the same attempt.
import { type Clock, jitter, type Random, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { type Address, type Connection, connect } from "./connection.ts";

export interface ChannelOptions {
  readonly address: Address;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each connection that was made. */
  readonly onConnected: () => void;
}

/** Between two attempts: twice as long each time. */
const firstPause: Ms = 250;
const longestPause: Ms = 5_000;
const standardIdle: Ms = 300_000;

export class Channel {
  readonly #options: ChannelOptions;
  readonly #closed = new AbortController();
  #current: Connection | undefined;
  #attempt: Promise<void> | undefined;
  #pause: Ms = firstPause;
  #notBefore: Ms = 0;
  #trouble = "there was no time to connect";

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Why there is no connection. */
  get trouble(): string {
    return this.#trouble;
  }

  /** A connection that takes calls. Rejects only with the signal's reason. */
  async ready(signal: AbortSignal): Promise<Connection> {
    const { address, clock } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#current?.isUsable(address.target.idleTimeout ?? standardIdle)) return this.#current;
      this.#current?.close();
      this.#current = undefined;
      const pause = this.#notBefore - clock.uptime();
      if (pause > 0) await sleep(clock, pause, signal);
      else await unlessAborted(this.#connect(), signal);
    }
  }

  /** Begins no more connections, and closes the present one when its calls have ended. */
  close(): void {
    this.#closed.abort();
    this.#current?.close();
  }

  /** The attempt that runs, or a new one. Never rejects. */
  #connect(): Promise<void> {
    this.#attempt ??= this.#try().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #try(): Promise<void> {
    const { address, clock, random, onConnected } = this.#options;
    try {
      const connection = await connect(address, clock, this.#closed.signal);
      if (this.#closed.signal.aborted) {
        connection.close();
        return;
      }
      this.#current = connection;
      this.#pause = firstPause;
      onConnected();
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
      this.#notBefore = clock.uptime() + jitter(random, this.#pause, 0.2);
      this.#pause = Math.min(2 * this.#pause, longestPause);
    }
  }
}

function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason);
    signal.addEventListener("abort", give, { once: true });
    void promise.then(() => {
      signal.removeEventListener("abort", give);
      resolve();
    });
  });
}
