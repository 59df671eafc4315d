// What carries a request to a server and its answer back. It repeats nothing and judges no status code: see `retry.ts`.

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Request {
  readonly method: string;
  /** From the root of the server, with the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** The answer may stay open for long: it must not take a place that short requests need. */
  readonly stream?: boolean;
}

export interface Response {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Headers;
  /** A line of a stream that is longer is not read. Default: there is no limit. */
  readonly maxLineBytes?: number;
  /** The whole body. Either this or `chunks`, and once. */
  text(): Promise<string>;
  /** The body as it comes. */
  chunks(): AsyncIterable<Uint8Array | string>;
}

export interface Transport {
  /** Resolves when a stream begins; what is none may be waited for until it is whole. */
  send(request: Request): Promise<Response>;
  /** Ends what is still open. A closed transport sends no more. */
  close(): Promise<void>;
}
