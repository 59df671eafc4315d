// The connections to one server with one set of certificates.
import { createSecureContext, type SecureContext } from "node:tls";
import type { Tls } from "../connection.ts";
import { ConnectionError } from "../errors.ts";
import type { HttpOptions } from "../http.ts";
import type { Failures } from "./exchange.ts";
import { Pool } from "./pool.ts";
import type { Way } from "./socket.ts";

/** For requests that end soon, and for streams. */
export interface Pools {
  readonly tls: Tls;
  readonly short: Pool;
  readonly long: Pool;
}

const mebi = 1_048_576;

export function openPools(
  server: URL,
  tls: Tls,
  proxy: string | undefined,
  options: HttpOptions,
  failures: Failures,
): Pools {
  const { connections = 32, streams = Number.POSITIVE_INFINITY, keepAlive = 60_000, connectTimeout = 10_000 } = options;
  const { maxBodyBytes = 128 * mebi, maxLineBytes = 32 * mebi } = options;
  let context: SecureContext | undefined;
  // Made with the first connection, and once: to read certificates takes longer than to shake hands.
  const secure = () => {
    context ??= createSecureContext({ ca: tls.ca, cert: tls.cert, key: tls.key });
    const { serverName, insecure = false } = tls;
    return { context, insecure, ...(serverName === undefined ? {} : { name: serverName }) };
  };
  const way = (): Way => ({
    server,
    timeout: connectTimeout,
    ...(proxy === undefined ? {} : { proxy: urlOf(proxy) }),
    ...(server.protocol === "https:" ? { secure: secure() } : {}),
  });
  const pool = (limit: number) =>
    new Pool({ way, host: server.host, limit, keepAlive, failures, maxBodyBytes, maxLineBytes });
  return { tls, short: pool(connections), long: pool(streams) };
}

function urlOf(proxy: string): URL {
  const url = URL.parse(proxy);
  // Without the name and password that may stand before it.
  const shown = proxy.replace(/^.*@/, "");
  if (url === null) throw new ConnectionError("proxy", `${shown} is no URL; give one such as http://host:3128`);
  return url;
}
