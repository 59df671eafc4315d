// HTTP by undici: connections that are kept, a bounded number of them, and others for streams, which hold theirs for long.
import { isDeepStrictEqual } from "node:util";
import type { Dispatcher, Pool } from "undici";
import type { Connection, Tls } from "./connection.ts";
import { ConfigError } from "./connection.ts";
import { dispatch, type Failures } from "./dispatch.ts";
import { ConnectionError, type ConnectionStep } from "./errors.ts";
import { whenKnown } from "./remembered.ts";
import type { Headers, Request, Response, Transport } from "./transport.ts";

export interface HttpOptions {
  /** At most so many for short requests. Default: 32. */
  readonly connections?: number;
  /** At most so many for streams; more would wait for one to end. Default: no limit. */
  readonly streams?: number;
  /** How long an idle connection is kept, in milliseconds. Default: 60 s; an API server keeps it for 90. */
  readonly keepAlive?: number;
  /** For socket and handshake, in milliseconds. Default: 10 s. */
  readonly connectTimeout?: number;
}

export function httpTransport(connection: Connection, options: HttpOptions = {}): Transport {
  const { origin, pathname } = new URL(connection.server);
  const base = pathname.replace(/\/+$/, "");
  const retired = new Set<Dispatcher>();
  let pools: Pools | undefined;
  let closed = false;

  /** After a rotation new requests take new connections; what is under way ends on the old ones. */
  async function poolsFor(tls: Tls): Promise<Pools> {
    if (pools?.tls === tls) return pools;
    const opened = await openPools(origin, tls, connection.proxy, options);
    if (closed) throw new ConnectionError("closed", "this transport sends no more");
    if (pools?.tls === tls) return pools; // another request was faster
    for (const old of pools === undefined ? [] : [pools.short, pools.long]) {
      retired.add(old);
      old.close().then(
        () => retired.delete(old),
        () => retired.delete(old),
      );
    }
    pools = opened;
    return pools;
  }

  const credentials = (): Credentials | Promise<Credentials> =>
    whenKnown(connection.identity(), (identity) => whenKnown(connection.tls(), (tls) => ({ identity, tls })));

  const failures: Failures = {
    before: (error, request) => failure(error, request, connection.server),
    within: bodyFailure,
  };

  return {
    async send(request) {
      for (let refused: (Credentials & { readonly response: Response }) | undefined; ; ) {
        if (closed) throw new ConnectionError("closed", "this transport sends no more");
        let who: Credentials;
        try {
          const asked = credentials();
          who = asked instanceof Promise ? await asked : asked;
        } catch (cause) {
          throw cause instanceof ConfigError ? new ConnectionError("credentials", cause.message, { cause }) : cause;
        }
        if (refused !== undefined) {
          if (who.tls === refused.tls && isDeepStrictEqual(who.identity, refused.identity)) return refused.response;
          await refused.response.text();
        }
        const { short, long } = pools?.tls === who.tls ? pools : await poolsFor(who.tls);
        const headers = { ...request.headers, ...who.identity };
        const sent = { ...request, path: base + request.path, headers };
        const response = await dispatch(request.stream === true ? long : short, origin, sent, failures);
        // A token may have been renewed since it was read. 401 means that nothing was done: to ask again is safe.
        if (response.status !== 401 || refused !== undefined || !connection.forget()) return response;
        refused = { ...who, response };
      }
    },
    async close() {
      closed = true;
      const open = [...retired, ...(pools === undefined ? [] : [pools.short, pools.long])];
      await Promise.all(open.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** As whom, and over what. */
interface Credentials {
  readonly identity: Headers;
  readonly tls: Tls;
}

interface Pools {
  readonly tls: Tls;
  readonly short: Dispatcher;
  readonly long: Dispatcher;
}

async function openPools(origin: string, tls: Tls, proxy: string | undefined, options: HttpOptions): Promise<Pools> {
  const { connections = 32, streams = null, keepAlive = 60_000, connectTimeout = 10_000 } = options;
  const connect = { ...tlsOptions(tls), timeout: connectTimeout };
  const common = { keepAliveTimeout: keepAlive, connectTimeout, allowH2: false };
  const pair = (open: (limit: number | null) => Dispatcher): Pools => ({
    tls,
    short: open(connections),
    long: open(streams),
  });
  if (proxy === undefined) {
    const Pool = await loadPool();
    return pair((limit) => new Pool(origin, { ...common, connections: limit, connect }));
  }
  const { ProxyAgent } = await import("undici");
  // A tunnel even for plain HTTP: without one undici sends everything through a single connection.
  return pair((limit) => {
    return new ProxyAgent({ ...common, connections: limit, uri: proxy, requestTls: connect, proxyTunnel: true });
  });
}

/**
 * With the first request, and only the part that is needed: all of undici takes 93 ms of CPU and 28 MB to load, its pool
 * 37 ms and 15 MB. Its version is exact in package.json, so that the path cannot change unseen.
 */
async function loadPool(): Promise<typeof Pool> {
  const loaded: { readonly default: unknown } = await import("undici/lib/dispatcher/pool.js" as string);
  return loaded.default as typeof Pool;
}

function tlsOptions(tls: Tls): object {
  return {
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.insecure === true ? { rejectUnauthorized: false } : {}),
  };
}

function bodyFailure(cause: unknown, { signal, method, path }: Request): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new ConnectionError("body", `${method} ${path}: the answer broke off: ${messageOf(cause)}`, { cause });
}

function failure(cause: unknown, request: Request, server: string): unknown {
  if (cause instanceof ConnectionError) return cause;
  if (request.signal?.aborted === true) return request.signal.reason;
  return new ConnectionError(stepOf(cause), `${server}: ${messageOf(cause)}`, { cause });
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || codeOf(error) || error.name : String(error);

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

const unreachable = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
const untrusted = /CERT|SELF_SIGNED|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_|^ERR_OSSL/;

/** How far it got. What is not known to have failed before the request left counts as sent. */
function stepOf(error: unknown): ConnectionStep {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "resolve";
  if (/^UND_ERR_PRX/.test(code) || /^Proxy response/.test(messageOf(error))) return "proxy";
  if (unreachable.test(code)) return "connect";
  if (untrusted.test(code)) return "tls";
  return "exchange";
}
