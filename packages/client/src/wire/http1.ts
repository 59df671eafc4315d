// HTTP/1.1 as bytes: how a request is written, and how an answer is read, wherever its chunks end. It knows no sockets.
import type { Headers } from "../transport.ts";

/** The other side does not speak HTTP as we know it. Nothing more can be read from it. */
export class ProtocolError extends Error {
  constructor(problem: string) {
    super(`this is no HTTP/1.1: ${problem}`);
    this.name = "ProtocolError";
  }
}

const token = /^[!#$%&'*+\-.^_`|~\w]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const control = /[\0-\x08\n-\x1f\x7f]/;
const unlawful = /[\0- \x7f-\uffff]/;

/** The head of a request. What could be taken for the end of a line or of a word is refused: it would begin another request. */
export function requestHead(
  { method, path, headers }: { readonly method: string; readonly path: string; readonly headers: Headers },
  host: string,
  length: number | undefined,
): string {
  if (!token.test(method)) throw new TypeError(`"${method}" is no method of HTTP`);
  if (unlawful.test(path)) throw new TypeError(`the path ${JSON.stringify(path)} has to be encoded`);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (!token.test(name)) throw new TypeError(`"${name}" is no name of a header`);
    for (const text of typeof value === "string" ? [value] : value) {
      if (control.test(text)) throw new TypeError(`the header ${name} holds a control character`);
      head += `${name}: ${text}\r\n`;
    }
  }
  return `${head}${length === undefined ? "" : `content-length: ${length}\r\n`}\r\n`;
}

/** Who hears of an answer. Bytes are on loan: they are others after the call. */
export interface Listener {
  onHead(status: number, headers: Headers): void;
  onData(bytes: Buffer): void;
  /** `isKept`: the connection can carry another request. */
  onEnd(isKept: boolean): void;
}

/** What comes next of an answer. */
type State =
  | "idle" // nothing: nobody has asked
  | "head"
  | "length" // of the body so many bytes
  | "close" // of the body all there is, until the other side ends
  | "size" // of a chunk: its size,
  | "chunk" // its bytes,
  | "line" // and the end of its line
  | "trailer"; // what follows the last chunk

const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");
/** As long as a head, all trailers or the line before a chunk may be. */
const longest = 65_536;
/** So many heads may come before that of the answer. */
const mostInterim = 16;

/** Reads one answer after the other. */
export class AnswerReader {
  #state: State = "idle";
  #listener: Listener | undefined;
  #isHead = false;
  #isKept = true;
  /** How many bytes are still to come of what is being read. */
  #left = 0;
  /** The beginning of something that ends in a later chunk. */
  #text = "";
  /** How many heads came before the answer's, and how much of trailers after it. */
  #interim = 0;
  #trailers = 0;

  /** A request was sent: its answer is for this one. */
  expect(listener: Listener, method: string): void {
    this.#listener = listener;
    this.#isHead = method === "HEAD";
    this.#state = "head";
    this.#interim = 0;
    this.#trailers = 0;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at = this.#step(bytes, at);
  }

  /** The other side has ended. Whether that was the end of an answer. */
  close(): boolean {
    if (this.#state !== "close") return false;
    this.#end();
    return true;
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "idle":
        throw new ProtocolError("an answer that nobody has asked for");
      case "head": {
        const { text, next } = this.#until(headEnd, bytes, at);
        if (text !== undefined) this.#begin(text);
        return next;
      }
      case "size":
      case "line":
      case "trailer": {
        const { text, next } = this.#until(lineEnd, bytes, at);
        if (text !== undefined) this.#line(text);
        return next;
      }
      default:
        return this.#data(bytes, at);
    }
  }

  #data(bytes: Buffer, at: number): number {
    const end = this.#state === "close" ? bytes.length : Math.min(bytes.length, at + this.#left);
    this.#listener?.onData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#state === "close") return end;
    this.#left -= end - at;
    if (this.#left > 0) return end;
    if (this.#state === "chunk") this.#state = "line";
    else this.#end();
    return end;
  }

  /** The text up to a mark, and where what follows it begins. No text: the mark is still to come. */
  #until(mark: Buffer, bytes: Buffer, at: number): { readonly text?: string; readonly next: number } {
    const before = this.#text.length;
    const here = before === 0 ? bytes.indexOf(mark, at) : -1;
    if (here >= 0) return { text: bytes.toString("latin1", at, here), next: here + mark.length };
    this.#text += bytes.toString("latin1", at);
    const end = before === 0 ? -1 : this.#text.indexOf(mark.toString(), Math.max(0, before - mark.length + 1));
    if (end < 0) {
      if (this.#text.length > longest) throw new ProtocolError(`no end of a head after ${longest} bytes`);
      return { next: bytes.length };
    }
    const text = this.#text.slice(0, end);
    this.#text = "";
    return { text, next: at + end + mark.length - before };
  }

  #begin(head: string): void {
    const [first = "", ...lines] = head.split("\r\n");
    if (control.test(first)) throw new ProtocolError(`a control character in ${shown(first)}`);
    const [, version, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
    if (code === undefined || code < "100") throw new ProtocolError(`it begins with ${shown(first)}`);
    const status = Number(code);
    if (status === 101) throw new ProtocolError("it wants to speak something else");
    if (status < 200) {
      // What is said on the way; the answer follows.
      headersOf(lines);
      this.#interim += 1;
      if (this.#interim > mostInterim)
        throw new ProtocolError(`more than ${mostInterim} answers with 1xx to one request`);
      return;
    }
    const headers = headersOf(lines);
    this.#isKept = version === "1" && !/\bclose\b/i.test(joined(headers["connection"]));
    this.#listener?.onHead(status, headers);
    this.#frame(status, headers);
  }

  /** How long the body is. */
  #frame(status: number, headers: Headers): void {
    const coding = joined(headers["transfer-encoding"]).toLowerCase();
    const length = headers["content-length"];
    if (this.#isHead || status === 204 || status === 304) this.#end();
    else if (coding !== "") {
      if (coding !== "chunked") throw new ProtocolError(`a transfer encoding ${coding}`);
      if (length !== undefined) this.#isKept = false;
      this.#state = "size";
    } else if (length === undefined) {
      this.#isKept = false;
      this.#state = "close";
    } else {
      if (typeof length !== "string" || !/^\d{1,15}$/.test(length)) throw new ProtocolError(`a length of ${length}`);
      this.#left = Number(length);
      this.#state = "length";
      if (this.#left === 0) this.#end();
    }
  }

  #line(text: string): void {
    if (this.#state === "line") {
      if (text !== "") throw new ProtocolError("a chunk that is longer than its size");
      this.#state = "size";
    } else if (this.#state === "size") {
      const [, size] = /^([\da-f]{1,12})[ \t]*(?:;|$)/i.exec(text) ?? [];
      if (size === undefined || control.test(text)) throw new ProtocolError(`a chunk of size ${shown(text)}`);
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? "trailer" : "chunk";
    } else if (text === "") this.#end();
    else {
      headersOf([text]);
      this.#trailers += text.length + lineEnd.length;
      if (this.#trailers > longest) throw new ProtocolError(`trailers of more than ${longest} bytes`);
    }
  }

  #end(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#state = "idle";
    listener?.onEnd(this.#isKept);
  }
}

const joined = (value: Headers[string]): string => (typeof value === "object" ? value.join(", ") : (value ?? ""));

const shown = (text: string): string => JSON.stringify(text.slice(0, 40));

/**
 * By lower-case name; those that are there several times as a list. An end of line or a zero in a value is none of ours to
 * read: another reader on the way has taken it for the beginning of the next header.
 */
function headersOf(lines: readonly string[]): Headers {
  const headers: { [name: string]: string | string[] } = { __proto__: null as never };
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!token.test(name) || control.test(line)) throw new ProtocolError(`a header ${shown(line)}`);
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "");
    const known = headers[name];
    headers[name] = known === undefined ? value : typeof known === "string" ? [known, value] : [...known, value];
  }
  return headers;
}
