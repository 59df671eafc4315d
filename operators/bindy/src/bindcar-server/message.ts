// A request and its answer, without sockets.

export interface Asked {
  readonly method: string;
  /** With the query, as it came. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The address of whoever is connected: never what a header says. */
  readonly peer: string;
  /** Read when it is needed, and once. Undefined: larger than `maxBody`. */
  body(): Promise<Buffer | undefined>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const maxBody = 2 * 1024 * 1024;

export const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

export const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  body,
});
