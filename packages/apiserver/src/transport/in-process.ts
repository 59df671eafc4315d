// The same server without sockets: a request in, an answer out, every stage in between.
import { ConnectionReset } from "../faults/faults.ts";
import type { ApiRequest, ApiResponse, Sink, User } from "../request.ts";
import { unlessGone } from "./pace.ts";

/** What a caller in the same process says; the rest is filled in. */
export interface LocalRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Who calls. Default: the administrator. */
  readonly user?: User;
}

export interface LocalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The whole body of an ordinary answer; empty where there is a stream. */
  readonly body: string;
  /** The chunks of a watch, as they come. */
  readonly stream?: AsyncIterable<string>;
  /** What comes out of a pod, at the pace of whoever reads it: the log of a container, the answer to a proxied request. */
  readonly bytes?: AsyncIterable<Uint8Array>;
}

export type InProcessClient = (request: LocalRequest) => Promise<LocalResponse>;

export const administrator: User = {
  username: "admin",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: {},
};

export function inProcess(handle: (request: ApiRequest) => Promise<ApiResponse>): InProcessClient {
  return async ({
    method,
    path,
    headers = {},
    body = "",
    signal = new AbortController().signal,
    user = administrator,
  }) => {
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const answer = await handle({
      method,
      url: path,
      headers: named,
      body: typeof body === "string" ? Buffer.from(body) : body,
      peer: user,
      signal,
    });
    const { status, headers: told, body: given } = answer;
    if (typeof given === "function") return { status, headers: told, body: "", stream: chunks(given, signal) };
    if (typeof given === "string" || given instanceof Uint8Array) {
      if (answer.cutAfter !== undefined) throw new ConnectionReset("the connection was cut on purpose");
      const text = typeof given === "string" ? given : Buffer.from(given).toString("utf8");
      return { status, headers: told, body: text };
    }
    if ("protocol" in given) throw new Error("a caller in this process has no connection that could become another");
    return { status, headers: told, body: "", bytes: unlessGone(given, signal) };
  };
}

const maxWaiting = 10_000;

/** A pushed stream as an iterable. It begins at once, and ends when the server ends it or the reader stops. */
function chunks(start: (sink: Sink) => () => void, signal: AbortSignal): AsyncIterable<string> {
  const pushed = new Pushed();
  const stop = start(pushed);
  signal.addEventListener("abort", stop, { once: true });
  return read(pushed, stop, signal);
}

class Pushed implements Sink {
  readonly waiting: string[] = [];
  ended = false;
  wake: () => void = () => {};

  write(chunk: string): boolean {
    this.waiting.push(chunk);
    this.wake();
    return this.waiting.length <= maxWaiting;
  }

  end(): void {
    this.ended = true;
    this.wake();
  }
}

/** Not made anew for each stream: what such a function knows outlives it by far, since V8 gives each its own prototype. */
async function* read(pushed: Pushed, stop: () => void, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  try {
    for (;;) {
      const chunk = pushed.waiting.shift();
      if (chunk !== undefined) yield chunk;
      else if (pushed.ended || signal.aborted) return;
      else {
        await new Promise<void>((resolve) => {
          pushed.wake = resolve;
        });
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
