// The HTTPS shell around a table of handlers: bytes in, bytes out, limits of size and time, and a certificate that changes
// while it runs. It decides nothing.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { type Log, silentLog } from "../log.ts";
import type { Answer } from "./answer.ts";
import type { CertificateFeed } from "./certificate-feed.ts";
import type { Webhooks } from "./webhooks.ts";

export type WebhookServerOptions =
  /** Nothing is opened, and no certificate needed. */
  | { readonly listen: false }
  | {
      readonly listen?: {
        /** Default: all addresses. */ readonly host?: string /** Default: 9443. */;
        readonly port?: number;
      };
      readonly hooks: Pick<Webhooks, "handle" | "refuse">;
      readonly certificates: CertificateFeed;
      readonly clock: Clock;
      readonly log?: Log;
      /** How long to wait for the first certificate. Default: 2 minutes; 0: for ever. */
      readonly wait?: Ms;
      /** Ends the wait for it. A server that listens is closed by `close`. */
      readonly signal?: AbortSignal;
      /** How long requests under way may take once the server closes. Default: 5 s. */
      readonly grace?: Ms;
    };

export interface WebhookServer {
  /** Undefined without a listener. */
  readonly port: number | undefined;
  /** Ends listening, answers what is under way, and resolves when the last connection is closed. */
  close(): Promise<void>;
}

const maxBody = 16 * 2 ** 20;
const patience: Ms = 5_000;

export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  if (options.listen === false) return { port: undefined, close: async () => {} };
  const { listen = {}, hooks, certificates, clock, log = silentLog, wait = 120_000, grace = 5_000 } = options;
  await firstCertificate(certificates, clock, wait, options.signal);

  let closing = false;
  const server = createServer(
    {
      minVersion: "TLSv1.2",
      handshakeTimeout: patience,
      headersTimeout: patience,
      connectionsCheckingInterval: 1_000,
      requestTimeout: 0, // the body has a timer of its own, by our clock
      keepAliveTimeout: 120_000, // longer than Go's clients keep a connection, so that none is cut under a request
    },
    (request, response) => {
      answer(request, hooks, clock).then(
        (made) => send(response, made, closing || !request.complete),
        () => response.destroy(), // the caller went away
      );
    },
  );
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    else socket.destroy();
  });
  server.on("tlsClientError", (error) => log.debug("a TLS handshake failed", { error: error.message }));
  // Each new connection gets the present certificate; those that are open go on with theirs.
  const unfollow = certificates.follow(({ cert, key }) =>
    server.setSecureContext({ cert, key, minVersion: "TLSv1.2" }),
  );
  try {
    await opened(server, listen.port ?? 9443, listen.host);
  } catch (error) {
    unfollow();
    throw error;
  }
  server.on("error", (error) => log.error("the webhooks' listener has trouble", { error: error.message }));
  const { port } = server.address() as AddressInfo;
  log.info("webhooks are served", { port });
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        closing = true;
        unfollow();
        const cut = clock.after(grace, () => server.closeAllConnections());
        server.close(() => {
          cut.cancel();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function opened(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function firstCertificate(certificates: CertificateFeed, clock: Clock, wait: Ms, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (certificates.current() !== undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const over = () => {
      timer?.cancel();
      unfollow();
      signal?.removeEventListener("abort", ended);
    };
    const ended = () => {
      over();
      reject(signal?.reason);
    };
    const give = () => {
      over();
      const why = certificates.trouble() ?? "it is still looked for";
      reject(new Error(`webhooks are not served: there is no certificate after ${wait} ms: ${why}`));
    };
    const timer = wait === 0 ? undefined : clock.after(wait, give);
    const unfollow = certificates.follow(() => {
      over();
      resolve();
    });
    signal?.addEventListener("abort", ended);
  });
}

async function answer(
  request: IncomingMessage,
  hooks: Pick<Webhooks, "handle" | "refuse">,
  clock: Clock,
): Promise<Answer> {
  const path = (request.url ?? "/").replace(/[?#].*$/s, "");
  const refuse = (code: number, message: string) => hooks.refuse(path, code, `${path}: ${message}`);
  const body = await readBody(request, clock);
  if (body === "too large") return refuse(413, `the body is longer than ${maxBody} bytes`);
  if (body === "too slow") return refuse(408, `the body did not arrive within ${patience} ms`);
  if (request.method !== "POST") return refuse(405, `${request.method} is not allowed; reviews are sent by POST`);
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") return refuse(415, `"${type}" is not understood; send application/json`);
  const coding = request.headers["content-encoding"] ?? "identity";
  if (coding !== "identity") return refuse(415, `content encoding "${coding}" is not understood; send none`);
  return hooks.handle(path, body);
}

/** What is too large is read to its end and thrown away: a caller that is cut off while sending never sees the answer. */
function readBody(request: IncomingMessage, clock: Clock): Promise<Buffer | "too large" | "too slow"> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const end = (how: "all" | "late") => {
      timer.cancel();
      resolve(size > maxBody ? "too large" : how === "late" ? "too slow" : Buffer.concat(chunks));
    };
    const timer = clock.after(patience, () => end("late"));
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
      else chunks = [];
    });
    request.once("end", () => end("all"));
    request.once("close", () => {
      timer.cancel();
      reject(new Error("the caller went away")); // after the end this says nothing any more
    });
  });
}

function send(response: ServerResponse, { status, body }: Answer, last: boolean): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
    ...(status === 405 ? { allow: "POST" } : {}),
    // Also where the rest of the body has yet to come: nobody waits for it.
    ...(last ? { connection: "close" } : {}),
  });
  response.end(bytes);
}
