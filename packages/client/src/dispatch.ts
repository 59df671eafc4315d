// One request through undici, by its own interface: no stream objects between the socket and whoever reads.
import type { Dispatcher } from "undici";
import type { Request, Response } from "./transport.ts";

/** What a caller is told when it failed before an answer began, or within one. */
export interface Failures {
  before(error: unknown, request: Request): unknown;
  within(error: unknown, request: Request): unknown;
}

/** Resolves when the answer begins, where it is a stream; else when it is whole. */
export function dispatch(dispatcher: Dispatcher, origin: string, request: Request, failures: Failures) {
  return new Promise<Response>((resolve, reject) => {
    const exchange = new Exchange(request, failures, resolve, reject);
    const options = {
      origin,
      path: request.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers as Record<string, string | string[]>,
      body: request.body ?? null,
      // The client's own clock decides when it was too long.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    try {
      dispatcher.dispatch(options as Dispatcher.DispatchOptions, exchange);
    } catch (error) {
      reject(failures.before(error, request));
    }
  });
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

const nothing = () => {};

/** As much as may wait for a slow reader of a stream before the socket is told to wait too. */
const most = 1_000_000;

/** One request, and the bytes of its answer between the socket and its one reader. */
class Exchange implements Dispatcher.DispatchHandler, Response {
  status = 0;
  headers: Response["headers"] = {};
  readonly #request: Request;
  readonly #failures: Failures;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  readonly #give = () => this.#controller?.abort(asError(this.#request.signal?.reason));
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #most: number;
  #end: { readonly error?: unknown } | undefined;
  #wake = nothing;

  constructor(
    request: Request,
    failures: Failures,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#failures = failures;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#most = request.stream === true ? most : Number.POSITIVE_INFINITY;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { signal } = this.#request;
    if (signal?.aborted === true) this.#give();
    else signal?.addEventListener("abort", this.#give, { once: true });
  }

  onResponseStart(_controller: unknown, status: number, headers: object): void {
    this.status = status;
    this.headers = headers as Response["headers"];
    if (this.#request.stream === true) this.#resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting > this.#most) controller.pause();
    this.#news();
  }

  onResponseEnd(): void {
    this.#over({});
    this.#resolve(this);
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const { before, within } = this.#failures;
    const told = (this.status === 0 ? before : within)(error, this.#request);
    this.#over({ error: told });
    this.#reject(told);
  }

  text(): Promise<string> {
    this.#most = Number.POSITIVE_INFINITY;
    return this.#when((end) => {
      this.#goOn();
      return end && decode(this.#chunks);
    });
  }

  chunks(): AsyncIterableIterator<Uint8Array, undefined> {
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => this.#when((end) => this.#next() ?? (end && { done: true, value: undefined })),
      return: async () => {
        // Whoever stops reading wants no more of it.
        if (this.#end === undefined) this.#controller?.abort(new Error("nobody reads this answer any more"));
        return { done: true, value: undefined };
      },
    };
  }

  /** What can be said, as soon as it can be. An error is said when nothing else is left. */
  #when<T>(say: (isEnd: boolean) => T | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const { error } = this.#end ?? {};
        const said = say(this.#end !== undefined && error === undefined);
        if (said !== false) resolve(said);
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
    this.#goOn();
    return { done: false, value };
  }

  #goOn(): void {
    if (this.#waiting <= this.#most && this.#controller?.paused === true) this.#controller.resume();
  }

  #over(end: { readonly error?: unknown }): void {
    this.#request.signal?.removeEventListener("abort", this.#give);
    this.#end = end;
    this.#news();
  }

  #news(): void {
    const wake = this.#wake;
    this.#wake = nothing;
    wake();
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
