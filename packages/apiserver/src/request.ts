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
  /** What the client wants the connection to become, where the transport can make it that. */
  readonly upgrade?: "websocket";
}

/** Where a stream of watch events goes. */
export interface Sink {
  /** Takes one chunk. False: the reader is too slow, and the stream must end. */
  write(chunk: string): boolean;
  end(): void;
}

/** A connection on which both sides send messages. */
export interface MessageSocket {
  /** Resolves when there is room for more. To a client that is gone nothing is sent. */
  send(message: Uint8Array): Promise<void>;
  /** What the client sends, until either side has closed. To be asked for once. */
  messages(): AsyncIterable<Uint8Array>;
  close(code?: number, why?: string): void;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
}

/** The connection becomes a WebSocket. */
export interface Upgrade {
  readonly protocol: string;
  readonly open: (socket: MessageSocket) => void;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  /**
   * The whole body; how to begin a stream of events, which answers with how to stop it; a stream that goes at the pace of
   * its reader; or what the connection becomes.
   */
  readonly body: string | Uint8Array | ((sink: Sink) => () => void) | AsyncIterable<Uint8Array> | Upgrade;
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
  /** Notes something for the audit of the request; absent where nobody reads it. */
  readonly annotate?: (name: string, value: string) => void;
}
