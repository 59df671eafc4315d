// One HTTP/2 connection to a provider, from the moment at which the provider said its settings. It is pinged only while calls are
// under way: a provider hangs up on whoever pings for nothing.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as http2,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { SecureContext } from "node:tls";
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Target } from "./wire.ts";

export interface Address {
  /** `https://host:port`, or http. */
  readonly origin: string;
  readonly target: Target;
  /** Absent: plaintext. */
  readonly context?: SecureContext;
}

/** After so long without a word while a call is under way, and how long the answer may take. */
const pingEvery: Ms = 30_000;
const pingAnswer: Ms = 10_000;
const pingLost = `no answer to a ping within ${pingAnswer / 1000} s`;

/** Opens one, or throws why it cannot be. */
export function connect({ origin, target, context }: Address, clock: Clock, signal: AbortSignal): Promise<Connection> {
  const secure =
    context === undefined
      ? {}
      : {
          secureContext: context,
          servername: target.serverName,
          rejectUnauthorized: target.insecureSkipVerify !== true,
        };
  return new Promise((resolve, reject) => {
    const session = http2(origin, { ...secure, minVersion: "TLSv1.3" });
    const fail = (error: Error) => {
      over();
      session.on("error", () => {}); // it says the same once more while it is destroyed
      session.destroy();
      reject(error);
    };
    const closed = () => fail(new Error("the connection was closed before the provider said anything"));
    const aborted = () => fail(new Error("the connection is no longer wanted"));
    const late = `no answer within ${target.connectTimeout / 1000} s`;
    const timer = clock.after(target.connectTimeout, () => fail(new Error(late)));
    const over = () => {
      timer.cancel();
      session.off("error", fail).off("close", closed).off("remoteSettings", ready);
      signal.removeEventListener("abort", aborted);
    };
    // Only now it is known that this is HTTP/2, and, with TLS 1.3, that our certificate was taken.
    const ready = () => {
      over();
      resolve(new Connection(session, clock));
    };
    session.once("error", fail).once("close", closed).once("remoteSettings", ready);
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) aborted();
  });
}

export class Connection {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  #calls = 0;
  /** When the provider was last heard, and when the last call ended. */
  #heard: Ms;
  #used: Ms;
  #timer: Timer | undefined;
  #lost: string | undefined;

  constructor(session: ClientHttp2Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#heard = this.#used = clock.uptime();
    session.on("error", (error) => {
      this.#lost ??= error.message;
    });
    session.on("goaway", (code, _last, data) => {
      if (code !== 0) this.#lost ??= `the provider hung up: ${data?.toString("latin1") || `HTTP/2 error ${code}`}`;
    });
    session.on("close", () => {
      this.#timer?.cancel();
    });
    session.unref(); // a connection without calls keeps no process alive
  }

  /** Whether a call may begin here. What nobody used for long is not trusted: who is between may have forgotten it. */
  isUsable(idle: Ms): boolean {
    if (this.#session.closed || this.#session.destroyed) return false;
    return this.#calls > 0 || this.#clock.uptime() - this.#used < idle;
  }

  /** Why the connection is no more. */
  get lost(): string | undefined {
    return this.#lost ?? (this.#session.destroyed ? "the connection was closed" : undefined);
  }

  /** Begins a request, or throws because the connection takes none any more. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers);
    this.#calls += 1;
    if (this.#calls === 1) {
      this.#session.ref();
      this.#heard = this.#clock.uptime();
      this.#watch(pingEvery);
    }
    stream.once("close", () => {
      this.#calls -= 1;
      this.#used = this.#clock.uptime();
      if (this.#calls > 0) return;
      this.#timer?.cancel();
      this.#session.unref();
    });
    return stream;
  }

  /** Something came. */
  heard(): void {
    this.#heard = this.#clock.uptime();
  }

  /** Begins no more calls, and ends when those under way have ended. */
  close(): void {
    this.#session.close();
  }

  #watch(wait: Ms): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(wait, () => {
      const silent = this.#clock.uptime() - this.#heard;
      if (silent < pingEvery) this.#watch(pingEvery - silent);
      else this.#ping();
    });
  }

  #ping(): void {
    if (this.#session.destroyed) return;
    this.#timer = this.#clock.after(pingAnswer, () => {
      this.#lost ??= pingLost;
      this.#session.destroy(new Error(pingLost));
    });
    this.#session.ping((error) => {
      if (error !== null || this.#calls === 0) return; // the connection ended, or nobody waits any more
      this.heard();
      this.#watch(pingEvery);
    });
  }
}
