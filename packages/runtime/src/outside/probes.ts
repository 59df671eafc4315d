// What Kubernetes and Prometheus ask a process: `/healthz`, `/readyz` and `/metrics`. `answer` decides, the server below it
// only carries.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

/** Something that can be wrong. Each function says what is, or undefined when nothing is. */
export interface Check {
  readonly name: string;
  /** Wrong: a restart would help. */
  readonly live?: () => string | undefined;
  /** Wrong: do not send work here yet. */
  readonly ready?: () => string | undefined;
}

/** What is served. A path without anything behind it is not there. */
export interface Served {
  readonly checks?: () => readonly Check[];
  readonly metrics?: { text(): Promise<string>; readonly contentType: string };
}

export interface ProbeOptions extends Served {
  /** Default host: 127.0.0.1. In a pod: 0.0.0.0, as the kubelet comes from outside. Port 0: any free one. */
  readonly listen: "off" | { readonly port: number; readonly host?: string };
  readonly clock: Clock;
}

export interface Probes {
  /** Undefined when it is off. */
  readonly address?: { readonly host: string; readonly port: number };
  /** Takes no more requests, and waits for those under way, but not for long. */
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What to say to a request. Never rejects. */
export async function answer(method: string, url: string, served: Served): Promise<Answer> {
  if (method !== "GET" && method !== "HEAD")
    return plain(405, "only GET and HEAD are answered\n", { allow: "GET, HEAD" });
  const [path = "", query = ""] = url.split("?", 2);
  const verbose = /(?:^|&)verbose(?:[=&]|$)/.test(query);
  if (path === "/healthz" && served.checks) return verdict("healthz", served.checks, "live", verbose);
  if (path === "/readyz" && served.checks) return verdict("readyz", served.checks, "ready", verbose);
  if (path === "/metrics" && served.metrics) {
    try {
      return plain(200, await served.metrics.text(), { "content-type": served.metrics.contentType });
    } catch (error) {
      return plain(500, `the metrics could not be read: ${textOf(error)}\n`);
    }
  }
  return plain(404, "not here; there are /healthz, /readyz and /metrics, as far as they are served\n");
}

/** As kube-apiserver says it: one line for each check when asked for, or when one fails. */
function verdict(name: string, checks: () => readonly Check[], of: "live" | "ready", verbose: boolean): Answer {
  const lines = results(checks, of).map(({ check, wrong }) => ({
    wrong,
    line: wrong === undefined ? `[+]${check} ok\n` : `[-]${check} failed: ${wrong}\n`,
  }));
  const list = lines.map(({ line }) => line).join("");
  if (lines.some(({ wrong }) => wrong !== undefined)) return plain(500, `${list}${name} check failed\n`);
  return plain(200, verbose ? `${list}${name} check passed\n` : "ok");
}

function results(checks: () => readonly Check[], of: "live" | "ready"): { check: string; wrong: string | undefined }[] {
  const asked = (call: () => string | undefined): string | undefined => {
    try {
      return call();
    } catch (error) {
      return `the check itself failed: ${textOf(error)}`;
    }
  };
  let list: readonly Check[] = [];
  const wrong = asked(() => {
    list = checks();
    return undefined;
  });
  if (wrong !== undefined) return [{ check: "checks", wrong }];
  return list.flatMap((check) => (check[of] === undefined ? [] : [{ check: check.name, wrong: asked(check[of]) }]));
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function plain(status: number, body: string, more: Readonly<Record<string, string>> = {}): Answer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...more };
  return { status, headers, body };
}

/** How long a client may take to ask, and a close to come to its end. */
const patience: Ms = 5_000;

export async function startProbes(options: ProbeOptions): Promise<Probes> {
  if (options.listen === "off") return { close: async () => {} };
  const { port, host = "127.0.0.1" } = options.listen;
  const server = createServer({
    requestTimeout: patience,
    headersTimeout: patience,
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = 128;
  server.on("request", (request, response) => void respond(request, response, options));
  server.on("clientError", (_error, socket) => refuse(socket as Socket));
  const address = await listening(server, port, host);
  return {
    address: { host: address.address, port: address.port },
    close: () =>
      new Promise((resolve) => {
        const timer = options.clock.after(patience, () => server.closeAllConnections());
        server.close(() => {
          timer.cancel();
          resolve();
        });
      }),
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const { status, headers, body } = await answer(request.method ?? "", request.url ?? "", served);
  response.on("error", () => {}); // whoever asked is gone
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body), "cache-control": "no-store" });
  response.end(body); // to a HEAD, `node:http` sends the headers only
}

/** What came is not HTTP. */
function refuse(socket: Socket): void {
  if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  else socket.destroy();
}

function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "somebody else listens there; choose another port" : cause.message;
      reject(new Error(`probes cannot listen on ${host}:${port}: ${why}`, { cause }));
    };
    server.once("error", fail);
    server.listen({ port, host }, () => {
      server.off("error", fail);
      server.on("error", () => {}); // such as no descriptors left for one more connection: the others go on
      resolve(server.address() as AddressInfo);
    });
  });
}
