// The HTTP API without sockets: limits, authentication, routes, refusals. What serves the zones is behind a port.
import type { Clock } from "@telltale/clock";
import { type Log, silentLog } from "@telltale/runtime";
import { basePath, type ErrorBody } from "../bindcar/contract.ts";
import type { Authenticate } from "./authenticate.ts";
import { docsPage, openApi } from "./docs.ts";
import { type Asked, json, maxBody, plain, type Reply } from "./message.ts";
import type { BindcarMetrics } from "./metrics.ts";
import type { Nameserver } from "./nameserver.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { bad, Refused } from "./refused.ts";
import { type Behind, type Route, routeOf, zoneIn } from "./routes.ts";
import { Turns } from "./turns.ts";

export interface ApiOptions {
  readonly nameserver: Nameserver;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  readonly version: string;
  readonly limiter?: RateLimiter;
  readonly metrics?: BindcarMetrics;
  readonly log?: Log;
  /** Whether `/docs` and `/openapi.json` are there. Default: no. */
  readonly docs?: boolean;
}

export type Api = (asked: Asked) => Promise<Reply>;

export function bindcarApi(options: ApiOptions): Api {
  const { nameserver, clock, version, metrics, log = silentLog } = options;
  const behind: Behind = { nameserver, clock, version, turns: new Turns() };
  return async (asked) => {
    const begun = clock.uptime();
    const path = asked.path.split("?")[0] ?? "";
    const { reply, template } = await answer(options, behind, asked, path);
    const took = clock.uptime() - begun;
    const { method } = asked;
    metrics?.request({ method, path: template, status: reply.status, took });
    log.debug("request", { method, path: template, status: reply.status, took });
    return reply;
  };
}

const open = new Set([`${basePath}/health`, `${basePath}/ready`]);

interface Answered {
  readonly reply: Reply;
  /** Of the route, never of the request: what somebody asked for is no label. */
  readonly template: string;
}

async function answer(options: ApiOptions, behind: Behind, asked: Asked, path: string): Promise<Answered> {
  const { metrics, log = silentLog } = options;
  const side = await beside(options, asked, path);
  if (side !== undefined) return { reply: side, template: path };
  const found = routeOf(asked.method, path);
  const template = found.at === "route" ? found.route.path : "unknown";
  const stopped = open.has(path) ? undefined : await stoppedAt(options, asked);
  if (stopped !== undefined) return { reply: stopped, template };
  if (found.at === "nowhere") return { reply: json(404, { error: "Not found", details: null }), template };
  if (found.at === "other method")
    return {
      reply: json(405, { error: "Method not allowed", details: null }, { allow: found.allowed.join(", ") }),
      template,
    };
  const { route } = found;
  try {
    const zone = found.zone === "" ? "" : zoneIn(found.zone);
    const body = route.body === "json" ? await bodyOf(asked) : undefined;
    const reply = await route.answer({ zone, body }, behind);
    if (route.operation !== undefined) metrics?.operation(route.operation, "success");
    return { reply, template };
  } catch (error) {
    if (route.operation !== undefined) metrics?.operation(route.operation, "error");
    return { reply: refusal(error, route, log), template };
  }
}

/** What is not of the contract: metrics, and documents where they are wanted. */
async function beside(
  { metrics, nameserver, docs = false, version }: ApiOptions,
  { method }: Asked,
  path: string,
): Promise<Reply | undefined> {
  if (method !== "GET") return undefined;
  if (path === "/metrics" && metrics !== undefined) {
    // Counted now: what an earlier process knew is lost.
    const zones = await nameserver.zones().catch(() => undefined);
    return plain(200, metrics.text(zones?.length), { "content-type": metrics.contentType });
  }
  if (!docs) return undefined;
  if (path === `${basePath}/openapi.json`) return json(200, openApi(version));
  if (path === `${basePath}/docs`) return plain(200, docsPage(version), { "content-type": "text/html; charset=utf-8" });
  return undefined;
}

async function stoppedAt({ limiter, authenticate, metrics }: ApiOptions, asked: Asked): Promise<Reply | undefined> {
  const wait = limiter?.take(asked.peer);
  if (limiter !== undefined) metrics?.limited(wait === undefined ? "allowed" : "rejected");
  if (wait !== undefined) return plain(429, "Too Many Requests", { "retry-after": String(wait) });
  const error = await authenticate(asked.headers["authorization"]);
  return error === undefined ? undefined : json(401, { error }, { "www-authenticate": "Bearer" });
}

async function bodyOf(asked: Asked): Promise<unknown> {
  const type = asked.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new Refused(415, "Content-Type has to be application/json");
  const bytes = await asked.body();
  if (bytes === undefined) throw new Refused(413, `The body is larger than ${maxBody} bytes`);
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch {
    throw bad("The body is no JSON");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function refusal(error: unknown, route: Route, log: Log): Reply {
  if (error instanceof Refused && error.status < 500)
    return json(error.status, { error: error.message, details: null });
  const code = error instanceof Refused ? (error.code ?? "INTERNAL") : "INTERNAL";
  const why = error instanceof Refused ? error.cause : error;
  log.error("a request failed", { method: route.method, path: route.path, code, error: wordsOf(why) });
  return json(500, { error: "Internal server error", details: null, code } satisfies ErrorBody);
}

const wordsOf = (why: unknown): string => (why instanceof Error ? why.message : String(why ?? ""));
