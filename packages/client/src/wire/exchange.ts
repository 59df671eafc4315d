// One request and its answer: the bytes between a connection and the one who reads them.
import { ConnectionError } from "../errors.ts";
import { Pieces } from "../pieces.ts";
import type { Headers, Request, Response } from "../transport.ts";
import type { Listener } from "./http1.ts";

/** What a caller is told when it failed before an answer began, or within one. */
export interface Failures {
  before(error: unknown, request: Request): unknown;
  within(error: unknown, request: Request): unknown;
}

/** How much of an answer is read. */
export interface Limits {
  readonly maxBodyBytes: number;
  readonly maxLineBytes: number;
}

/** As much as may wait for a slow reader of a stream before the other side is told to wait too. */
const most = 1_000_000;

const nothing = () => {};

/** A connection, as far as an answer needs one. */
interface Carrier {
  pause(): void;
  resume(): void;
  /** Nobody wants this answer any more. */
  drop(): void;
}

export class Exchange implements Listener, Response {
  readonly request: Request;
  /** Resolves when the answer begins, where it is a stream; else when it is whole. */
  readonly answer: Promise<Response>;
  status = 0;
  headers: Headers = {};
  readonly maxLineBytes: number;
  readonly #maxBodyBytes: number;
  readonly #failures: Failures;
  #resolve: (response: Response) => void = nothing;
  #reject: (error: unknown) => void = nothing;
  #carrier: Carrier | undefined;
  readonly #pieces = new Pieces();
  /** It is wanted whole, however long it is up to the limit; else in pieces, and a slow reader is waited for. */
  #isWhole: boolean;
  #isPaused = false;
  #end: { readonly error?: unknown } | undefined;
  #wake = nothing;

  constructor(request: Request, failures: Failures, { maxBodyBytes, maxLineBytes }: Limits) {
    this.request = request;
    this.maxLineBytes = maxLineBytes;
    this.#maxBodyBytes = maxBodyBytes;
    this.#isWhole = request.stream !== true;
    this.#failures = failures;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal } = request;
    if (signal?.aborted === true) this.#give();
    else signal?.addEventListener("abort", this.#give, { once: true });
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** A connection has taken it up. */
  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  onHead(status: number, headers: Headers): void {
    this.status = status;
    this.headers = headers;
    if (this.request.stream === true) this.#resolve(this);
    else if (Number(headers["content-length"]) > this.#maxBodyBytes) this.#tooLarge();
  }

  onData(bytes: Buffer): void {
    if (this.#end !== undefined) return;
    this.#pieces.push(Buffer.from(bytes));
    if (this.#isWhole && this.#pieces.size > this.#maxBodyBytes) this.#tooLarge();
    else if (!this.#isWhole && this.#pieces.size > most) {
      this.#isPaused = true;
      this.#carrier?.pause();
    }
    this.#news();
  }

  onEnd(): void {
    this.#over({});
    this.#resolve(this);
  }

  fail(cause: unknown): void {
    if (this.#end !== undefined) return;
    const { before, within } = this.#failures;
    const error = (this.status === 0 ? before : within)(cause, this.request);
    this.#over({ error });
    this.#reject(error);
  }

  text(): Promise<string> {
    this.#isWhole = true;
    this.#goOn();
    return this.#when((isEnd) => (isEnd ? this.#pieces.take().toString("utf8") : undefined));
  }

  chunks(): AsyncIterableIterator<Uint8Array, undefined> {
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () =>
        this.#when<IteratorResult<Uint8Array, undefined>>((isEnd) => this.#next() ?? (isEnd ? over : undefined)),
      return: async () => {
        if (this.#end === undefined) this.#carrier?.drop();
        return over;
      },
    };
  }

  readonly #give = (): void => {
    this.fail(this.request.signal?.reason);
    this.#carrier?.drop();
  };

  /** What can be said, as soon as it can be. An error is said when nothing else is left. */
  #when<T>(say: (isEnd: boolean) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const error = this.#end?.error;
        const said = say(this.#end !== undefined && error === undefined);
        if (said !== undefined) resolve(said);
        else if (error !== undefined) reject(error);
        else this.#wake = look;
      };
      look();
    });
  }

  #next(): { readonly done: false; readonly value: Uint8Array } | undefined {
    if (this.#pieces.size === 0) return undefined;
    const value = this.#pieces.take();
    this.#goOn();
    return { done: false, value };
  }

  #tooLarge(): void {
    const { method, path } = this.request;
    const problem = `${method} ${path}: an answer of more than ${this.#maxBodyBytes} bytes`;
    const fix = "ask for less at a time, or raise maxBodyBytes of httpTransport";
    this.#pieces.take();
    this.fail(new ConnectionError("size", `${problem}; ${fix}`));
    this.#carrier?.drop();
  }

  #goOn(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#carrier?.resume();
  }

  #over(end: { readonly error?: unknown }): void {
    this.request.signal?.removeEventListener("abort", this.#give);
    this.#end = end;
    this.#news();
  }

  #news(): void {
    const wake = this.#wake;
    this.#wake = nothing;
    wake();
  }
}

const over = { done: true, value: undefined } as const;
