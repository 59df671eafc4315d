// One request through undici, by its own interface: no stream objects between the socket and whoever reads.
import type { Dispatcher } from "undici";
import type { Request, Response } from "./transport.ts";

/** What a caller is told when it failed before an answer began, or within one. */
export interface Failures {
  readonly before: (error: unknown) => unknown;
  readonly within: (error: unknown) => unknown;
}

/** Resolves when the answer begins. */
export function dispatch(
  dispatcher: Dispatcher,
  request: Request & { readonly origin: string },
  failures: Failures,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    const body = new Body(failures.within);
    let hasBegun = false;
    let give = () => {};
    const over = () => signal?.removeEventListener("abort", give);
    const options = {
      origin: request.origin,
      path: request.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers as Record<string, string | string[]>,
      body: request.body ?? null,
      // The client's own clock decides when it was too long.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        give = () => controller.abort(asError(signal?.reason));
        if (signal?.aborted === true) give();
        else signal?.addEventListener("abort", give, { once: true });
      },
      onResponseStart(controller, status, headers) {
        hasBegun = true;
        body.begin(controller);
        resolve({
          status,
          headers: headers as Response["headers"],
          text: () => body.text(),
          chunks: () => body.chunks(),
        });
      },
      onResponseData: (_controller, chunk) => body.push(chunk),
      onResponseEnd() {
        over();
        body.end();
      },
      onResponseError(_controller, error) {
        over();
        if (hasBegun) body.fail(error);
        else reject(failures.before(error));
      },
    };
    try {
      dispatcher.dispatch(options as Dispatcher.DispatchOptions, handler);
    } catch (error) {
      reject(failures.before(error));
    }
  });
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** As much as may wait for a slow reader before the socket is told to wait too. */
const most = 1_000_000;

/** The bytes of an answer between the socket and its reader. */
class Body {
  readonly #within: (error: unknown) => unknown;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  constructor(within: (error: unknown) => unknown) {
    this.#within = within;
  }

  begin(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting > most) this.#controller?.pause();
    this.#wake();
  }

  end(): void {
    this.#end = {};
    this.#wake();
  }

  fail(error: unknown): void {
    this.#end = { error };
    this.#wake();
  }

  async text(): Promise<string> {
    const all = this.#take();
    while (await this.#more()) all.push(...this.#take());
    const [first] = all;
    return all.length === 1 && first !== undefined ? decode(first) : decode(Buffer.concat(all));
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      while (await this.#more()) yield* this.#take();
    } finally {
      // Whoever stops reading wants no more of it.
      if (this.#end === undefined) this.#controller?.abort(new Error("nobody reads this answer any more"));
    }
  }

  /** Whether there is something to take; as soon as it is known. */
  #more(): boolean | Promise<boolean> {
    if (this.#chunks.length > 0) return true;
    if (this.#end === undefined)
      return new Promise<void>((resolve) => {
        this.#wake = resolve;
      }).then(() => this.#more());
    if ("error" in this.#end) throw this.#within(this.#end.error);
    return false;
  }

  #take(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#waiting = 0;
    if (this.#controller?.paused === true) this.#controller.resume();
    return chunks;
  }
}

const decode = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
