// One request and its answer: the bytes between a connection and the one who reads them.
import type { Headers, Request, Response } from "../transport.ts";
import type { Listener } from "./http1.ts";

/** What a caller is told when it failed before an answer began, or within one. */
export interface Failures {
  before(error: unknown, request: Request): unknown;
  within(error: unknown, request: Request): unknown;
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
  readonly #failures: Failures;
  #resolve: (response: Response) => void = nothing;
  #reject: (error: unknown) => void = nothing;
  #carrier: Carrier | undefined;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #isPaused = false;
  #end: { readonly error?: unknown } | undefined;
  #wake = nothing;

  constructor(request: Request, failures: Failures) {
    this.request = request;
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
  }

  onData(bytes: Buffer): void {
    this.#chunks.push(Buffer.from(bytes));
    this.#waiting += bytes.length;
    if (this.#waiting > most && this.request.stream === true) {
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
    return this.#when((isEnd) => {
      if (isEnd) return textOf(this.#chunks);
      this.#waiting = Number.NEGATIVE_INFINITY; // it is wanted whole, however long it is
      this.#goOn();
      return undefined;
    });
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
    const value = this.#chunks.shift();
    if (value === undefined) return undefined;
    this.#waiting -= value.length;
    if (this.#waiting <= most) this.#goOn();
    return { done: false, value };
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

const textOf = (chunks: readonly Buffer[]): string =>
  (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)).toString("utf8");
