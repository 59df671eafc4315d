// A request and its answer, the same for sockets and for callers in the same process.

export interface User {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface ApiRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Who the transport says it is: a caller in the same process, or a client certificate. */
  readonly peer?: User;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** Where a stream of watch events goes. */
export interface Sink {
  /** Takes one chunk. False: the reader is too slow, and the stream must end. */
  write(chunk: string): boolean;
  end(): void;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  /** The whole body, or how to begin a stream; it answers with how to stop it. */
  readonly body: string | Uint8Array | ((sink: Sink) => () => void);
  /** A fault: the connection ends after so many bytes of a whole body. */
  readonly cutAfter?: number;
}

/** What the pipeline knows of a request once it is routed. */
export interface Call {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  /** A fault: reads show this revision instead of the newest. */
  readonly readAt?: number;
  /** Says something to the client beside the answer; the same text once. */
  readonly warn: (text: string) => void;
}
