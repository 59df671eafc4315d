// A wire over gRPC: one HTTP/2 connection that calls share, and one more for each long call. It decides nothing about what to ask
// or when to ask again.
import { createSecureContext } from "node:tls";
import type { Clock, Random } from "@telltale/clock";
import type { Log } from "@telltale/runtime";
import type { Answer, Ask, AskOptions, Method, Request } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { Channel } from "./channel.ts";
import type { Address } from "./connection.ts";
import { type Ended, rpcErrorFrom, unconnected } from "./errors.ts";
import { exchange } from "./exchange.ts";
import type { Dial, Target, Wire } from "./wire.ts";

export interface GrpcOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A request that a connection did not take is given to the next one. */
const mostTries = 3;

export function grpcDial(options: GrpcOptions): Dial {
  return (target) => new GrpcWire(target, options);
}

class GrpcWire implements Wire {
  readonly #target: Target;
  readonly #options: GrpcOptions;
  /** Or why there never will be a connection. */
  readonly #address: Address | RpcError;
  readonly #shared: Channel | undefined;
  readonly #closed = new AbortController();

  constructor(target: Target, options: GrpcOptions) {
    this.#target = target;
    this.#options = options;
    this.#address = addressOf(target);
    if (!(this.#address instanceof RpcError)) this.#shared = this.#channel(this.#address);
  }

  readonly ask: Ask = async (method, request, options) => {
    if (this.#address instanceof RpcError) throw this.#address;
    if (options.isLong !== true && this.#shared !== undefined)
      return this.#call(this.#shared, method, request, options);
    // The provider closes each connection at a certain age: a long call begins on a new one.
    const own = this.#channel(this.#address);
    try {
      return await this.#call(own, method, request, options);
    } finally {
      own.close();
    }
  };

  close(): void {
    this.#closed.abort();
    this.#shared?.close();
  }

  #channel(address: Address): Channel {
    const { clock, random, log } = this.#options;
    const { endpoint, tls, insecureSkipVerify } = this.#target;
    const onConnected = () => {
      if (tls === undefined || insecureSkipVerify !== true) return;
      log.warn("a provider's certificate is not verified, because insecureSkipVerify is set", { endpoint });
    };
    return new Channel({ address, clock, random, onConnected });
  }

  async #call<M extends Method>(
    channel: Channel,
    method: M,
    request: Request<M>,
    options: AskOptions,
  ): Promise<Answer<M>> {
    const { clock } = this.#options;
    const limit = this.#limit(options);
    try {
      for (let tries = 1; ; tries += 1) {
        const connection = await channel.ready(limit.waiting).catch(() => {
          throw unconnected(limit.ended() ?? "closed", this.#target.endpoint, channel.trouble);
        });
        const timeout = Math.max(1, Math.ceil(limit.until - clock.uptime()));
        const outcome = await exchange(connection, method, request, timeout, limit.calling);
        if (outcome.is === "answered") return outcome.answer;
        const ended = limit.ended();
        if (outcome.isUntaken && ended === undefined && tries < mostTries) continue;
        throw rpcErrorFrom(outcome.error, { ...outcome, ended, lost: connection.lost });
      }
    } finally {
      limit.over();
    }
  }

  /** What ends a call. Closing the wire ends only the wait for a connection. */
  #limit({ deadline, signal }: AskOptions) {
    const [waiting, calling] = [new AbortController(), new AbortController()];
    const closed = this.#closed.signal;
    let ended: Ended | undefined;
    const end = (why: Ended) => {
      ended ??= why;
      waiting.abort();
      calling.abort();
    };
    const onAbort = () => end("caller");
    const onClosed = () => waiting.abort();
    const timer = this.#options.clock.after(deadline, () => end("deadline"));
    signal?.addEventListener("abort", onAbort, { once: true });
    closed.addEventListener("abort", onClosed, { once: true });
    if (signal?.aborted === true) onAbort();
    if (closed.aborted) onClosed();
    return {
      until: this.#options.clock.uptime() + deadline,
      waiting: waiting.signal,
      calling: calling.signal,
      ended: () => ended,
      over() {
        timer.cancel();
        signal?.removeEventListener("abort", onAbort);
        closed.removeEventListener("abort", onClosed);
      },
    };
  }
}

function addressOf(target: Target): Address | RpcError {
  const { endpoint, tls } = target;
  if (!/^[^\s/@?#]+:\d{1,5}$/.test(endpoint)) {
    return new RpcError("UNAVAILABLE", `${JSON.stringify(endpoint)} is no host:port`, { isUnsent: true });
  }
  if (tls === undefined) return { origin: `http://${endpoint}`, target };
  try {
    const { cert, key, ca } = tls;
    return {
      origin: `https://${endpoint}`,
      target,
      context: createSecureContext({ cert, key, ca, minVersion: "TLSv1.3" }),
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new RpcError("UNAUTHENTICATED", `the provider's TLS Secret cannot be used: ${why}`, {
      cause,
      isUnsent: true,
    });
  }
}
