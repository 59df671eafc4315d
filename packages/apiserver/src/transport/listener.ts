// Sockets: HTTP or HTTPS on a loopback address. Turns messages into requests and answers into messages; decides nothing.
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Clock } from "@telltale/clock";
import type { ApiRequest, ApiResponse, Sink, Upgrade, User } from "../request.ts";
import { tooLarge } from "../status.ts";
import { unlessGone } from "./pace.ts";
import { handshake, WebSocketConnection } from "./websocket.ts";

export interface Tls {
  readonly cert: string;
  readonly key: string;
  /** Whose client certificates count. */
  readonly ca: string;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: Tls | undefined;
  readonly maxBody: number;
  /** How long a client may take to send a request, and how long an answer may wait for its reader. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
}

export interface Listener {
  readonly port: number;
  /** Stops listening and closes what is idle; resolves when the last request is answered or the patience is over. */
  close(): Promise<void>;
  /** Cuts every connection. */
  cut(): void;
}

const compress = promisify(gzip);
const compressAbove = 128 * 1024;
/** A watcher that does not read is let go at this point; it can come back and resume. */
const maxBuffered = 8 * 1024 * 1024;

export async function listen(options: ListenerOptions): Promise<Listener> {
  let isClosing = false;
  const serve: RequestListener = (message, response) => {
    // A connection that was busy when the server stopped listening is of no more use afterwards.
    response.once("close", () => isClosing && server.closeIdleConnections());
    answer(options, message, response).catch(() => response.destroy()); // cut on purpose, or by a client that is gone
  };
  const settings = {
    keepAliveTimeout: 120_000,
    // Until a request is there as a whole: neither ends what is long once it is asked for, as watches, exec and logs.
    headersTimeout: options.patienceMs,
    requestTimeout: options.patienceMs,
    connectionsCheckingInterval: Math.min(options.patienceMs, 5_000),
    maxHeaderSize: 64 * 1024,
    noDelay: true,
    // Anything else that a client would like to speak is ignored, as HTTP allows.
    shouldUpgradeCallback: wantsWebSocket,
  };
  const server: Server =
    options.tls === undefined
      ? createHttp(settings, serve)
      : createHttps({ ...settings, ...options.tls, requestCert: true, rejectUnauthorized: false }, serve);
  server.timeout = 0;
  const upgraded = new Set<Duplex>();
  server.on("upgrade", (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    socket.on("error", () => socket.destroy());
    upgrade(options, message, socket, head).catch(() => socket.destroy());
  });
  // What is no HTTP request is told so in the words of Go's server.
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : "400 Bad Request";
    const headers = "content-type: text/plain; charset=utf-8\r\nconnection: close";
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${status}`);
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    cut: () => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy(); // those the server has let go of
    },
  };
}

const wantsWebSocket = ({ headers }: IncomingMessage): boolean => /^websocket$/i.test(headers.upgrade ?? "");

/** A request to become a WebSocket: it does, or is answered like any other. */
async function upgrade(
  options: ListenerOptions,
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  const result = await options.handle({
    ...requestOf(message, gone.signal),
    body: new Uint8Array(),
    ...(wantsWebSocket(message) ? { upgrade: "websocket" } : {}),
  });
  let answer = result;
  if (isUpgrade(result.body)) {
    const agreed = handshake(message.headers, result.body.protocol);
    if ("lines" in agreed) {
      const audit = `Audit-Id: ${result.headers["audit-id"] ?? ""}`;
      socket.write([...agreed.lines, audit, "", ""].join("\r\n"));
      result.body.open(new WebSocketConnection(socket, head, options.clock));
      return;
    }
    answer = badHandshake(agreed.refused);
  }
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  // A socket that is not one of the network cannot come from a listener.
  response.assignSocket(socket as Socket);
  response.once("finish", () => socket.end());
  await send(message, response, answer, gone.signal);
}

const badHandshake = (why: string): ApiResponse => ({
  status: 400,
  headers: { "content-type": "text/plain; charset=utf-8", "sec-websocket-version": "13" },
  body: `${why}\n`,
});

function isUpgrade(body: ApiResponse["body"]): body is Upgrade {
  return typeof body === "object" && "protocol" in body;
}

async function answer(options: ListenerOptions, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const request = requestOf(message, gone.signal);
  if (!(message.url ?? "").startsWith("/")) {
    response
      .writeHead(400, { "content-type": "text/plain; charset=utf-8", connection: "close" })
      .end("400 Bad Request");
    return;
  }
  let body: Uint8Array | undefined;
  try {
    body = await readBody(message, options.maxBody);
  } catch {
    return; // the client went away in the middle of its request
  }
  const result = body === undefined ? refuseBody(options.maxBody) : await options.handle({ ...request, body });
  await send(message, response, result, gone.signal);
  // Only what is long may wait for its reader for ever.
  if (response.writableEnded && message.socket.writableLength > 0)
    response.setTimeout(options.patienceMs, () => response.destroy());
}

/** To be made before anything is awaited: a closed socket knows no certificate. */
function requestOf(message: IncomingMessage, signal: AbortSignal): Omit<ApiRequest, "body"> {
  const peer = certifiedPeer(message);
  return {
    method: message.method ?? "GET",
    url: message.url ?? "/",
    headers: flatten(message.headers),
    signal,
    ...(peer === undefined ? {} : { peer }),
  };
}

function refuseBody(max: number): ApiResponse {
  const status = tooLarge(`limit is ${max}`);
  return {
    status: status.code,
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify(status.body()),
  };
}

/** The body, or undefined when it is longer than allowed. By events: iterating costs a tenth of a small request. */
function readBody(message: IncomingMessage, max: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= max) chunks.push(chunk);
      else resolve(undefined);
    });
    message.once("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    message.once("error", reject);
    message.once("close", () => reject(new Error("the client went away"))); // after the end this says nothing any more
  });
}

function flatten(headers: IncomingMessage["headers"]): Record<string, string | undefined> {
  const out: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) out[name] = Array.isArray(value) ? value.join(", ") : value;
  return out;
}

/** Who a client certificate of ours names: CN is the user, each O a group. */
function certifiedPeer(message: IncomingMessage): User | undefined {
  const socket = message.socket as Partial<TLSSocket>;
  if (socket.authorized !== true || socket.getPeerCertificate === undefined) return undefined;
  const subject = socket.getPeerCertificate()?.subject as { CN?: string; O?: string | string[] } | undefined;
  if (subject?.CN === undefined) return undefined;
  const groups = subject.O === undefined ? [] : Array.isArray(subject.O) ? subject.O : [subject.O];
  return { username: subject.CN, uid: "", groups: [...groups, "system:authenticated"], extra: {} };
}

async function send(
  message: IncomingMessage,
  response: ServerResponse,
  result: ApiResponse,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted) return;
  if (typeof result.body === "function") {
    response.writeHead(result.status, result.headers);
    response.flushHeaders(); // clients wait for the headers before they wait for events
    const stop = result.body(socketSink(response));
    gone.addEventListener("abort", stop, { once: true });
    return;
  }
  if (isUpgrade(result.body)) throw new Error("a connection can only become what its client asked for");
  if (typeof result.body === "object" && Symbol.asyncIterator in result.body) {
    response.writeHead(result.status, result.headers);
    response.flushHeaders();
    await pour(result.body, response, gone);
    return;
  }
  let body: string | Uint8Array = result.body;
  const headers = result.headers;
  if (body.length > compressAbove && /\bgzip\b/.test(message.headers["accept-encoding"] ?? "")) {
    body = await compress(body, { level: constants.Z_BEST_SPEED });
    headers["content-encoding"] = "gzip";
    headers["vary"] = "Accept-Encoding";
  }
  headers["content-length"] = String(Buffer.byteLength(body));
  response.writeHead(result.status, headers);
  if (result.cutAfter !== undefined) {
    response.write(Buffer.from(body).subarray(0, result.cutAfter), () => response.destroy());
    return;
  }
  response.end(message.method === "HEAD" ? undefined : body);
}

/** A stream at the pace of its reader. One that breaks off is not made to look complete. */
async function pour(chunks: AsyncIterable<Uint8Array>, response: ServerResponse, gone: AbortSignal): Promise<void> {
  for await (const chunk of unlessGone(chunks, gone)) {
    if (response.write(chunk) || gone.aborted) continue;
    await new Promise<void>((resolve) => {
      response.once("drain", resolve);
      response.once("close", resolve);
    });
  }
  response.end();
}

function socketSink(response: ServerResponse): Sink {
  return {
    write(chunk) {
      const { socket } = response;
      // Past `response.write`, which makes four writes of each chunk: a quarter of the work of telling a thousand watchers.
      if (response.chunkedEncoding && response.headersSent && socket !== null) socket.write(framed(chunk));
      else response.write(chunk);
      if (response.writableLength <= maxBuffered) return true;
      response.destroy();
      return false;
    },
    end: () => response.end(),
  };
}

let last = { chunk: "", frame: Buffer.alloc(0) };

/** A chunk as HTTP sends it. All watchers get an event one after another, so the first one pays. */
function framed(chunk: string): Buffer {
  if (chunk === last.chunk) return last.frame;
  const size = Buffer.byteLength(chunk).toString(16);
  last = { chunk, frame: Buffer.from(`${size}\r\n${chunk}\r\n`) };
  return last.frame;
}
