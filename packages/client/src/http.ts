// HTTP/1.1 to one server: connections that are kept, a bounded number of them, and others for streams, which hold theirs for
// long. Why it is written here: docs/dependencies.md.
import { isDeepStrictEqual } from "node:util";
import type { Connection, Tls } from "./connection.ts";
import { ConfigError } from "./connection.ts";
import { ConnectionError, type ConnectionStep } from "./errors.ts";
import { whenKnown } from "./remembered.ts";
import type { Headers, Request, Response, Transport } from "./transport.ts";
import type { Failures } from "./wire/exchange.ts";
import type { Pool } from "./wire/pool.ts";
import type { Pools } from "./wire/pools.ts";

export interface HttpOptions {
  /** At most so many for short requests. Default: 32. */
  readonly connections?: number;
  /** At most so many for streams; more would wait for one to end. Default: no limit. */
  readonly streams?: number;
  /** How long an idle connection is kept, in milliseconds. Default: 60 s; an API server keeps it for 90. */
  readonly keepAlive?: number;
  /** For socket and handshake, in milliseconds. Default: 10 s. */
  readonly connectTimeout?: number;
  /** An answer that is read whole may have so many bytes. Default: 128 MiB. */
  readonly maxBodyBytes?: number;
  /** So may a line of a watch, which is one object. Default: 32 MiB. */
  readonly maxLineBytes?: number;
}

export function httpTransport(connection: Connection, options: HttpOptions = {}): Transport {
  const server = new URL(connection.server);
  const base = server.pathname.replace(/\/+$/, "");
  const retired = new Set<Pool>();
  let pools: Pools | undefined;
  let closed = false;

  /** After a rotation new requests take new connections; what is under way ends on the old ones. */
  async function poolsFor(tls: Tls): Promise<Pools> {
    // With the first request: what only imports this is spared TLS.
    const { openPools } = await import("./wire/pools.ts");
    if (closed) throw new ConnectionError("closed", "this transport sends no more");
    if (pools?.tls === tls) return pools; // another request was faster
    for (const old of pools === undefined ? [] : [pools.short, pools.long]) {
      retired.add(old);
      void old.close().then(() => retired.delete(old));
    }
    pools = openPools(server, tls, connection.proxy, options, failures);
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
        const pool = request.stream === true ? long : short;
        const response = await pool.send({ ...request, path: base + request.path, headers });
        // A token may have been renewed since it was read. 401 means that nothing was done: to ask again is safe.
        if (response.status !== 401 || refused !== undefined || !connection.forget()) return response;
        refused = { ...who, response };
      }
    },
    async close() {
      closed = true;
      const open = [...retired, ...(pools === undefined ? [] : [pools.short, pools.long])];
      for (const pool of open) pool.destroy();
    },
  };
}

/** As whom, and over what. */
interface Credentials {
  readonly identity: Headers;
  readonly tls: Tls;
}

function bodyFailure(cause: unknown, { signal, method, path }: Request): unknown {
  if (cause instanceof ConnectionError && cause.step === "size") return cause;
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

const unreachable = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/;
const untrusted = /CERT|SELF_SIGNED|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_|^ERR_OSSL/;

/** How far it got. What is not known to have failed before the request left counts as sent. */
function stepOf(error: unknown): ConnectionStep {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "resolve";
  if (unreachable.test(code)) return "connect";
  if (untrusted.test(code)) return "tls";
  return "exchange";
}
