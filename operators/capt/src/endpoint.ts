// Where an API server is to be reached: host and port, read from what runs and people write (CP-9). Pure.

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Undefined: it is no endpoint. Without a port it is that of https. */
export function parseEndpoint(text: string): Endpoint | undefined {
  if (text === "" || /\s/.test(text)) return undefined;
  const at = text.indexOf("://");
  if (at < 0) return split(text);
  // A URL parser would drop the port 443, and take localhost:6443 for a scheme.
  if (text.slice(0, at).toLowerCase() !== "https") return undefined;
  const rest = text.slice(at + 3);
  return split(rest.endsWith("/") ? rest.slice(0, -1) : rest);
}

/** Both are there; a Cluster may hold empty ones. */
export function validEndpoint(
  it: { readonly host?: string; readonly port?: number } | undefined,
): Endpoint | undefined {
  const { host = "", port = 0 } = it ?? {};
  return host === "" || port === 0 ? undefined : { host, port };
}

/** What our own kinds take for a host: a name or an address, without scheme, port or path. */
export const hostPattern = "^([A-Za-z0-9._-]+|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)$";
export const longestHost = 512;
const hosts = new RegExp(hostPattern);

/** One that our own kinds can hold, too: a Cluster takes any text for a host, and some have a whole URL there. */
export function usableEndpoint(it: Parameters<typeof validEndpoint>[0]): Endpoint | undefined {
  const found = validEndpoint(it);
  if (found === undefined || !hosts.test(found.host) || found.host.length > longestHost) return undefined;
  return found.port > 0 && found.port <= 65_535 ? found : undefined;
}

/** As one text, the address of IPv6 in brackets. */
export const formatEndpoint = ({ host, port }: Endpoint): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

export const sameEndpoint = (a: Endpoint | undefined, b: Endpoint | undefined): boolean =>
  a?.host === b?.host && a?.port === b?.port;

const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?$/;
const plain = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::(\d{1,5}))?$/;

function split(text: string): Endpoint | undefined {
  const [, host, digits = "443"] = bracketed.exec(text) ?? plain.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || host.length > longestHost || port < 1 || port > 65_535) return undefined;
  return { host, port };
}
