// Brings a file from a web server to this disk: with a limit, a checksum, and going on where it was interrupted. Every host is checked
// before it is connected to, after a redirect too.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { sleep } from "@telltale/clock";
import { RpcError } from "../contract/rpc-error.ts";
import type { Host } from "./host.ts";
import type { Checksum } from "./machine.ts";

/** The addresses of a host that may be connected to. Refuses with an `RpcError` where one of them may not. */
export type Fetch = (host: string) => Promise<readonly { readonly address: string; readonly family: 4 | 6 }[]>;

export interface Download {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `username` and `password`, `token`, `tls.crt` and `tls.key`: for the first host only. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly to: string;
  readonly limit: number;
  readonly checksum?: Checksum | undefined;
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  room(bytes: number): Promise<void>;
}

const attempts = 3;
const redirects = 5;
const silence = 60_000;

/** The SHA-256 and the size of what is in `to` now. On failure nothing is left there, unless trying again can go on from it. */
export async function download(host: Host, fetch: Fetch, wanted: Download): Promise<{ sha256: string; size: number }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(host, fetch, wanted);
    } catch (error) {
      const isTransient = error instanceof RpcError && error.code === "UNAVAILABLE";
      // A provider that is told to end goes on from here when it is started again.
      if (!isTransient && !wanted.signal.aborted)
        await Promise.all([host.remove(wanted.to), host.remove(validatorOf(wanted.to))]);
      if (!isTransient || attempt === attempts || wanted.signal.aborted) throw error;
      await sleep(host.clock, 1000 * attempt, wanted.signal);
    }
  }
}

async function once(host: Host, fetch: Fetch, wanted: Download): Promise<{ sha256: string; size: number }> {
  const sha256 = createHash("sha256");
  const other = wanted.checksum === undefined ? undefined : createHash(wanted.checksum.type);
  const hashes = other === undefined ? [sha256] : [sha256, other];
  // Only a part whose origin is known to be unchanged is gone on with.
  const validator = await readFile(validatorOf(wanted.to), "utf8").catch(() => undefined);
  const had =
    validator === undefined
      ? 0
      : await stat(wanted.to).then(
          ({ size }) => size,
          () => 0,
        );
  const resume: Readonly<Record<string, string>> =
    validator !== undefined && had > 0 ? { range: `bytes=${had}-`, "if-range": validator } : {};
  const answer = await follow(host, fetch, wanted, resume);
  try {
    const begins = answer.statusCode === 206 ? had : 0;
    if (begins > 0) await hashFile(wanted.to, hashes);
    const length = Number(answer.headers["content-length"] ?? Number.NaN);
    const total = Number.isFinite(length) ? begins + length : 0;
    if (total > wanted.limit) throw tooLarge(wanted.limit);
    await wanted.room(Number.isFinite(length) ? length : 0);
    const etag = answer.headers.etag ?? answer.headers["last-modified"];
    if (begins === 0) {
      if (etag === undefined || etag.startsWith("W/")) await host.remove(validatorOf(wanted.to));
      else await host.write(validatorOf(wanted.to), etag);
    }
    const size = await store(host, answer, wanted, hashes, begins, total);
    if (total > 0 && size !== total) throw new RpcError("UNAVAILABLE", "the server ended the image before its end");
    if (wanted.checksum !== undefined && other?.digest("hex") !== wanted.checksum.value)
      throw checksumMismatch(wanted.checksum);
    await host.remove(validatorOf(wanted.to));
    return { sha256: sha256.digest("hex"), size };
  } finally {
    answer.destroy();
  }
}

async function store(
  host: Host,
  answer: IncomingMessage,
  wanted: Download,
  hashes: readonly Hash[],
  begins: number,
  total: number,
): Promise<number> {
  const file = await open(wanted.to, begins > 0 ? "a" : "w", 0o600);
  let size = begins;
  const quiet = () => answer.destroy(new RpcError("UNAVAILABLE", "the server says nothing any more"));
  let timer = host.clock.after(silence, quiet);
  try {
    for await (const piece of answer.iterator({ destroyOnReturn: true })) {
      const bytes: Buffer = piece;
      timer.cancel();
      wanted.signal.throwIfAborted();
      size += bytes.length;
      if (size > wanted.limit) throw tooLarge(wanted.limit);
      for (const hash of hashes) hash.update(bytes);
      await file.write(bytes);
      wanted.progress(size, total);
      timer = host.clock.after(silence, quiet);
    }
    await file.sync();
    return size;
  } catch (error) {
    if (error instanceof RpcError || wanted.signal.aborted || isDiskError(error)) throw error;
    throw new RpcError("UNAVAILABLE", "the image's server broke the connection", { cause: error });
  } finally {
    timer.cancel();
    await file.close();
  }
}

async function follow(
  host: Host,
  fetch: Fetch,
  wanted: Download,
  more: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const first = urlOf(wanted.url);
  let url = first;
  for (let hop = 0; hop <= redirects; hop++) {
    const isFirst = url.origin === first.origin;
    const answer = await get(host, fetch, url, isFirst ? wanted : { ...wanted, credentials: {}, headers: {} }, more);
    const { statusCode = 0, headers } = answer;
    if (
      statusCode === 200 ||
      (statusCode === 206 && more["range"] !== undefined && isContinued(headers["content-range"], more))
    )
      return answer;
    answer.destroy();
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      url = urlOf(new URL(headers.location, url).href);
      continue;
    }
    if (statusCode === 416 && more["range"] !== undefined) return follow(host, fetch, wanted, {});
    const code =
      statusCode === 401 || statusCode === 403 ? "PERMISSION_DENIED" : statusCode === 404 ? "NOT_FOUND" : undefined;
    throw new RpcError(
      code ?? (statusCode >= 500 || statusCode === 429 ? "UNAVAILABLE" : "INVALID_ARGUMENT"),
      `the image's server answers ${statusCode}`,
    );
  }
  throw new RpcError("INVALID_ARGUMENT", `the image's server redirects more than ${redirects} times`);
}

function isContinued(range: string | undefined, more: Readonly<Record<string, string>>): boolean {
  const from = /^bytes=(\d+)-/.exec(more["range"] ?? "")?.[1];
  return from !== undefined && range?.startsWith(`bytes ${from}-`) === true;
}

async function get(
  host: Host,
  fetch: Fetch,
  url: URL,
  { credentials, headers, signal }: Pick<Download, "credentials" | "headers" | "signal">,
  more: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const addresses = await fetch(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  const [first] = addresses;
  if (first === undefined) throw new RpcError("UNAVAILABLE", "the image's host has no address");
  // The address that was checked is the one that is connected to: there is no second lookup.
  const lookup: LookupFunction = (_host, options, found) =>
    options.all === true ? found(null, [...addresses]) : found(null, first.address, first.family);
  const { username, password, token, "tls.crt": cert, "tls.key": key } = credentials;
  const basic = username === undefined ? undefined : Buffer.from(`${username}:${password ?? ""}`).toString("base64");
  const authorization = token === undefined ? basic && `Basic ${basic}` : `Bearer ${token}`;
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      lookup,
      signal,
      agent: false,
      headers: { "accept-encoding": "identity", ...headers, ...more, ...(authorization && { authorization }) },
      ...(cert && key ? { cert, key } : {}),
    });
    const timer = host.clock.after(silence, () => sent.destroy(new Error("no answer")));
    sent.once("response", (answer) => {
      timer.cancel();
      resolve(answer);
    });
    sent.once("error", (cause) => {
      timer.cancel();
      reject(signal.aborted ? cause : new RpcError("UNAVAILABLE", "the image's server cannot be reached", { cause }));
    });
    sent.end();
  });
}

/** A URL of the web, whatever it holds. */
export function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new RpcError("INVALID_ARGUMENT", "the image's URL must begin with http:// or https://");
  return url;
}

/** What may be stored and told of a URL: no user, no query, no fragment. */
export function safeUrl(text: string): string {
  const url = urlOf(text);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function validatorOf(path: string): string {
  return `${path}.from`;
}

export async function hashFile(path: string, hashes: readonly Hash[]): Promise<void> {
  for await (const piece of createReadStream(path)) for (const hash of hashes) hash.update(piece);
}

export function checksumMismatch({ type }: Checksum): RpcError {
  return new RpcError("DATA_LOSS", `checksum mismatch: the bytes are not those with this ${type}`);
}

function tooLarge(limit: number): RpcError {
  return new RpcError("INVALID_ARGUMENT", `the image has more than the ${limit} bytes that are allowed`);
}

function isDiskError(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["ENOSPC", "EDQUOT", "EIO", "EROFS"].includes(String(error.code));
}
