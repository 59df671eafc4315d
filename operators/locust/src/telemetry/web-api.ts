// The port to a master's web API, and its real adapters: straight to the address, or through the API server. One GET, nothing
// else: no redirect is followed, no proxy of the environment is used, no connection is kept, and no body grows without end.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { ConnectionError, type Transport } from "@telltale/client";
import type { Telemetry } from "../config.ts";
import type { Target } from "./target.ts";
import { Unread } from "./trouble.ts";

export interface WebApi {
  /** Rejects with `Unread` where there is no answer, or with the signal's reason. */
  read(target: Target, signal: AbortSignal): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  /** The content type; empty where there is none. */
  readonly type: string;
  /** Only of a 200. */
  readonly body: string;
}

type Limits = Pick<Telemetry, "maxBody" | "tlsInsecure">;

/** `transport` leads to the API server, for targets behind its proxy. */
export function webApi(limits: Limits, transport: Transport): WebApi {
  return {
    read: (target, signal) =>
      target.at === "proxy"
        ? throughServer(transport, target.path, signal, limits)
        : direct(target.url, signal, limits),
  };
}

const headers = { accept: "application/json", "accept-encoding": "identity" };

function direct(url: string, signal: AbortSignal, { maxBody, tlsInsecure }: Limits): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const isTls = url.startsWith("https:");
    const options = { method: "GET", headers: { ...headers, connection: "close" }, signal };
    // Agents of our own: the global ones may have been given the environment's proxy.
    const sent = isTls
      ? httpsRequest(url, { ...options, agent: new HttpsAgent(), rejectUnauthorized: !tlsInsecure })
      : httpRequest(url, { ...options, agent: new HttpAgent() });
    const fail = (error: unknown) => reject(signal.aborted ? signal.reason : unreadOf(error));
    sent.once("error", fail);
    sent.once("response", (response) => {
      collect(response, maxBody).then(resolve, fail);
    });
    sent.end();
  });
}

async function collect(response: IncomingMessage, maxBody: number): Promise<Answer> {
  const { statusCode: status = 0 } = response;
  const type = response.headers["content-type"] ?? "";
  try {
    return { status, type, body: status === 200 ? await bounded(response, maxBody) : "" };
  } finally {
    response.destroy();
  }
}

async function throughServer(
  transport: Transport,
  path: string,
  signal: AbortSignal,
  { maxBody }: Limits,
): Promise<Answer> {
  try {
    const response = await transport.send({ method: "GET", path, headers, signal });
    const type = String(response.headers["content-type"] ?? "");
    const chunks = response.chunks();
    const body = await (response.status === 200 ? bounded(chunks, maxBody) : dropped(chunks));
    return { status: response.status, type, body };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof ConnectionError
      ? new Unread("MasterUnreachable", `API server: ${error.step}`)
      : unreadOf(error);
  }
}

/** The text of a body that is not larger than it may be. */
async function bounded(chunks: AsyncIterable<Uint8Array | string>, most: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > most) throw new Unread("InvalidResponse", "too large");
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Who stops reading frees the connection; who never begins does not. */
async function dropped(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  for await (const _ of chunks) break;
  return "";
}

const classes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ERR_STREAM_PREMATURE_CLOSE: "connection reset",
  EPIPE: "connection reset",
  ETIMEDOUT: "timeout",
  ENOTFOUND: "name not found",
  EAI_AGAIN: "name not found",
  EHOSTUNREACH: "no route",
  ENETUNREACH: "no route",
  EPROTO: "TLS error",
};

/** By the error's code: what its message says may hold anything. */
function unreadOf(error: unknown): Unread {
  if (error instanceof Unread) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("HPE_")) return new Unread("InvalidResponse", "not HTTP");
  const isTls = /^ERR_(TLS|SSL)_|CERT|_SIGNATURE$|^UNABLE_TO_/.test(code);
  return new Unread("MasterUnreachable", isTls ? "TLS error" : (classes[code] ?? "connection failed"));
}
