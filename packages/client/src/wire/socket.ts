// A socket to a server: straight, or through a proxy by HTTP (CONNECT) or SOCKS 5; with TLS or without.
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectSecure, type SecureContext } from "node:tls";
import { ConnectionError } from "../errors.ts";

export interface Way {
  readonly server: URL;
  readonly proxy?: URL;
  readonly secure?: Secure;
  /** For each step, in milliseconds. */
  readonly timeout: number;
}

/** How the server proves who it is. */
export interface Secure {
  readonly context: SecureContext;
  /** The name that its certificate must have, where it is not the host's. */
  readonly name?: string;
  readonly insecure?: boolean;
}

type OnBytes = (bytes: Buffer) => void;

const readAtOnce = 65_536;

/** A socket that can be written to. What comes is given to `onBytes`, on loan: the next bytes come to the same place. */
export async function openSocket(way: Way, onBytes: OnBytes): Promise<Socket> {
  const { server, proxy, secure, timeout } = way;
  const place = placeOf(server);
  if (proxy !== undefined) {
    const tunnel = await tunnelled(proxy, place, timeout);
    const socket = secure === undefined ? tunnel : connectSecure({ socket: tunnel, ...secured(place, secure) });
    if (secure !== undefined) await ready(socket, "secureConnect", timeout);
    return socket.on("data", onBytes).resume();
  }
  const onread = {
    buffer: Buffer.allocUnsafeSlow(readAtOnce),
    callback(length: number, buffer: Uint8Array): boolean {
      onBytes((buffer as Buffer).subarray(0, length));
      return true;
    },
  };
  const socket =
    secure === undefined
      ? connectPlain({ ...place, onread })
      : connectSecure({ ...place, ...secured(place, secure), onread } as ConnectionOptions);
  await ready(socket, secure === undefined ? "connect" : "secureConnect", timeout);
  return socket;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

const ports: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

function placeOf({ hostname, port, protocol }: URL): Place {
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? (ports[protocol] ?? 1080) : Number(port) };
}

function secured({ host }: Place, { context, name, insecure }: Secure) {
  return {
    secureContext: context,
    servername: name ?? (isIP(host) > 0 ? "" : host),
    host, // whose certificate it must be, where there is no name to ask for
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: insecure !== true,
  };
}

/** Resolves with the event; a socket that fails first, or takes too long, is no more. */
function ready(socket: Socket, event: "connect" | "secureConnect", timeout: number): Promise<void> {
  return during(socket, timeout, (resolve) => socket.once(event, resolve));
}

function during<T>(socket: Socket, timeout: number, work: (resolve: (value: T) => void) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const over = () => {
      socket.setTimeout(0).off("error", fail).off("close", closed).off("timeout", late);
    };
    const fail = (error: unknown) => {
      over();
      socket.destroy();
      reject(error);
    };
    const closed = () => fail(new ConnectionError("connect", "the other side has closed the connection"));
    const late = () => fail(new ConnectionError("connect", `no connection within ${timeout} ms`));
    // What fails between two steps is seen by the next one, as a socket that is closed.
    socket.on("error", () => {});
    socket.setTimeout(timeout).on("error", fail).on("close", closed).on("timeout", late);
    work((value) => {
      over();
      resolve(value);
    });
  });
}

/** A connection to a place, through a proxy. */
async function tunnelled(proxy: URL, place: Place, timeout: number): Promise<Socket> {
  const { protocol } = proxy;
  const isSocks = /^socks5?h?:$/.test(protocol);
  if (!isSocks && ports[protocol] === undefined) {
    throw new ConnectionError(
      "proxy",
      `${proxy.host}: a proxy by ${protocol}// is not known; use http, https or socks5`,
    );
  }
  const at = placeOf(proxy);
  const isSecure = protocol === "https:";
  const servername = isIP(at.host) > 0 ? "" : at.host;
  const socket = isSecure ? connectSecure({ ...at, servername, ALPNProtocols: ["http/1.1"] }) : connectPlain(at);
  await ready(socket, isSecure ? "secureConnect" : "connect", timeout);
  try {
    const ask: Ask = (say, read) => asked(socket, timeout, say, read);
    await (isSocks ? bySocks(ask, proxy, place) : byConnect(ask, proxy, place));
  } catch (cause) {
    socket.destroy();
    if (cause instanceof ConnectionError) throw cause;
    throw new ConnectionError("proxy", `${proxy.host}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return socket;
}

/** Says something, and reads until it is understood. */
type Ask = <T>(say: string | Uint8Array, read: (got: Buffer) => T | undefined) => Promise<T>;

function asked<T>(socket: Socket, timeout: number, say: string | Uint8Array, read: (got: Buffer) => T | undefined) {
  let got: Buffer = Buffer.alloc(0);
  let onData = (_chunk: Buffer) => {};
  const answer = during<T>(socket, timeout, (resolve) => {
    onData = (chunk) => {
      got = Buffer.concat([got, chunk]);
      try {
        const found = read(got);
        if (found !== undefined) resolve(found);
        else if (got.length > readAtOnce) throw new Error("it says too much");
      } catch (error) {
        socket.destroy(error as Error);
      }
    };
    socket.on("data", onData).resume();
    socket.write(say);
  });
  return answer.finally(() => socket.off("data", onData).pause());
}

async function byConnect(ask: Ask, proxy: URL, { host, port }: Place): Promise<void> {
  const to = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const pair = Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`);
  const who = proxy.username === "" ? "" : `proxy-authorization: Basic ${pair.toString("base64")}\r\n`;
  const first = await ask(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n${who}\r\n`, (got) => {
    const end = got.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    if (got.length > end + 4) throw new Error(more);
    return got.toString("latin1", 0, got.indexOf("\r\n"));
  });
  if (!/^HTTP\/1\.[01] 2\d\d(?: |$)/.test(first))
    throw new Error(`it does not connect to ${to}: ${first.slice(0, 80)}`);
}

/** The server behind it does not begin to speak, so nobody has said that. */
const more = "it says more than it was asked";

const refusals = ["", "a failure", "not allowed", "no way to the network", "no way to the host", "nobody listens"];

/** RFC 1928, with a name and password of RFC 1929 where the proxy's address has them. */
async function bySocks(ask: Ask, proxy: URL, { host, port }: Place): Promise<void> {
  /** Two bytes, of which the first is the version of what is spoken. */
  const two = (version: number) => (got: Buffer) => {
    if (got.length > 0 && got[0] !== version) throw new Error(`it answers with version ${got[0]}, not ${version}`);
    if (got.length > 2) throw new Error(more);
    return got.length < 2 ? undefined : got;
  };
  const hasName = proxy.username !== "";
  const method = (await ask(Uint8Array.from(hasName ? [5, 2, 0, 2] : [5, 1, 0]), two(5)))[1];
  if (method === 2 && hasName) {
    const [name, password] = [proxy.username, proxy.password].map((it) => Buffer.from(decodeURIComponent(it)));
    const said = Buffer.concat([Uint8Array.of(1), sized(name), sized(password)]);
    if ((await ask(said, two(1)))[1] !== 0) throw new Error("it does not believe this name and password");
  } else if (method !== 0)
    throw new Error(hasName ? "it wants another way to sign in" : "it wants a name and a password");
  const said = Buffer.concat([Uint8Array.of(5, 1, 0), socksAddress(host), Uint8Array.of(port >> 8, port & 255)]);
  const code = await ask(said, (got) => {
    if (got.length > 0 && got[0] !== 5) throw new Error(`it answers with version ${got[0]}, not 5`);
    if (got.length < 2 || got[1] !== 0) return got[1];
    if (got.length < 5) return undefined;
    const length = lengthOfReply(got);
    if (got.length > length) throw new Error(more);
    return got.length < length ? undefined : 0;
  });
  if (code !== 0)
    throw new Error(`it does not connect to ${host}:${port}: ${refusals[code ?? 1] ?? `refused with ${code}`}`);
}

/** How long an answer is that ends in an address and a port: of four bytes, of sixteen, or a name with its length in front. */
function lengthOfReply(got: Buffer): number {
  if (got[2] !== 0 || ![1, 3, 4].includes(got[3] ?? 0)) throw new Error("it answers with something that is no SOCKS");
  if (got[3] === 3) return 7 + (got[4] ?? 0);
  return got[3] === 1 ? 10 : 22;
}

function socksAddress(host: string): Uint8Array {
  const version = isIP(host);
  if (version === 4) return Uint8Array.of(1, ...host.split(".").map(Number));
  if (version === 0) return Buffer.concat([Uint8Array.of(3), sized(Buffer.from(host))]);
  // A URL has eight words, or fewer with the place of all zeros marked.
  const [left = [], right = []] = host.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return Buffer.concat([
    Uint8Array.of(4),
    Buffer.from([...left, ...zeros, ...right].map((word) => word.padStart(4, "0")).join(""), "hex"),
  ]);
}

/** A text of SOCKS: its length, then itself. */
function sized(text: Buffer | undefined): Buffer {
  const bytes = text ?? Buffer.alloc(0);
  if (bytes.length > 255) throw new Error("a name of more than 255 bytes");
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}
