// `proxy`: a request handed on to what listens behind a port of a pod, and its answer back, as it comes.
import { type IncomingHttpHeaders, type IncomingMessage, request as plain } from "node:http";
import { request as secured } from "node:https";
import { networkFailure } from "../admit/network-failure.ts";
import type { ApiRequest, ApiResponse } from "../request.ts";
import { badRequest, type GroupResource, StatusError } from "../status.ts";

/** Whose port: `name`, `name:port` or `scheme:name:port`. */
export interface Behind {
  readonly scheme: "http" | "https";
  readonly name: string;
  /** A number, a name, or empty for the first one. */
  readonly port: string;
}

export function behind(id: string, { resource }: GroupResource): Behind {
  const parts = id.split(":");
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  if (parts.length > 3 || name === "" || !["", "http", "https"].includes(scheme))
    throw badRequest(`invalid ${resource.replace(/s$/, "")} request ${JSON.stringify(id)}`);
  return { scheme: scheme === "https" ? "https" : "http", name, port };
}

export interface Handed {
  readonly request: ApiRequest;
  readonly to: { readonly scheme: Behind["scheme"]; readonly host: string; readonly port: number };
}

/** Resolves with the beginning of the answer. Rejects with 503 where there is none. */
export function handOn({ request, to }: Handed): Promise<ApiResponse> {
  const { path, root } = split(request.url);
  if (!path.startsWith("/") && (request.method === "GET" || request.method === "HEAD"))
    return Promise.resolve(moved(request.url));
  const url = new URL(`${to.scheme}://${to.host.includes(":") ? `[${to.host}]` : to.host}:${to.port}`);
  return new Promise((resolve, reject) => {
    const outgoing = (to.scheme === "https" ? secured : plain)({
      host: to.host,
      port: to.port,
      method: request.method,
      path: path.startsWith("/") ? path : `/${path}`,
      headers: outgoingHeaders(request),
      signal: request.signal,
      // The address is loopback, and the certificate is the program's own.
      ...(to.scheme === "https" ? { rejectUnauthorized: false } : {}),
    });
    outgoing.on("error", (error) => reject(unreachable(networkFailure(error, url))));
    outgoing.once("response", (message: IncomingMessage) => {
      resolve({ status: message.statusCode ?? 502, headers: answerHeaders(message.headers, url, root), body: message });
    });
    outgoing.end(request.body);
  });
}

export const unreachable = (why: string): StatusError =>
  new StatusError(503, "ServiceUnavailable", `error trying to reach service: ${why}`);

/** What follows `/proxy` in the path, query included, and what comes before that. */
function split(url: string): { readonly path: string; readonly root: string } {
  // api, v1, namespaces, <namespace>, pods or services, <name>, proxy
  const found = /^((?:\/+[^/?]+){7})(.*)$/s.exec(url);
  return { root: found?.[1] ?? "", path: found?.[2] ?? "" };
}

/** Links that a page has are beside it: it has to end in a slash. */
function moved(url: string): ApiResponse {
  const [path = "", query] = url.split("?");
  return { status: 301, headers: { location: `${path}/${query === undefined ? "" : `?${query}`}` }, body: "" };
}

/** Of one connection only, or for this server's eyes only. */
const kept = new Set([
  "authorization",
  "connection",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function outgoingHeaders({ headers, body }: ApiRequest): Record<string, string> {
  const own = new Set((headers["connection"] ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || kept.has(name) || own.has(name) || name.startsWith("impersonate-") ? [] : [[name, value]],
  );
  const length = body.length > 0 ? { "content-length": String(body.length) } : {};
  return {
    ...Object.fromEntries(passed),
    ...(headers["host"] === undefined ? {} : { "x-forwarded-host": headers["host"] }),
    ...length,
  };
}

function answerHeaders(headers: IncomingHttpHeaders, url: URL, root: string): Record<string, string | string[]> {
  const answer: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && !kept.has(name)) answer[name] = value;
  if (headers.location !== undefined) answer["location"] = shifted(headers.location, url, root);
  return answer;
}

/** A redirection to another place behind the same port leads through the proxy. */
function shifted(location: string, url: URL, root: string): string {
  if (location.startsWith("/") && !location.startsWith("//")) return `${root}${location}`;
  return location.startsWith(`${url.origin}/`) ? `${root}${location.slice(url.origin.length)}` : location;
}
