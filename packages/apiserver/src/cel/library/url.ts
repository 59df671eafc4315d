// URLs, as Go's url.ParseRequestURI understands them.
import { goQuote } from "../../status.ts";
import { functions, type Overload } from "../function.ts";
import { BuiltMap, CelError, List, Opaque, type Value } from "../values.ts";

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class Url extends Opaque {
  readonly typeName = "kubernetes.URL";
  readonly parts: Parts;
  constructor(parts: Parts) {
    super();
    this.parts = parts;
  }
  equals(other: Value): boolean {
    const [a, b] = [this.parts, other instanceof Url ? other.parts : undefined];
    return b !== undefined && a.scheme === b.scheme && a.host === b.host && a.path === b.path && a.query === b.query;
  }
}

/** The parts, or what is wrong with the text. */
export function parseUrl(text: string): Parts | string {
  const bad = (why: string): string => `parse ${goQuote(text)}: ${why}`;
  if (/\p{Cc}/u.test(text)) return bad("net/url: invalid control character in URL");
  if (text === "") return bad("empty url");
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/.exec(text);
  const [, scheme = "", rest = ""] = match ?? [];
  if (scheme === "" && !rest.startsWith("/")) {
    if (rest.startsWith(":")) return bad("missing protocol scheme");
    return bad("invalid URI for request");
  }
  const [before = "", ...queries] = rest.split("?");
  const query = queries.join("?");
  if (!before.startsWith("/"))
    return scheme === "" ? bad("invalid URI for request") : { scheme: scheme.toLowerCase(), host: "", path: "", query };
  const authority = /^\/\/([^/]*)(.*)$/.exec(before);
  const host = authority === null ? "" : (authority[1] ?? "").replace(/^.*@/, "");
  const path = authority === null ? before : (authority[2] ?? "");
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path);
  if (wrong !== null) return bad(`invalid URL escape ${goQuote(wrong[0])}`);
  const odd = /[ "<>\\^`{|}]/.exec(host);
  if (odd !== null) return bad(`invalid character ${goQuote(odd[0])} in host name`);
  const port = /:([^\]]*)$/.exec(host.replace(/^\[[^\]]*\]/, ""));
  if (port !== null && !/^\d*$/.test(port[1] ?? "")) return bad(`invalid port ${goQuote(port[0])} after host`);
  return { scheme: scheme.toLowerCase(), host, path, query };
}

function url(text: string): Url {
  const parts = parseUrl(text);
  if (typeof parts === "string") throw new CelError(`URL parse error during conversion from string: ${parts}`);
  return new Url(parts);
}

function hostname({ parts: { host } }: Url): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host);
  return bracketed === null ? host.replace(/:\d*$/, "") : (bracketed[1] ?? "");
}

const port = ({ parts: { host } }: Url): string => /:(\d*)$/.exec(host.replace(/^\[[^\]]*\]/, ""))?.[1] ?? "";

function query({ parts }: Url): BuiltMap {
  const map = new BuiltMap();
  const found = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(parts.query)) found.set(key, [...(found.get(key) ?? []), value]);
  for (const [key, values] of found) map.set(key, List.of(values));
  return map;
}

/** What a path may hold as it is is left alone; the rest is percent-encoded. */
const escapedPath = ({ parts }: Url): string =>
  parts.path.replace(/[^A-Za-z0-9$&+,/:;=@\-_.~!'()*%[\]]/gu, (c) => encodeURIComponent(c));

export const urls: readonly Overload[] = functions({
  "url(string): kubernetes.URL": url,
  "isURL(string): bool": (text: string) => typeof parseUrl(text) !== "string",
  "kubernetes.URL -> getScheme(): string": (u: Url) => u.parts.scheme,
  "kubernetes.URL -> getHost(): string": (u: Url) => u.parts.host,
  "kubernetes.URL -> getHostname(): string": hostname,
  "kubernetes.URL -> getPort(): string": port,
  "kubernetes.URL -> getEscapedPath(): string": escapedPath,
  "kubernetes.URL -> getQuery(): map(string, list(string))": query,
});
