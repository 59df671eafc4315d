// A way to a server on which things go wrong: answers that are refused, replaced or stale, and streams that are cut, garbled,
// late or silent. It works over any transport, so that the same trouble is had on the embedded server and on a real one.
import { ConnectionError, type Request, type Response, type Transport } from "@telltale/client";

/** A read of a collection. */
export interface Asked {
  readonly is: "list" | "watch";
  readonly path: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/** An answer in place of the server's. */
export interface Instead {
  readonly status: number;
  readonly body: string;
}

export interface Trouble {
  /** Changes what is asked for. */
  readonly ask?: (query: URLSearchParams, asked: Asked) => void;
  /** Answers in place of the server, or throws. */
  readonly answer?: (asked: Asked) => Instead | undefined;
  /** Another text of a list. */
  readonly list?: (text: string, asked: Asked) => string;
  /** The lines of a stream, as they come to the client. What is yielded needs no end of line to be yielded. */
  readonly stream?: (lines: AsyncIterable<string>, asked: Asked) => AsyncIterable<string>;
}

export interface TroubledWay extends Transport {
  /** What goes wrong from now on. A stream keeps the trouble that it began with. */
  trouble: Trouble;
  /** What was asked for: `watch all`, `watch 7`, `list`, `ask`. */
  readonly asked: string[];
}

export function troubled(transport: Transport): TroubledWay {
  const way: TroubledWay = {
    trouble: {},
    asked: [],
    async send(request) {
      const asked = readOf(request);
      if (asked === undefined) return transport.send(request);
      way.asked.push(nameOf(asked));
      const { trouble } = way;
      const instead = trouble.answer?.(asked);
      if (instead !== undefined) return responseOf(instead);
      trouble.ask?.(asked.query, asked);
      const response = await transport.send({ ...request, path: `${asked.path}?${asked.query}` });
      if (response.status !== 200) return response;
      if (asked.is === "list") return { ...response, text: async () => listed(await response.text(), trouble, asked) };
      if (trouble.stream === undefined) return response;
      const lines = trouble.stream(linesOf(response.chunks()), asked);
      return { ...response, chunks: () => lines };
    },
    close: () => transport.close(),
  };
  return way;
}

const listed = (text: string, { list }: Trouble, asked: Asked): string =>
  list === undefined ? text : list(text, asked);

function readOf({ method, path, signal = new AbortController().signal }: Request): Asked | undefined {
  const [bare = "", query = ""] = path.split("?", 2);
  // A name stands behind a plural, and a plural behind a version or a namespace.
  const isCollection = /^\/(api\/v1|apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[^/]+$/.test(bare);
  if (method !== "GET" || !isCollection) return undefined;
  const asked = new URLSearchParams(query);
  return { is: asked.get("watch") === "true" ? "watch" : "list", path: bare, query: asked, signal };
}

function nameOf({ is, query }: Asked): string {
  if (is === "watch") return `watch ${query.get("resourceVersion") ?? "all"}`;
  return query.get("limit") === "1" ? "ask" : "list";
}

function responseOf({ status, body }: Instead): Response {
  return {
    status,
    headers: {},
    text: async () => body,
    chunks: async function* whole() {
      yield body;
    },
  };
}

async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.slice(0, end + 1);
      rest = rest.slice(end + 1);
    }
  }
}

/** What kube-apiserver would say. */
export function refusal(code: number, reason: string, message = reason): Instead {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason, message };
  return { status: code, body: JSON.stringify(status) };
}

export const unreachable = (): never => {
  throw new ConnectionError("connect", "nobody listens");
};
