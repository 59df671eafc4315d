// A wire over gRPC: one HTTP/2 connection that calls share, and one more for each long call. It decides nothing about what to ask
// or when to ask again.
import { type ClientHttp2Stream, constants } from "node:http2";
import { createSecureContext } from "node:tls";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Clock, Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Log } from "@telltale/runtime";
import { type Answer, type Ask, type AskOptions, type Method, type Request, service } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { Channel } from "./channel.ts";
import type { Address, Connection } from "./connection.ts";
import { type Ended, rpcErrorFrom, unconnected } from "./errors.ts";
import type { Dial, Target, Wire } from "./wire.ts";

export interface GrpcOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The largest answer that is read: `ListVMs` of a large installation. */
const largest = 16 * 2 ** 20;

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

  async #call<M extends Method>(channel: Channel, method: M, request: Request<M>, options: AskOptions) {
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
        throw rpcErrorFrom(outcome.error, { ended, lost: connection.lost, isUnsent: outcome.isUnsent });
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

type Outcome<M extends Method> =
  | { readonly is: "answered"; readonly answer: Answer<M> }
  /** Untaken: the connection did not take it, and another one may. Unsent: nothing of it was done. */
  | { readonly is: "failed"; readonly error: unknown; readonly isUntaken: boolean; readonly isUnsent: boolean };

/** A connection knows where it goes: what the library asks for here is not looked at. */
const base = "http://provider";

/** One request and its answer on one connection. */
async function exchange<M extends Method>(
  connection: Connection,
  method: M,
  request: Request<M>,
  timeout: Ms,
  signal: AbortSignal,
): Promise<Outcome<M>> {
  let stream: ClientHttp2Stream | undefined;
  let isTurnedAway = false;
  const transport = createGrpcTransport({
    baseUrl: base,
    acceptCompression: [],
    readMaxBytes: largest,
    sessionManager: {
      authority: base,
      async request(verb, path, headers) {
        try {
          stream = connection.request({ ...headers, ":method": verb, ":path": path });
          return stream;
        } catch (error) {
          isTurnedAway = true;
          throw error;
        }
      },
      notifyResponseByteRead: () => connection.heard(),
    },
  });
  const descriptor: DescMethodUnary = service.method[method];
  const header = { "grpc-timeout": timeoutText(timeout), "user-agent": "telltale-virtrigaud" };
  try {
    const { message } = await transport.unary(descriptor, signal, undefined, header, request);
    return { is: "answered", answer: message as Answer<M> };
  } catch (error) {
    const isUntaken = isTurnedAway || stream?.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    return { is: "failed", error, isUntaken, isUnsent: isUntaken || stream?.id === undefined };
  }
}

/** At most eight digits, says gRPC. */
const timeoutText = (ms: Ms): string => (ms < 1e8 ? `${ms}m` : `${Math.min(Math.ceil(ms / 1000), 99_999_999)}S`);

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
