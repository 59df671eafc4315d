// Which proxy the environment names for a server, by Go's rules, which kubectl follows. Pure.
import { BlockList, isIP } from "node:net";
import type { Env } from "./connection.ts";

/** The proxy's URL, or undefined for the straight way. */
export function proxyFor(server: string, env: Env): string | undefined {
  const url = new URL(server);
  const read = (name: string) => env[name.toUpperCase()] || env[name];
  const proxy = url.protocol === "https:" ? read("https_proxy") : read("http_proxy");
  if (!proxy || passesBy(url, read("no_proxy") ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function passesBy(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))) return true;
  return exceptions
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "")
    .some((entry) => matches(entry, host, port));
}

/** `*`, an address, a range of addresses, a name with all below it, `.name` for those below only; with a port or not. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const range = /^(.+)\/(\d+)$/.exec(entry);
  if (range !== null) return within(host, range[1] ?? "", Number(range[2]));
  const { name, only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) > 0) return name === host;
  const bare = name.replace(/^\*?\./, "");
  return host.endsWith(`.${bare}`) || (bare === name && host === name);
}

function splitPort(entry: string): { readonly name: string; readonly only?: string } {
  if (isIP(entry) > 0) return { name: entry };
  const [, name, only] = /^\[?(.+?)\]?:(\d+)$/.exec(entry) ?? [];
  return name === undefined || only === undefined ? { name: entry } : { name, only };
}

function within(host: string, network: string, prefix: number): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || prefix > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}
