// The real adapter of the port: HTTP straight to a pod. No proxy of the environment is used.
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Unreachable } from "./outcome.ts";
import { maxAnswer, Unreached, type Wire, type WireAnswer, type WireRequest } from "./wire.ts";

export interface HttpWireOptions {
  readonly clock: Clock;
  /** Until there is a connection. Default: 5 s. */
  readonly connectTimeout?: Ms;
}

export interface HttpWire extends Wire {
  /** Ends the connections that are kept. */
  close(): void;
}

export function httpWire({ clock, connectTimeout = 5_000 }: HttpWireOptions): HttpWire {
  // An agent of our own: the global one may have been given the environment's proxy.
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    send: (request, signal) => exchange(request, signal, agent, clock, connectTimeout),
    close: () => agent.destroy(),
  };
}

function exchange(
  { endpoint, method, path, headers, body }: WireRequest,
  signal: AbortSignal,
  agent: Agent,
  clock: Clock,
  connectTimeout: Ms,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const place = placeOf(endpoint);
    if (place === undefined) {
      reject(new Unreached("name not found"));
      return;
    }
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = httpRequest({ ...place, agent, method, path, headers: { ...headers, ...length }, signal });
    const timer = clock.after(connectTimeout, () => sent.destroy(new Unreached("timeout")));
    const fail = (error: unknown) => {
      timer.cancel();
      reject(signal.aborted ? signal.reason : unreachedOf(error));
    };
    sent.once("socket", (socket) => {
      if (socket.connecting) socket.once("connect", () => timer.cancel());
      else timer.cancel();
    });
    sent.once("error", fail);
    sent.once("response", (response) => {
      collect(response).then(resolve, fail);
    });
    sent.end(body);
  });
}

/** `10.0.0.1:8080`, `[::1]:8080`. */
function placeOf(endpoint: string): { readonly host: string; readonly port: number } | undefined {
  const [, six, four, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(endpoint) ?? [];
  const host = six ?? four;
  return host === undefined ? undefined : { host, port: Number(port) };
}

async function collect(response: IncomingMessage): Promise<WireAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswer) {
      response.destroy();
      throw new Unreached("malformed");
    }
    parts.push(chunk);
  }
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(parts).toString("utf8") };
}

const classes: Readonly<Record<string, Unreachable>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  ERR_STREAM_PREMATURE_CLOSE: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "timeout",
  ENOTFOUND: "name not found",
  EAI_AGAIN: "name not found",
  EHOSTUNREACH: "no route",
  ENETUNREACH: "no route",
  EADDRNOTAVAIL: "no route",
  EPROTO: "TLS error",
};

/** By the error's code: what its message says may hold anything. */
export function unreachedOf(error: unknown): Unreached {
  if (error instanceof Unreached) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return new Unreached(code.startsWith("HPE_") ? "malformed" : (classes[code] ?? "failed"));
}
