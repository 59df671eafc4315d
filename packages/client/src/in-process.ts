// A transport without sockets: over a function that answers, such as the embedded API server's.
import { ConnectionError } from "./errors.ts";
import type { Headers, Transport } from "./transport.ts";
import { unlessAborted } from "./wait.ts";

/** What such a function takes and gives. Declared here by its shape: the client does not know the server. */
export type InProcessServer = (request: {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}) => Promise<{
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly stream?: AsyncIterable<Uint8Array | string>;
  readonly bytes?: AsyncIterable<Uint8Array>;
}>;

export function inProcessTransport(server: InProcessServer): Transport {
  const closing = new AbortController();
  return {
    async send({ method, path, headers, body, signal }) {
      if (closing.signal.aborted) throw new ConnectionError("closed", "this transport sends no more");
      const answer = await server({
        method,
        path,
        headers: flat(headers),
        signal: signal ?? closing.signal,
        ...(body === undefined ? {} : { body }),
      });
      const stream: AsyncIterable<Uint8Array | string> | undefined = answer.stream ?? answer.bytes;
      return {
        status: answer.status,
        headers: answer.headers,
        text: () => (stream === undefined ? Promise.resolve(answer.body) : join(stream)),
        chunks: () => (stream === undefined ? once(answer.body) : untilAborted(stream, closing.signal)),
      };
    },
    close: async () => closing.abort(new ConnectionError("body", "this transport was closed")),
  };
}

async function* once(body: string): AsyncGenerator<string, void, undefined> {
  yield body;
}

/** The chunks of a server that may not notice that nobody wants them any more. */
async function* untilAborted<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** Several values of one name in one line, as HTTP allows. */
function flat(headers: Headers): Record<string, string | undefined> {
  if (isFlat(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "object" ? value.join(", ") : value]),
  );
}

function isFlat(headers: Headers): headers is Record<string, string | undefined> {
  for (const name in headers) if (typeof headers[name] === "object") return false;
  return true;
}

async function join(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
