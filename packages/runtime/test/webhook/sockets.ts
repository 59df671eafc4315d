// A TLS client for the webhook server's tests: one that believes one authority, and one that says anything.
import { once } from "node:events";
import { Agent, type RequestOptions, request } from "node:https";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { turn, type VirtualClock } from "@telltale/clock";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Caller {
  post(path: string, body: string | Uint8Array, options?: RequestOptions): Promise<Reply>;
  /** Serial numbers of the certificates that its connections have seen, in order. */
  readonly seen: string[];
  close(): void;
}

/** Keeps one connection open, as an API server does. */
export function caller(port: () => number, ca: () => string): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: string[] = [];
  return {
    seen,
    close: () => agent.destroy(),
    post: (path, body, options = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            host: "127.0.0.1",
            port: port(),
            path,
            method: "POST",
            agent,
            ca: ca(),
            headers: { "content-type": "application/json" },
            ...options,
          },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on("data", (chunk: Buffer) => chunks.push(chunk));
            answer.once("error", reject);
            answer.once("end", () =>
              resolve({
                status: answer.statusCode ?? 0,
                headers: answer.headers,
                body: Buffer.concat(chunks).toString("utf8"),
              }),
            );
          },
        );
        sent.once("socket", (socket) => {
          if (!socket.connecting) return;
          socket.once("secureConnect", () => seen.push((socket as TLSSocket).getPeerCertificate().serialNumber));
        });
        sent.once("error", reject);
        sent.end(body);
      }),
  };
}

/** A connection on which anything can be said. */
export async function raw(port: number, ca: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, ca, ...options });
  await once(socket, "secureConnect");
  return socket;
}

/** Everything that comes until the connection ends. */
export async function rest(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, "close");
  return Buffer.concat(chunks).toString("utf8");
}

/** Until somebody waits for the clock to move: what was sent over a socket has arrived. */
export async function armed(clock: VirtualClock): Promise<void> {
  while (clock.next() === undefined) await turn();
}
