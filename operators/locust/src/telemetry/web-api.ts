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
  /** It is the API server that answers, not what it was to pass the request on to. */
  readonly isOfServer?: boolean;
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
    const { status } = response;
    if (status === 200) return { status, type, body: await bounded(response.chunks(), maxBody) };
    return { status, type, body: "", isOfServer: isFailureOfServer(await beginning(response.chunks())) };
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

const maxStatusBytes = 16_384;

/** Enough for a `Status` object: a page of Locust's is not read to its end. Leaving the loop frees the connection. */
async function beginning(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    parts.push(bytes);
    size += bytes.length;
    if (size > maxStatusBytes) break;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** A `Status` object, which is how the API server refuses. Locust answers with pages, or with statistics. */
function isFailureOfServer(body: string): boolean {
  try {
    const { kind, apiVersion, status } = JSON.parse(body) as Partial<Record<"kind" | "apiVersion" | "status", unknown>>;
    return kind === "Status" && apiVersion === "v1" && status === "Failure";
  } catch {
    return false;
  }
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
